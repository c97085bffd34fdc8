import AuthorDrafts
import HTTPServing
import Model

/// The versions of a questionnaire that were published here: a list, what each changed, and a draft of one.
struct WrittenVersionScreens {
    let writing: WritingRouter
    private let original: OriginalDocument
    private let versions: [WrittenVersion]

    private var context: AuthoringContext { writing.context }
    private var language: Language { context.language }

    /// - Throws: `AuthoringError.notFound` where nothing of the id is here.
    init(_ writing: WritingRouter, _ id: String) throws {
        guard let original = try writing.context.services.original(id) else { throw AuthoringError.notFound }
        self.writing = writing
        self.original = original
        versions = try writing.context.services.writtenVersions(of: original.id)
        if versions.isEmpty { throw AuthoringError.notFound }
    }

    /// - Parameter root: the address of the screens.
    static func path(_ root: String, _ id: String, _ version: String = "") -> String {
        "\(root)/of/" + PercentEncoding.encode(id) + (version.isEmpty ? "" : "/" + version)
    }

    private func href(_ version: String = "") -> String { Self.path(context.services.root, original.id, version) }

    /// - Parameter path: the components after the questionnaire's id.
    func answer(_ path: [String]) throws -> AuthoringReply {
        switch (path.first, context.request.method == .post) {
        case (nil, false): return writing.shown(try list())
        case (let name?, false) where path.count == 1: return writing.shown(try one(name))
        case (let name?, true) where path.count == 1: return try makeDraft(of: name)
        default: throw AuthoringError.notFound
        }
    }

    private func title() throws -> String { try DraftDocument(bytes: original.bytes).title }

    private func list() throws -> AuthoringScreens.Content {
        let title = try title()
        return AuthoringScreens.Content(
            template: .writtenversions, title: title,
            model: [
                "title": title,
                "versions": versions.map { version -> [String: any Sendable] in
                    ["name": name(version), "href": href(version.name), "current": version.isCurrent]
                },
            ])
    }

    private func one(_ name: String) throws -> AuthoringScreens.Content {
        guard let place = versions.firstIndex(where: { $0.name == name }) else { throw AuthoringError.notFound }
        let version = versions[place]
        let (title, shown) = (try title(), try DraftDocument(bytes: version.bytes))
        let words = DifferenceWords(language: language)
        let hasDraft = try draft() != nil
        var model: [String: any Sendable] = [
            "title": title, "heading": self.name(version), "listHref": href(), "action": href(name),
            "current": version.isCurrent, "hasDraft": hasDraft, "isFirst": true,
        ]
        if versions.indices.contains(place + 1) {
            let before = try DraftDocument(bytes: versions[place + 1].bytes)
            model["isFirst"] = false
            model["before"] = words.model(VersionDifference(from: before, to: shown))
        }
        model["beforeEmpty"] = (model["before"] as? [[String: any Sendable]])?.isEmpty ?? false
        if !version.isCurrent {
            let now = try DraftDocument(bytes: original.bytes)
            let since = words.model(VersionDifference(from: shown, to: now))
            model["since"] = since
            model["sinceEmpty"] = since.isEmpty
        }
        return AuthoringScreens.Content(template: .draftversion, title: title, model: model)
    }

    private func name(_ version: WrittenVersion) -> [String: any Sendable] {
        version.writtenAt.map { TimedText.model($0) } ?? TimedText.plain(language.text("from the server"))
    }

    private func draft() throws -> AuthorDraft? {
        try context.services.drafts.readable().drafts.first { $0.questionnaire == original.id }
    }

    /// A version becomes a draft; nothing is published by it.
    private func makeDraft(of name: String) throws -> AuthoringReply {
        guard let version = versions.first(where: { $0.name == name }) else { throw AuthoringError.notFound }
        var taken = try DraftDocument(bytes: version.bytes)
        // Closed now, it stays closed: the old version's times are over.
        taken.members["availability"] = try DraftDocument(bytes: original.bytes).members["availability"]
        let document = taken.json
        let (draft, isSaved) = try context.services.drafts.take(
            document, draft(), of: original, by: context.request.author)
        return .seeOther(context.path(draft) + "?said=" + (isSaved ? "versiontaken" : "changed"))
    }
}
