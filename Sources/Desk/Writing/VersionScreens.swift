import AuthorDrafts
import Authoring
import HTTPServing
import Host
import Model

/// The published versions of a questionnaire, and whether it is open.
struct VersionScreens {
    let context: DeskContext
    /// The host's id.
    let id: String
    let versions: [VersionOfFile]

    private var language: Language { context.language }

    /// - Throws: `DeskError` when nothing of the id is published.
    init(_ context: DeskContext, _ id: String) throws {
        guard let original = try context.services.original(id) else { throw DeskError.notFound(context.language) }
        self.context = context
        self.id = original.id
        versions = try context.services.versions(of: original.id)
    }

    static func path(_ id: String, _ screen: String = "") -> String {
        "\(DeskAuthoring.root)/of/" + PercentEncoding.encode(id) + (screen.isEmpty ? "" : "/" + screen)
    }

    func document(_ version: VersionOfFile) throws -> DraftDocument {
        try DraftDocument(bytes: version.bytes)
    }

    var current: VersionOfFile? { versions.first { $0.isCurrent } }

    private func title() throws -> String { try current.map { try document($0).title } ?? id }

    // MARK: Screens

    func list() throws -> DeskScreens.Content {
        let title = try title()
        var model: [String: any Sendable] = [
            "title": title, "action": Self.path(id),
            "versions": versions.enumerated().map { place, version -> [String: any Sendable] in
                [
                    "name": name(version), "href": Self.path(id, version.digest.hex), "current": version.isCurrent,
                    "by": by(version) ?? false,
                ]
            },
        ]
        if let current { try addAvailability(document(current), to: &model) }
        var content = DeskScreens.Content(template: .draftversions, title: title, model: model)
        switch context.request.query["said"] {
        case "closed": content.said = ("good", language.text("It is closed."))
        case "reopened": content.said = ("good", language.text("It is open again."))
        default: break
        }
        return content
    }

    private func addAvailability(_ document: DraftDocument, to model: inout [String: any Sendable]) throws {
        let now = context.services.clock.now
        let isClosed = document.isClosed(at: now)
        let fields = SettingsFields(document)
        model["closed"] = isClosed
        model["availability"] =
            document.closesAt.map { time in
                TimedText.model(time) {
                    isClosed ? language.text("Closed since \($0).") : language.text("Open until \($0).")
                }
            } ?? TimedText.plain(language.text("Open, without an end."))
        let late = [
            ("accept", language.text("is accepted")), ("mark", language.text("is accepted and marked as late")),
            ("refuse", language.text("is refused")),
        ]
        // Closed, and taken all the same, is what few mean by it.
        let chosen = fields.late == "accept" ? "mark" : fields.late
        model["lates"] = late.map {
            ["value": $0.0, "name": $0.1, "current": $0.0 == chosen] as [String: any Sendable]
        }
        model["affected"] = try AffectedWords(context: context).sentences(id, document, nil).map { ["text": $0] }
    }

    func one(_ hex: String) throws -> DeskScreens.Content {
        guard let place = versions.firstIndex(where: { $0.digest.hex == hex }) else {
            throw DeskError.notFound(language)
        }
        let version = versions[place]
        let (title, shown) = (try title(), try document(version))
        let words = DifferenceWords(language: language)
        let hasDraft = try context.services.drafts.all().contains { $0.questionnaire == id }
        var model: [String: any Sendable] = [
            "homeHref": "/desk/", "title": title, "heading": name(version), "by": by(version) ?? false,
            "listHref": Self.path(id),
            "action": Self.path(id, hex), "current": version.isCurrent, "hasDraft": hasDraft, "isFirst": true,
        ]
        if versions.indices.contains(place + 1) {
            model["isFirst"] = false
            model["before"] = words.model(VersionDifference(from: try document(versions[place + 1]), to: shown))
        }
        model["beforeEmpty"] = (model["before"] as? [[String: any Sendable]])?.isEmpty ?? false
        if !version.isCurrent, let current {
            let since = words.model(VersionDifference(from: shown, to: try document(current)))
            model["since"] = since
            model["sinceEmpty"] = since.isEmpty
        }
        return DeskScreens.Content(template: .draftversion, title: title, model: model)
    }

    private func name(_ version: VersionOfFile) -> [String: any Sendable] {
        version.publishedAt.map { TimedText.model($0) } ?? TimedText.plain(language.text("at an unknown time"))
    }

    private func by(_ version: VersionOfFile) -> String? {
        version.publishedBy.map { language.text("published by \($0)") }
    }
}
