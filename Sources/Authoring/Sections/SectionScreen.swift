import Model

/// The form of a section.
struct SectionScreen {
    let page: DraftPage
    let section: DraftSection
    let fields: SectionFields

    init(page: DraftPage, section: DraftSection) {
        self.page = page
        self.section = section
        fields = SectionFields(section)
    }

    func content() throws -> AuthoringScreens.Content {
        let language = page.language
        let words = SectionWords(page: page)
        let place = page.document.sections.firstIndex { $0.id == section.id } ?? 0
        let questions = section.questions.compactMap(page.document.question)
        let shuffles = SettingsFields(page.document).shufflesQuestions
        var model: [String: any Sendable] = [
            "action": page.href(section: section.id), "newline": "\n", "heading": words.name(section),
            "titleText": fields.title, "text": fields.text, "pick": fields.pick, "repeats": fields.repeats,
            "least": fields.least, "most": fields.most, "label": fields.label,
            "markdown": page.document.textFormat == .markdown,
            "isNew": page.context.request.query["said"] == "sectionadded",
            "order": shuffles
                ? language.text("Each test has the questions of this section in another order.")
                : language.text("Every test has the questions in the order of the list."),
            "settingsHref": page.href("settings"),
            "findings": DraftFinding.all(in: page.document).filter { $0.place == .section(place) }.map {
                ["text": FindingWords(language: language).text($0)]
            },
            "questions": questions.map { question in
                [
                    "text": String(page.document.textFormat.line(of: question.text).prefix(200)),
                    "href": page.href(question: question.id),
                ]
            },
            "hasQuestions": !questions.isEmpty,
            "deleteAbout": questions.isEmpty
                ? language.text("It has no questions.")
                : language.plural(
                    questions.count,
                    one:
                        "1 question is in it. You choose: it stays in the questionnaire without the section, or is deleted, too.",
                    other:
                        "\(questions.count) questions are in it. You choose: they stay in the questionnaire without the section, or are deleted, too."
                ),
            "deleteAll": language.plural(
                questions.count, one: "Delete the section and 1 question",
                other: "Delete the section and \(questions.count) questions"),
        ]
        model["hasFindings"] = (model["findings"] as? [[String: String]])?.isEmpty == false
        if page.context.services.takesMedia { model["mediaWords"] = MediaScreen.words(section.members, language) }
        model["kept"] = kept()
        ConditionList(page: page, excluded: Set(section.questions), fields: fields.condition).add(to: &model)
        return try page.content(.draftsection, "s", model)
    }

    /// Members that the form does not show, in words.
    private func kept() -> String? {
        var parts = section.members.keys.filter { !Self.shownMembers.contains($0) }.sorted().map { "“\($0)”" }
        if !fields.condition.isShown {
            parts.append(page.language.text("the condition, which has a form of its own"))
        }
        guard !parts.isEmpty else { return nil }
        return page.language.text("Not shown here, and kept as it is: \(parts.joined(separator: ", ")).")
    }

    private static let shownMembers: Set<String> = [
        "id", "title", "text", "questions", "pick", "repeat", "condition", "media",
    ]
}
