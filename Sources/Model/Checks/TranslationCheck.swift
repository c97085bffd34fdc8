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
        for id in translation.sections where !rules.sections.contains(where: { $0.id == id }) {
            add(.translationOfMissingSection(id), "\(place).sections.\(id)")
        }
        for section in rules.sections {
            let (given, place) = (texts.sections[section.id], "\(place).sections.\(section.id)")
            if section.title?.isEmpty == false, given?.title == nil { add(.untranslated, "\(place).title") }
            if section.text?.isEmpty == false, given?.text == nil { add(.untranslated, "\(place).text") }
        }
        let items = Dictionary(rules.questions.map { ($0.id, $0) }) { first, _ in first }
        for id in translation.questions.keys.sorted() where items[id] == nil {
            add(.translationOfMissingQuestion(id), "\(place).questions.\(id)")
        }
        for item in rules.questions {
            findings += check(item, texts.questions[item.id] ?? .init(), "\(place).questions.\(item.id)")
        }
        return findings
    }

    private func check(
        _ item: QuestionnaireRules.Item, _ texts: Translation.QuestionTexts, _ place: String
    ) -> [Finding] {
        var findings: [Finding] = []
        func add(_ problem: Problem, _ place: String) { findings.append(Finding(problem: problem, place: place)) }
        if texts.text == nil { add(.untranslated, "\(place).text") }
        if let text = texts.text, item.form == .gaps {
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
