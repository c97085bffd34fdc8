import AuthorDrafts
import Authoring
import Disk
import HTTPServing
import HTTPTypes
import Hummingbird
import Model
import NIOCore
import Quire

/// What this device's store gives to the screens on which questionnaires are written.
struct StoreAuthoring: AuthoringServices {
    let storeContext: StoreContext
    let language: Language
    let stylesheet: String
    let drafts: DraftStore

    /// - Throws: the errors of the disk.
    init(_ storeContext: StoreContext, _ language: Language, stylesheet: String) throws {
        self.storeContext = storeContext
        self.language = language
        self.stylesheet = stylesheet
        drafts = try storeContext.store.authoring.drafts()
    }

    static let root = "/write"

    private var store: QuireStore { storeContext.store }

    var root: String { Self.root }
    var home: String { Self.root }
    var takesMedia: Bool { true }
    var now: Timestamp { store.clock.now }

    func words(_ language: Language) -> [String: String] {
        [
            "questionnaires": language.text("My questionnaires"),
            "versionsTitle": language.text("Versions"),
            "versionsAbout": language.text(
                "What was published on this device, and what is here now. Earlier versions of other authors are at the server."
            ),
            "currentVersion": language.text("here now"),
            "firstVersion": language.text("This is the oldest version on this device."),
            "timesAbout": language.text(
                "Times are those of this device (\(LocalTime.names(from: now))). Leave a field empty for no limit."),
            "publishedMeanwhile": language.text(
                "The questionnaire was changed or deleted here after this draft was made from it, so nothing was published. If you publish now, your draft takes the place of that change."
            ),
        ]
    }

    func original(_ id: String) throws -> OriginalDocument? { try store.authoring.original(id) }

    func originals() throws -> [OriginalDocument] {
        try store.localQuestionnaires().all.keys.sorted().compactMap { try store.authoring.original($0) }
    }

    func hasMedia(_ path: ContentPath, of draft: TestID) throws -> Bool {
        if try drafts.hasMedia(path, of: draft) { return true }
        let medium = Media(path: path.description)
        if try store.shownMedia.place(of: medium, questionnaire: draft.description, remote: nil) != nil { return true }
        // What a questionnaire names already is on its way with it, or at the server.
        let known = try drafts.latest(draft)?.questionnaire.flatMap { try store.authoring.original($0) }
        return try ([known].compactMap(\.self) + originals()).contains { original in
            let document = try DocumentCoding.decode(JSONValue.self, from: original.bytes)
            return DraftDocument(document).names(medium: path.description)
        }
    }

    func media(_ path: String, of draft: TestID, _ fields: HTTPFields, isHead: Bool) throws -> Response? {
        if let own = ContentPath(path), let bytes = try drafts.media(own, of: draft) {
            let type = MediaType.of(fileName: own.fileName)
            return try MediaEndpoint.response(type, sizeBytes: Int64(bytes.count), range: fields[.range]) { part in
                let shown = part.map { bytes[Int($0.lowerBound)..<Int($0.upperBound)] } ?? bytes[...]
                return ResponseBody(byteBuffer: ByteBuffer(bytes: shown))
            }
        }
        guard let state = try drafts.latest(draft), DraftDocument(state.document).names(medium: path) else {
            return nil
        }
        let medium = Media(path: path)
        let place = try store.shownMedia.place(
            of: medium, questionnaire: state.questionnaire ?? draft.description, remote: storeContext.remote)
        return try MediaEndpoint(storeContext: storeContext).response(place, medium, range: fields[.range])
    }

    func publish(_ draft: AuthorDraft, replaces: Bool) throws -> DraftPublishing {
        try store.authoring.publish(draft, replaces: replaces)
    }

    func addressAfterPublishing(_ id: String) -> String { Self.root }

    func versions(of id: String) -> String? {
        // Where the disk fails, the screen fails, too; a link is nothing to fail for.
        guard let versions = try? store.authoring.writtenVersions(of: id), !versions.isEmpty else { return nil }
        return Self.root + "/of/" + PercentEncoding.encode(id)
    }

    func writtenVersions(of id: String) throws -> [WrittenVersion] { try store.authoring.writtenVersions(of: id) }

    func affected(_ id: String?, _ document: DraftDocument, _ difference: VersionDifference?) throws -> [String] {
        var sentences = [language.text("It can be taken on this device at once.")]
        sentences.append(
            storeContext.remote == nil
                ? language.text("No server is set: it stays on this device until one is.")
                : language.text("It is sent to the server with the next sync, and others get it from there."))
        guard let id else { return sentences }
        sentences.append(
            language.text(
                "Tests that are under way are finished on the version they began with; those that begin later get the new one."
            ))
        if try !store.authoring.isWrittenHere(id) {
            sentences.append(
                language.text(
                    "If it has right answers at the server, they are not shown here and stay as they are. Right answers that you give here replace all of them."
                ))
        }
        return sentences
    }
}
