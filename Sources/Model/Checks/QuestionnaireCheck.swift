/// Finds what cannot be right in a questionnaire. Findings are values; the words for them are the interface's.
///
/// `quire new`, `edit` and `check`, the page, and a host that publishes all use this one.
package struct QuestionnaireCheck: Sendable {
    package struct Finding: Hashable, Sendable {
        package var problem: Problem
        /// Like `questions[3].condition`.
        package var place: String

        package init(problem: Problem, place: String) {
            self.problem = problem
            self.place = place
        }

        /// Whether the document cannot be published with it. The others are likely mistakes.
        package var isFault: Bool { problem.isFault }
    }

    package enum Problem: Hashable, Sendable {
        /// The conditions of these questions depend on each other in a circle.
        case conditionCycle([String])
        case conditionOnMissingQuestion(String)
        /// The question is asked in each instance of a section, and the condition stands outside of it.
        case conditionOnRepeatedQuestion(String, section: String)
        /// No option of the question is this text, so the comparison never holds.
        case conditionOnMissingOption(String, question: String)
        case invalidPattern(String, TextPattern.Fault)
        case keyOfMissingQuestion(String)
        /// A key for a kind that a program cannot give points for.
        case keyOfUnratedKind(Question.Kind)
        case emptyKey
        case keyIsNoOption(String)
        case keyIsNoNumber(String)
        /// A date, a time, or a date with a time was expected.
        case keyIsNoDate(String, Question.Kind)
        /// The value has another form than answers of the kind.
        case keyOfAnotherForm(Question.Kind)
        /// The key names a row or gap that the question does not have.
        case keyOfMissingPart(String)
        case gapWithoutMarker(String)
        case markerWithoutGap(String)
        case markerTwice(String)
        case pickTooLarge(pick: Int, questions: Int)
        case pickTooSmall(Int)
        case sectionWithMissingQuestion(String)
        case sectionTwice(String)
        case questionInTwoSections(String, other: String)
        case translationOfMissingQuestion(String)
        case translationOfMissingSection(String)
        /// A translation has another number of options or rows.
        case translationOfOtherCount(found: Int, expected: Int)
        /// The text stays in the language of the document.
        case untranslated
        /// There are translations, and the document does not say its own language.
        case localeMissing
        /// A lower limit is above the upper one: `min`, `minLength`, `minCount`, `after`, `opensAt`.
        case limitsReversed(lower: String, upper: String)
        case stepNotPositive
        /// Answers of the kind never have what the member limits.
        case constraintOfOtherKind(String, Question.Kind)
        case keepLastIsNoOption(String)
        /// `accept` of files has a text that is neither an ending nor a media type.
        case acceptsNoType(String)
        case missingOptions(Question.Kind)
        case missingRows(Question.Kind)
        /// Two rows, or two options of a ranking, have the same text.
        case textTwice(String)
        /// A kind that takes more than one value cannot stand in a gap.
        case gapOfOtherKind(Question.Kind)
        case noGaps
        case missingScale
        /// A test is to end with a time limit that there is not.
        case endWithoutTimeLimit
        /// More points can be had than the question is worth, or a number is out of its range.
        case numberOutOfRange(Double, ClosedRange<Double>)

        var isFault: Bool {
            switch self {
            case .conditionOnMissingOption, .constraintOfOtherKind, .keepLastIsNoOption, .acceptsNoType, .markerTwice,
                .untranslated, .localeMissing, .endWithoutTimeLimit:
                false
            default: true
            }
        }
    }

    private let rules: QuestionnaireRules
    private var findings: [Finding] = []
    private let items: [String: QuestionnaireRules.Item]
    /// The repeated section that a question belongs to.
    private let repeats: [String: String]

    /// All findings, in the order of the document.
    package static func findings(in rules: QuestionnaireRules) -> [Finding] {
        var check = QuestionnaireCheck(rules)
        check.checkQuestions()
        check.checkSections()
        check.checkCycles()
        check.checkKey()
        check.checkTranslations()
        check.checkRanges()
        return check.findings
    }

    private init(_ rules: QuestionnaireRules) {
        self.rules = rules
        items = Dictionary(rules.questions.map { ($0.id, $0) }) { first, _ in first }
        repeats = Dictionary(
            rules.sections.filter { $0.repetition != nil }.flatMap { section in
                section.questions.map { ($0, section.id) }
            }
        ) { first, _ in first }
    }

    private mutating func add(_ problem: Problem, _ place: String) {
        findings.append(Finding(problem: problem, place: place))
    }

    // MARK: Questions

    private mutating func checkQuestions() {
        for (index, item) in rules.questions.enumerated() {
            let place = "questions[\(index)]"
            if item.form.needsOptions, item.options.isEmpty { add(.missingOptions(item.form), "\(place).options") }
            if item.form.needsRows, item.rows.isEmpty { add(.missingRows(item.form), "\(place).rows") }
            if item.form.needsRows { checkTwice(item.rows, "\(place).rows") }
            if item.form.shape == .order { checkTwice(item.options, "\(place).options") }
            if item.form.isScale { checkScale(item.scale, place) }
            for text in item.keepLast where !item.options.contains(text) {
                add(.keepLastIsNoOption(text), "\(place).keepLast")
            }
            for text in item.accept.map({ AcceptedFiles($0).unknown }) ?? [] {
                add(.acceptsNoType(text), "\(place).accept")
            }
            if item.form.shape == .gaps { checkGaps(item, place) }
            if let condition = item.condition { check(condition, "\(place).condition", home: repeats[item.id]) }
            if let constraint = item.constraint { check(constraint, item.form, "\(place).constraint") }
        }
    }

    /// Answers name rows, and the places of a ranking, by their texts.
    private mutating func checkTwice(_ texts: [String], _ place: String) {
        var seen: Set<String> = []
        for (index, text) in texts.enumerated() where !seen.insert(text).inserted {
            add(.textTwice(text), "\(place)[\(index)]")
        }
    }

    private mutating func checkScale(_ scale: QuestionnaireRules.Scale?, _ place: String) {
        guard let scale, let least = scale.min.flatMap(DecimalNumber.init(_:)),
            let most = scale.max.flatMap(DecimalNumber.init(_:))
        else { return add(.missingScale, "\(place).scale") }
        if least >= most { add(.limitsReversed(lower: "min", upper: "max"), "\(place).scale") }
        if let step = scale.step, DecimalNumber(step).map({ $0 <= .zero }) ?? true {
            add(.stepNotPositive, "\(place).scale.step")
        }
    }

    private mutating func checkGaps(_ item: QuestionnaireRules.Item, _ place: String) {
        var seen: Set<String> = []
        let names = GapText.names(in: item.text)
        if names.isEmpty, item.gaps.isEmpty { add(.noGaps, "\(place).text") }
        for name in names {
            if item.gaps[name] == nil {
                add(.markerWithoutGap(name), "\(place).text")
            } else if !seen.insert(name).inserted {
                add(.markerTwice(name), "\(place).text")
            }
        }
        for name in item.gaps.keys.sorted() where !seen.contains(name) {
            add(.gapWithoutMarker(name), "\(place).gaps.\(name)")
        }
        for (name, gap) in item.gaps.sorted(by: { $0.key < $1.key }) where gap.form.needsOptions && gap.options.isEmpty
        {
            add(.missingOptions(gap.form), "\(place).gaps.\(name).options")
        }
        for (name, gap) in item.gaps.sorted(by: { $0.key < $1.key }) where !gap.form.fitsGap {
            add(.gapOfOtherKind(gap.form), "\(place).gaps.\(name).kind")
        }
    }

    /// - Parameter home: the repeated section that the condition stands in.
    private mutating func check(_ condition: Condition, _ place: String, home: String?) {
        switch condition.form {
        case .not(let condition): check(condition, "\(place).not", home: home)
        case .all(let conditions):
            for (index, one) in conditions.enumerated() { check(one, "\(place).all[\(index)]", home: home) }
        case .any(let conditions):
            for (index, one) in conditions.enumerated() { check(one, "\(place).any[\(index)]", home: home) }
        case .question(let id, let test):
            guard let item = items[id] else { return add(.conditionOnMissingQuestion(id), "\(place).question") }
            if let section = repeats[id], section != home {
                return add(.conditionOnRepeatedQuestion(id, section: section), "\(place).question")
            }
            guard case .comparison(let comparison, let value) = test else { return }
            let member = "\(place).\(comparison.rawValue)"
            if comparison == .matches, case .string(let source) = value { check(pattern: source, member) }
            let isEquality = comparison == .equal || comparison == .notEqual || comparison == .contains
            guard isEquality, [.option, .options, .order].contains(item.form.shape), !item.allowsOther else { return }
            let values: [JSONValue] = if case .array(let values) = value { values } else { [value] }
            for case .string(let text) in values where !item.options.contains(text) {
                add(.conditionOnMissingOption(text, question: id), member)
            }
        }
    }

    private mutating func check(pattern source: String, _ place: String) {
        do throws(TextPattern.Fault) { _ = try TextPattern(source) } catch {
            add(.invalidPattern(source, error), place)
        }
    }

    private mutating func check(_ constraint: Constraint, _ form: Question.Kind, _ place: String) {
        func reversed(_ lower: String, _ upper: String, _ isReversed: Bool?) -> [Finding] {
            isReversed == true ? [Finding(problem: .limitsReversed(lower: lower, upper: upper), place: place)] : []
        }
        func number(_ value: JSONValue?) -> DecimalNumber? { value.flatMap(DecimalNumber.init(_:)) }
        if let least = number(constraint.min), let most = number(constraint.max) {
            findings += reversed("min", "max", least > most)
        }
        if let least = constraint.minLength, let most = constraint.maxLength {
            findings += reversed("minLength", "maxLength", least > most)
        }
        if let least = constraint.minCount, let most = constraint.maxCount {
            findings += reversed("minCount", "maxCount", least > most)
        }
        if let after = constraint.after.flatMap(WrittenDate.order),
            let before = constraint.before.flatMap(WrittenDate.order)
        {
            findings += reversed("after", "before", after.isBefore(before) != true)
        }
        if let step = number(constraint.step), step <= .zero { add(.stepNotPositive, "\(place).step") }
        if let pattern = constraint.pattern { check(pattern: pattern, "\(place).pattern") }
        for member in constraint.members where !form.uses(constraint: member) {
            add(.constraintOfOtherKind(member, form), "\(place).\(member)")
        }
    }

    // MARK: Sections and circles

    private mutating func checkSections() {
        var sectionOf: [String: String] = [:]
        var seen: Set<String> = []
        for (index, section) in rules.sections.enumerated() {
            let place = "sections[\(index)]"
            if !seen.insert(section.id).inserted { add(.sectionTwice(section.id), "\(place).id") }
            for (number, id) in section.questions.enumerated() {
                if items[id] == nil {
                    add(.sectionWithMissingQuestion(id), "\(place).questions[\(number)]")
                } else if let other = sectionOf[id] {
                    add(.questionInTwoSections(id, other: other), "\(place).questions[\(number)]")
                } else {
                    sectionOf[id] = section.id
                }
            }
            if let condition = section.condition { check(condition, "\(place).condition", home: nil) }
            if let pick = section.pick {
                let count = Set(section.questions).filter { items[$0].map { $0.form.takesAnswer } ?? false }.count
                if pick > count { add(.pickTooLarge(pick: pick, questions: count), "\(place).pick") }
                if pick < 1 { add(.pickTooSmall(pick), "\(place).pick") }
            }
            if let repetition = section.repetition { check(repetition, "\(place).repeat") }
        }
    }

    private mutating func check(_ repetition: Section.Repetition, _ place: String) {
        let most = Double(Section.mostInstances)
        if let least = repetition.min, let most = repetition.max, least > most {
            add(.limitsReversed(lower: "min", upper: "max"), place)
        }
        if let least = repetition.min, !(0...Section.mostInstances).contains(least) {
            add(.numberOutOfRange(Double(least), 0...most), "\(place).min")
        }
        if let max = repetition.max, !(1...Section.mostInstances).contains(max) {
            add(.numberOutOfRange(Double(max), 1...most), "\(place).max")
        }
    }

    private mutating func checkCycles() {
        for cycle in rules.visibility.cycles {
            let index = rules.questions.firstIndex { $0.id == cycle.first } ?? 0
            add(.conditionCycle(cycle), "questions[\(index)].condition")
        }
    }

    // MARK: Translations and ranges

    private mutating func checkTranslations() {
        guard !rules.translations.isEmpty else { return }
        if rules.locale?.isEmpty ?? true { add(.localeMissing, "locale") }
        for language in rules.translations.keys.sorted() {
            findings += TranslationCheck(rules: rules, language: language).findings()
        }
    }

    /// The most attempts, and the most seconds of a time limit.
    private static let mostCount = 1e9

    private mutating func checkRanges() {
        if let score = rules.passScore, !(0...1).contains(score) { add(.numberOutOfRange(score, 0...1), "passScore") }
        for (index, item) in rules.questions.enumerated() {
            if let points = item.points, !(0...AnswerKey.mostPoints).contains(points) {
                add(.numberOutOfRange(points, 0...AnswerKey.mostPoints), "questions[\(index)].points")
            }
        }
        if let opens = rules.availability?.opensAt, let closes = rules.availability?.closesAt, opens >= closes {
            add(.limitsReversed(lower: "opensAt", upper: "closesAt"), "availability")
        }
        // 0 is none, as where they are absent.
        for (place, count) in [
            ("availability.attempts", rules.availability?.attempts), ("timeLimitSeconds", rules.timeLimitSeconds),
        ] {
            if let count, !(0...Self.mostCount).contains(Double(count)) {
                add(.numberOutOfRange(Double(count), 0...Self.mostCount), place)
            }
        }
        if rules.finishesAtTimeLimit, (rules.timeLimitSeconds ?? 0) <= 0 {
            add(.endWithoutTimeLimit, "finishAtTimeLimit")
        }
    }

    private mutating func checkKey() {
        for (id, key) in rules.key.sorted(by: { $0.key < $1.key }) {
            let place = "\(rules.keyMembers[id] ?? "key").\(id)"
            guard let item = items[id] else {
                add(.keyOfMissingQuestion(id), place)
                continue
            }
            findings += KeyCheck(item: item, key: key, place: place).findings()
        }
    }
}
