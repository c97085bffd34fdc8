import AuthorDrafts
import HTTPServing
import Model

/// A draft with what all of its screens share: title, state, tabs.
package struct DraftPage {
    let context: AuthoringContext
    let draft: AuthorDraft
    let document: DraftDocument

    init(_ context: AuthoringContext, _ draft: AuthorDraft) {
        self.context = context
        self.draft = draft
        document = DraftDocument(draft.document)
    }

    var language: Language { context.language }
    var title: String { Self.title(draft, language) }

    package static func title(_ draft: AuthorDraft, _ language: Language) -> String {
        let title = DraftDocument(draft.document).title
        return title.trimmed.isEmpty ? language.text("Without a title") : title
    }

    func href(_ screen: String = "", said: String? = nil) -> String {
        context.path(draft.id, screen) + (said.map { "?said=\($0)" } ?? "")
    }

    func href(question id: String) -> String { href("q/" + PercentEncoding.encode(id)) }

    func href(section id: String) -> String { href("s/" + PercentEncoding.encode(id)) }

    /// The screens with a tab of their own: all others are below that of the questions.
    private static let tabs: Set = ["settings", "try", "publish"]

    /// The model with the frame of the screens of a draft.
    func content(
        _ template: AuthoringScreens.Template, _ screen: String, _ model: [String: any Sendable]
    ) throws -> AuthoringScreens.Content {
        var model = model
        model["title"] = title
        model["draftHref"] = href()
        model["version"] = "\(draft.version)"
        model["state"] = try Self.state(draft, language, context.services.original)
        model["saved"] = saved
        if draft.previous != nil { model["undo"] = href("undo") }
        let faults = try DraftFinding.all(in: self).count
        let tabKey = Self.tabs.contains(screen) ? screen : ""
        func tab(_ key: String, _ name: String, _ badge: Int = 0) -> [String: any Sendable] {
            var tab: [String: any Sendable] = ["href": href(key), "name": name]
            // A screen below it leads back with it.
            if key == tabKey { tab["current"] = key == screen ? "page" : "true" }
            if badge > 0 { tab["badge"] = "\(badge)" }
            return tab
        }
        model["tabs"] = [
            tab("", language.text("Questions")), tab("settings", language.text("Settings")),
            tab("try", language.text("Try it")),
            tab("publish", language.text("Check and publish"), faults),
        ]
        var content = AuthoringScreens.Content(template: template, title: title, model: model)
        content.said = said
        return content
    }

    /// How a draft differs from what is published, in words.
    ///
    /// - Parameter original: looks up a published questionnaire by its id.
    package static func state(
        _ draft: AuthorDraft, _ language: Language, _ original: (String) throws -> OriginalDocument?
    ) throws -> String {
        guard let id = draft.questionnaire else { return language.text("Draft, not published") }
        let isSame = try original(id).map { try DraftDocument(bytes: $0.bytes) == DraftDocument(draft.document) }
        return isSame ?? false ? language.text("Draft, nothing changed yet") : language.text("Changes, not published")
    }

    private var saved: [String: any Sendable] {
        TimedText.model(draft.savedAt) { time in
            guard let name = draft.savedBy, !name.isEmpty else { return language.text("Saved \(time)") }
            return language.text("Saved \(time) by \(name)")
        }
    }

    /// The note about the last action, as the address names it.
    private var said: (kind: String, text: String)? {
        switch context.request.query["said"] {
        case "saved": ("good", language.text("Saved."))
        case "merged":
            (
                "good",
                language.text(
                    "Saved. Another author had changed other parts meanwhile: both changes are in the questionnaire.")
            )
        case "added":
            ("good", language.text("The question was added. Write it here; everything is saved with the form."))
        case "deleted": ("good", language.text("The question was deleted. Undo returns it."))
        case "sectionadded": ("good", language.text("The section was added. Questions come into it from the list."))
        case "sectiondeleted": ("good", language.text("The section was deleted; its questions stay. Undo returns it."))
        case "sectionalldeleted":
            ("good", language.text("The section was deleted with its questions. Undo returns them."))
        case "pasted": ("good", language.text("The rows were added as questions. Undo removes them."))
        case "copied": ("good", language.text("The questions were copied to the end. Undo removes them."))
        case "versiontaken":
            ("good", language.text("The draft has the text of that version now. Nothing is published yet."))
        case "undone": ("good", language.text("The last change was undone."))
        case "changed":
            (
                "warn",
                language.text(
                    "Someone else changed this questionnaire meanwhile. It is shown as it is now; look at it, then try again."
                )
            )
        default: nil
        }
    }
}
