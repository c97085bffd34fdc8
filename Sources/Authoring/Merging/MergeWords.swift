import Model
import Wording

/// Fields of forms and what is in them, in words for authors.
struct MergeWords {
    let page: DraftPage
    /// That of a question decides what some fields are called.
    var kind: Question.Kind?

    private var language: Language { page.language }

    /// The fixed texts of the screen.
    static func table(_ language: Language) -> [String: String] {
        [
            "mergeAbout": language.text(
                "Choose one of both for each field. All other changes, yours and those of the other author, are saved with it."
            ),
            "mergeBase": language.text("Before"),
            "mergeMine": language.text("My change"),
            "mergeSave": language.text("Save what was chosen"),
        ]
    }

    // MARK: Names

    func label(_ name: String) -> String {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2, parts[0] == "release" { return SettingsScreen.releaseName(parts[1], language) }
        if parts.count == 2, let place = Int(parts[1]) {
            switch parts[0] {
            case "option": return language.text("Option \(place + 1)")
            case "mark": return language.text("Option \(place + 1): whether it is right, its points and feedback")
            case "row": return language.text("Row \(place + 1)")
            default: break
            }
        }
        if parts.first == "gap" { return language.text("Gaps") + " {{" + name.dropFirst(4) + "}}" }
        return WritingWords.all(language)[Self.keys(kind)[name] ?? ""] ?? name
    }

    /// The words of forms, by the names of fields.
    private static func keys(_ kind: Question.Kind?) -> [String: String] {
        let isScale = kind?.isScale ?? false
        return [
            "text": "textField", "hint": "hintField", "required": "requiredField", "points": "pointsField",
            "explanation": "explanationField", "condition": "conditionTitle", "section": "sectionField",
            "kind": "kindField", "options": "optionsLegend", "newoptions": "moreOptions", "rows": "rowsLegend",
            "newrows": "moreRows", "table": "rowsLegend", "accepted": "keyLegend", "partial": "partialField",
            "other": "otherField", "ordered": "orderedField", "exact": "exactField", "multiple": "multipleField",
            "multiline": "multilineField", "whole": "wholeField", "tolerance": "toleranceField", "unit": "unitField",
            "least": isScale ? "scaleFrom" : "leastField", "most": isScale ? "scaleTo" : "mostField",
            "step": "scaleStep", "leastlabel": "leastLabel", "mostlabel": "mostLabel", "longest": "longestField",
            "after": "afterField", "before": "beforeField", "accept": "acceptField", "capture": "captureField",
            "mostfiles": "mostFilesField", "title": "titleField", "description": "descriptionField",
            "locale": "localeField", "subject": "subjectField", "level": "levelField", "tags": "tagsField",
            "markdown": "markdownField", "opens": "opensField", "closes": "closesField", "late": "lateField",
            "attempts": "attemptsField", "minutes": "minutesField", "ends": "endsField",
            "shufflequestions": "shuffleQuestionsField", "shuffleoptions": "shuffleOptionsField", "pass": "passField",
            "passage": "passageField", "pick": "pickField", "repeats": "repeatField", "repeatleast": "repeatLeast",
            "repeatmost": "repeatMost", "repeatlabel": "repeatLabel", "sectioncondition": "sectionConditionTitle",
            "wholequestion": "textField", "wholesection": "sectionField",
        ]
    }

    // MARK: Values

    func text(_ value: FieldValue, _ name: String) -> String {
        let text = words(value, name)
        return text.trimmed.isEmpty ? language.text("(empty)") : text
    }

    private func words(_ value: FieldValue, _ name: String) -> String {
        switch value {
        case .text(let text): text
        case .flag(let isSet): isSet ? language.text("Yes") : language.text("No")
        case .kind(let kind, let lines):
            ([kind.map { $0.name(language) } ?? ""] + lines.map(line)).joined(separator: "\n")
        case .lines(let lines): lines.map(line).joined(separator: "\n")
        case .moment(let text): SettingsFields.shown(text).replacing("T", with: " ")
        case .choice(let value): choice(value, name)
        case .condition(let condition): self.condition(condition)
        case .section(let id):
            page.document.section(id).map(SectionWords(page: page).name)
                ?? (id.isEmpty ? language.text("in no section") : id)
        case .deleted: language.text("It was deleted.")
        }
    }

    private func line(_ line: FieldValue.Line) -> String {
        var text = (line.isMarked ? "✓ " : "") + line.text
        if !line.points.isEmpty { text += " · " + language.text("Points") + " " + line.points }
        if !line.feedback.isEmpty { text += " · " + line.feedback }
        return text
    }

    private func choice(_ value: String, _ name: String) -> String {
        let choices: [(String, String)] =
            switch name {
            case "late": SettingsScreen.late(language)
            case "locale": SettingsScreen.languageNames(value, language)
            case "accept": QuestionScreen.fileTypes(language)
            case "capture": QuestionScreen.captures(language)
            default: SettingsScreen.moments(language)
            }
        return choices.first { $0.0 == value }?.1 ?? value
    }

    private func condition(_ condition: ConditionFields) -> String {
        guard condition.isShown else { return language.text("the condition, which has a form of its own") }
        if condition.rows.isEmpty { return language.text("no condition") }
        let list = ConditionList(page: page, excluded: [], fields: condition)
        let lines = condition.rows.map(list.sentence)
        return condition.rows.count > 1 && condition.isAny
            ? ([language.text("One of these is enough") + ":"] + lines).joined(separator: "\n")
            : lines.joined(separator: "\n")
    }
}
