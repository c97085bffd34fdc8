import HTTPServing
import Model

/// Fields that two authors changed at once, side by side, with a choice for each. What was typed is in the form, unseen.
struct MergeScreen {
    /// The state that has the other change.
    let page: DraftPage
    let conflicts: [FieldConflict]
    /// Where the form is sent.
    let action: String
    let screen: String
    /// A question's kind decides what some fields are called.
    var kind: Question.Kind?

    private var language: Language { page.language }
    private var form: FormFields { page.context.request.form }

    func content() throws -> AuthoringScreens.Content {
        let words = MergeWords(page: page, kind: kind)
        let name = page.draft.savedBy ?? ""
        let theirs = name.isEmpty ? language.text("The other change") : language.text("Change by \(name)")
        var model: [String: any Sendable] = [
            "action": action, "saw": "\(page.draft.version)", "theirsName": theirs,
            "about": language.plural(
                conflicts.count, one: "You and another author changed 1 field at once. Nothing of it is saved yet.",
                other: "You and another author changed \(conflicts.count) fields at once. Nothing of it is saved yet."),
            "isMissed": form["saw"] != nil,
        ]
        model["typed"] = form.pairs.filter { !Self.isOwn($0.name) }.map { ["name": $0.name, "value": $0.value] }
        model["conflicts"] = conflicts.enumerated().map { place, conflict -> [String: any Sendable] in
            var model: [String: any Sendable] = [
                "n": "\(place)", "name": "pick.\(conflict.name)", "label": words.label(conflict.name),
                "theirs": words.text(conflict.theirs, conflict.name), "mine": words.text(conflict.mine, conflict.name),
            ]
            model["base"] = conflict.base.map { words.text($0, conflict.name) } ?? false
            return model
        }
        var content = try page.content(.draftmerge, screen, model)
        content.status = .conflict
        return content
    }

    /// Fields of this form alone.
    private static func isOwn(_ name: String) -> Bool { name == "token" || name == "saw" || name.hasPrefix("pick.") }
}
