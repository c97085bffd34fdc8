import AuthorDrafts
import Authoring
import Disk
import HTTPTypes
import Host
import Hummingbird
import Model

/// The host's side of the screens on which questionnaires are written.
struct DeskAuthoring: AuthoringServices {
    let context: DeskContext
    let stylesheet: String

    private var services: HostServices { context.services }

    static let root = "/desk/write"

    /// The address of a draft.
    static func path(_ draft: TestID) -> String { "\(root)/\(draft)" }

    var root: String { Self.root }
    var home: String { "/desk/" }
    var takesMedia: Bool { true }
    var drafts: DraftStore { services.drafts }
    var now: Timestamp { services.clock.now }

    func words(_ language: Language) -> [String: String] {
        [
            "timesAbout": language.text(
                "Times are those of the host (\(LocalTime.names(from: now))). Leave a field empty for no limit."),
            "publishedMeanwhile": language.text(
                "The published questionnaire was changed after this draft was made from it, so nothing was published. If you publish now, that change is replaced; the host keeps the version."
            ),
        ]
    }

    func original(_ id: String) throws -> OriginalDocument? { try services.original(id) }

    func originals() throws -> [OriginalDocument] {
        try services.questionnaires().compactMap { try services.original($0.id) }
    }

    func hasMedia(_ path: ContentPath, of draft: TestID) throws -> Bool { try services.hasMedia(path, of: draft) }

    func media(_ path: String, of draft: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response? {
        try services.media(path, of: draft, fields, isHead: isHead)
    }

    func publish(_ draft: AuthorDraft, replaces: Bool) throws -> DraftPublishing {
        try services.publish(draft, by: context.request.session.name, replaces: replaces)
    }

    func addressAfterPublishing(_ id: String) -> String { "/desk/?published=" + PercentEncoding.encode(id) }

    func versions(of id: String) -> String? { VersionScreens.path(id) }

    func affected(_ id: String?, _ document: DraftDocument, _ difference: VersionDifference?) throws -> [String] {
        guard let id else {
            return [
                context.language.text(
                    "Everyone who may take tests on this host gets the questionnaire with their next update.")
            ]
        }
        return try AffectedWords(context: context).sentences(id, document, difference)
    }
}

extension DeskContext {
    /// The request as those screens have it.
    func authoring(_ screens: DeskScreens) -> AuthoringContext {
        AuthoringContext(
            request: AuthoringRequest(
                method: request.method, query: request.query, form: request.form, file: request.file,
                fields: request.fields, language: language, author: request.session.name,
                formToken: request.session.formToken),
            services: DeskAuthoring(context: self, stylesheet: screens.assets.stylesheet))
    }
}
