import Model

/// Sections in words for authors.
struct SectionWords {
    let page: DraftPage

    private var language: Language { page.language }

    /// The title, or a name where there is none.
    func name(_ section: DraftSection) -> String {
        let title = page.document.textFormat.line(of: section.title)
        if !title.trimmed.isEmpty { return String(title.prefix(200)) }
        let number = (page.document.sections.firstIndex { $0.id == section.id } ?? 0) + 1
        return language.text("Section \(number)")
    }

    func facts(_ section: DraftSection) -> [String] {
        let fields = SectionFields(section)
        let asked = section.questions.compactMap(page.document.question).count { $0.takesAnswer }
        var facts = [language.plural(asked, one: "1 question", other: "\(asked) questions")]
        if !fields.pick.isEmpty { facts.append(language.text("each test draws \(fields.pick)")) }
        if fields.repeats {
            facts.append(
                fields.label.isEmpty
                    ? language.text("repeats") : language.text("repeats for each: \(fields.label)"))
        }
        if !fields.text.isEmpty { facts.append(language.text("with a passage")) }
        if section.members["condition"] != nil { facts.append(language.text("with a condition")) }
        return facts
    }

    /// The sections to choose from; none where there are no sections.
    func choices(_ current: String?) -> [[String: any Sendable]] {
        let sections = page.document.sections
        guard !sections.isEmpty else { return [] }
        return [["value": "", "name": language.text("in no section"), "current": current == nil]]
            + sections.map { section in
                ["value": section.id, "name": name(section), "current": section.id == current]
            }
    }

    static func table(_ language: Language) -> [String: String] {
        [
            "addSection": language.text("Add a section"),
            "sectionField": language.text("Section"),
            "newSectionField": language.text("Title of the new section"),
            "sectionAbout": language.text(
                "A section has a passage to read, draws some of its questions, or is asked several times."),
            "emptySection": language.text(
                "No questions yet. A question’s form, and ↑ and ↓ in the list, move it here."),
            "sectionTitleAbout": language.text("People see it above the questions. It may be empty."),
            "passageField": language.text("Passage to read"),
            "passageAbout": language.text("It stays in view beside its questions."),
            "drawLegend": language.text("Which questions are asked"),
            "pickField": language.text("Draw so many"),
            "pickAbout": language.text("Each test gets other ones. Leave it empty to ask all of them."),
            "orderLink": language.text("Change the order in the settings"),
            "repeatLegend": language.text("Several times"),
            "repeatField": language.text(
                "Ask these questions once for each of several, such as each person of a household"),
            "repeatLeast": language.text("At least so often"),
            "repeatMost": language.text("At most so often"),
            "repeatLabel": language.text("Name of one"),
            "repeatAbout": language.text("For “Person” people see Person 1, Person 2. Without numbers it is 1 to 100."),
            "sectionQuestions": language.text("Its questions"),
            "sectionConditionTitle": language.text("Show this section only if…"),
            "deleteSection": language.text("Delete the section"),
            "deleteSectionOnly": language.text("Delete the section, keep the questions"),
        ]
    }
}
