/// Finds what a translation of a questionnaire says of things that are not there, and what it leaves in the document's language.
struct TranslationCheck {
    let rules: QuestionnaireRules
    let language: String

    typealias Finding = QuestionnaireCheck.Finding
    typealias Problem = QuestionnaireCheck.Problem

    private var place: String { "translations.\(language)" }

    func findings() -> [Finding] {
        guard let translation = rules.translations[language] else { return [] }
        var findings: [Finding] = []
        func add(_ problem: Problem, _ place: String) { findings.append(Finding(problem: problem, place: place)) }
        let texts = translation.texts
        if texts.title == nil { add(.untranslated, "\(place).title") }
        if rules.description?.isEmpty == false, texts.description == nil { add(.untranslated, "\(place).description") }
        for id in translation.sections where !rules.sections.contains(where: { $0.id == id }) {
            add(.translationOfMissingSection(id), "\(place).sections.\(id)")
        }
        for section in rules.sections {
            let (given, place) = (texts.sections[section.id], "\(place).sections.\(section.id)")
            if section.title?.isEmpty == false, given?.title == nil { add(.untranslated, "\(place).title") }
            if section.text?.isEmpty == false, given?.text == nil { add(.untranslated, "\(place).text") }
            if section.repetition?.label?.isEmpty == false, given?.label == nil { add(.untranslated, "\(place).label") }
            if !Self.fits(given?.media, section.media.map { $0.alt ?? "" }) { add(.untranslated, "\(place).media") }
        }
        let items = Dictionary(rules.questions.map { ($0.id, $0) }) { first, _ in first }
        for id in translation.questions.keys.sorted() where items[id] == nil {
            add(.translationOfMissingQuestion(id), "\(place).questions.\(id)")
        }
        for item in rules.questions {
            findings += check(item, texts.questions[item.id] ?? .init(), "\(place).questions.\(item.id)")
        }
        return findings + keyFindings()
    }

    /// Whether the descriptions of media are there in this language. Where their number differs, those of the document are shown.
    private static func fits(_ translated: [String]?, _ alts: [String]) -> Bool {
        alts.allSatisfy(\.isEmpty) || translated?.count == alts.count
    }

    /// What the key says to answers, which is translated beside it.
    private func keyFindings() -> [Finding] {
        rules.key.sorted { $0.key < $1.key }.flatMap { id, key in
            let place = "\(rules.keyMembers[id] ?? "key").\(id)"
            var findings = key.accept.enumerated().compactMap { index, accepted -> Finding? in
                guard accepted.feedback?.isEmpty == false, accepted.translations[language]?.feedback == nil else {
                    return nil
                }
                return Finding(
                    problem: .untranslated, place: "\(place).accept[\(index)].translations.\(language).feedback")
            }
            if key.explanation?.isEmpty == false, key.translations[language]?.explanation == nil {
                findings.append(
                    Finding(problem: .untranslated, place: "\(place).translations.\(language).explanation"))
            }
            return findings
        }
    }

    private func check(
        _ item: QuestionnaireRules.Item, _ texts: Translation.QuestionTexts, _ place: String
    ) -> [Finding] {
        var findings: [Finding] = []
        func add(_ problem: Problem, _ place: String) { findings.append(Finding(problem: problem, place: place)) }
        if texts.text == nil { add(.untranslated, "\(place).text") }
        for (member, text, translated) in [
            ("hint", item.texts.hint, texts.hint), ("unit", item.texts.unit, texts.unit),
            ("constraintMessage", item.texts.constraintMessage, texts.constraintMessage),
        ] where text?.isEmpty == false && translated == nil {
            add(.untranslated, "\(place).\(member)")
        }
        for number in item.texts.labels.keys.sorted() where texts.labels?[number] == nil {
            add(.untranslated, "\(place).labels.\(number)")
        }
        if !Self.fits(texts.media, item.texts.alts) { add(.untranslated, "\(place).media") }
        if let text = texts.text, item.form.shape == .gaps {
            let (asked, given) = (GapText.names(in: item.text), Set(GapText.names(in: text)))
            for name in asked where !given.contains(name) { add(.gapWithoutMarker(name), "\(place).text") }
            for name in given.subtracting(asked).sorted() { add(.markerWithoutGap(name), "\(place).text") }
        }
        for (member, found, expected) in [("options", texts.options, item.options), ("rows", texts.rows, item.rows)] {
            guard let found else {
                if !expected.isEmpty { add(.untranslated, "\(place).\(member)") }
                continue
            }
            if found.count != expected.count {
                add(.translationOfOtherCount(found: found.count, expected: expected.count), "\(place).\(member)")
            }
        }
        for (name, gap) in item.gaps.sorted(by: { $0.key < $1.key }) where !gap.options.isEmpty {
            guard let found = texts.gaps?[name] else {
                add(.untranslated, "\(place).gaps.\(name).options")
                continue
            }
            if found.count != gap.options.count {
                add(
                    .translationOfOtherCount(found: found.count, expected: gap.options.count),
                    "\(place).gaps.\(name).options")
            }
        }
        return findings
    }
}
