import HTTPCaching
import HTTPTypes
import Hummingbird
import Logging
import Model
import Synchronization
import WireFormat

/// Answers requests for questionnaires, their list and their media. All calls block on the disk.
struct QuestionnaireEndpoint: Sendable {
    let catalog: QuestionnaireCatalog
    let register: ChangeRegister
    let cacheControl: String
    let logger: Logger
    private let states = ListStates()

    init(catalog: QuestionnaireCatalog, register: ChangeRegister, cacheControl: String, logger: Logger) {
        self.catalog = catalog
        self.register = register
        self.cacheControl = cacheControl
        self.logger = logger
    }

    /// `GET questionnaires`
    func list(_ request: HostRequest) throws -> Response {
        let page = try PageRequest(request.query)
        var seen: CatalogSnapshot?
        let numbers = page.after == nil ? numbers(&seen) : nil
        let snapshot = try seen ?? catalog.refresh()
        let (digests, mediaModified) = try catalog.mediaDigests(of: snapshot)
        var cacheControl = cacheControl
        if let since = request.query["since"] {
            // A device that may not keep the list has to hear so: the answer with changes does not say it.
            if let numbers, !CacheControl(cacheControl).noStore,
                let changes = changes(since: since, request, numbers, snapshot, digests, limit: page.limit)
            {
                return try Self.response(changes, request)
            }
            // An address that no other request has.
            cacheControl = "no-store"
        }
        // Over the whole collection, not this page: a 304 for the first page says that nothing at all has changed.
        let identity =
            "\(snapshot.digest.hex) \(Self.identity(of: digests, in: snapshot)) \(page.limit) \(page.after ?? "")"
            + (numbers.map { " \($0.register) \($0.sequence)" } ?? "")
        let representation = Representation(
            mediaType: "application/json",
            validators: Validators(
                tag: Digest(sha256Of: identity.utf8).hex, lastModified: max(snapshot.modified, mediaModified)),
            cacheControl: cacheControl)
        return try representation.response(to: request.fields) {
            let (entries, hasMore) = snapshot.page(after: page.after, limit: page.limit)
            let list = QuestionnaireList(
                questionnaires: entries.map { QuestionnaireList.Item($0, mediaDigests: digests) },
                next: hasMore ? entries.last.map { PageRequest.cursor(after: $0.id) } : nil,
                register: numbers?.register, last: numbers?.sequence)
            return (try DocumentCoding.encodeLine(list), nil)
        }
    }

    /// The register, by which a client asks for what has changed since; `nil` where it cannot be had: the list goes out without.
    ///
    /// - Parameter seen: what is published as of these numbers.
    private func numbers(_ seen: inout CatalogSnapshot?) -> ChangeRegister.Content? {
        do {
            return try register.observe {
                let snapshot = try catalog.refresh()
                seen = snapshot
                return snapshot
            }
        } catch {
            logger.warning("\(error)")
            return nil
        }
    }

    /// The list of changes after a number; `nil` where the whole list is answered instead: the number is of another register, or
    /// too much has changed.
    private func changes(
        since text: String, _ request: HostRequest, _ numbers: ChangeRegister.Content, _ snapshot: CatalogSnapshot,
        _ digests: [MediaPath: Digest], limit: Int
    ) -> QuestionnaireList? {
        guard let since = Int(text), (0...numbers.sequence).contains(since),
            request.query["register"] == numbers.register
        else { return nil }
        let entries = numbers.items.values.filter { $0.sequence > since && $0.kind != .deleted }
            .compactMap { snapshot.entry(id: $0.questionnaire) }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
        guard entries.count <= limit, entries.count * Self.fewestTimesShorter <= max(snapshot.entries.count, 40) else {
            return nil
        }
        var list = QuestionnaireList(
            questionnaires: entries.map { QuestionnaireList.Item($0, mediaDigests: digests) },
            register: numbers.register, last: numbers.sequence)
        list.since = since
        list.state = states.state(of: snapshot, digests)
        return list
    }

    /// A list of changes has at most this part of the questionnaires, or ten.
    private static let fewestTimesShorter = 4

    private static func response(_ list: QuestionnaireList, _ request: HostRequest) throws -> Response {
        let bytes = try DocumentCoding.encodeLine(list)
        let representation = Representation(
            mediaType: "application/json", validators: Validators(tag: Digest(sha256Of: bytes).hex),
            cacheControl: "no-store")
        return try representation.response(to: request.fields) { (bytes, nil) }
    }

    /// Changes with any media file.
    private static func identity(of digests: [MediaPath: Digest], in snapshot: CatalogSnapshot) -> String {
        guard !digests.isEmpty else { return "" }
        var builder = DigestBuilder()
        for path in snapshot.mediaPaths {
            let digest = digests[path]?.bytes ?? []
            digest.withUnsafeBytes { builder.update($0) }
            Array(path.reference.utf8 + [0]).withUnsafeBytes { builder.update($0) }
        }
        return builder.finish().hex
    }

    /// `GET questionnaires/{id}`, or a media file directly in the folder.
    func document(_ id: String, _ request: HostRequest) throws -> Response {
        guard let (entry, published) = try catalog.document(id: id) else {
            if let response = try media([id], request) { return response }
            throw Problem.notFound("There is no questionnaire with the id “\(id.prefix(200))”.")
        }
        let representation = Representation(
            mediaType: "application/json",
            validators: Validators(tag: entry.digest.hex, lastModified: entry.modified), cacheControl: cacheControl)
        return try representation.response(to: request.fields) {
            let prefersGzip = ContentCoding.prefersGzip(acceptEncoding: request.fields[.acceptEncoding])
            return (published.content, prefersGzip ? try catalog.gzip(of: published, for: entry) : nil)
        }
    }

    /// `GET questionnaires/{path}`
    func media(at components: [String], _ request: HostRequest) throws -> Response {
        guard let response = try media(components, request) else {
            throw Problem.notFound("No questionnaire names such a file, or it is not there.")
        }
        return response
    }

    private func media(_ components: [String], _ request: HostRequest) throws -> Response? {
        guard let path = MediaPath(components: components), let file = try catalog.media(path) else { return nil }
        return file.response(to: request.fields, isHead: request.method == .head, cacheControl: cacheControl)
    }
}

/// A page of the list of questionnaires.
struct QuestionnaireList: Encodable {
    struct Item: Encodable {
        var id: String
        var title: String
        var description: String
        var locale: String?
        var updatedAt: Timestamp?
        var questionCount: Int
        var sizeBytes: Int
        var digest: Digest
        var etag: String
        /// Relative to the list's own URL.
        var url: String
        var media: [String]?
        /// Known digests, by the same references.
        var mediaDigests: [String: Digest]?

        init(_ entry: CatalogEntry, mediaDigests digests: [MediaPath: Digest] = [:]) {
            id = entry.id
            title = entry.title
            description = entry.description
            locale = entry.locale
            updatedAt = entry.updatedAt
            questionCount = entry.questionCount
            sizeBytes = entry.sizeBytes
            digest = entry.digest
            etag = Validators(tag: entry.digest.hex).eTag(gzip: false)
            url = "questionnaires/" + PercentEncoding.encode(entry.id)
            media = entry.media.isEmpty ? nil : entry.media.map { "questionnaires/" + $0.reference }
            let known = entry.media.compactMap { path in
                digests[path].map { ("questionnaires/" + path.reference, $0) }
            }
            mediaDigests = known.isEmpty ? nil : Dictionary(known) { first, _ in first }
        }
    }

    var questionnaires: [Item]
    var next: String?
    /// The change register and the number of its last change, on the first page only.
    var register: String?
    var last: Int?
    /// Where these are only what has changed since this number: what the whole list says now.
    var since: Int?
    var state: Digest?
}

/// Remembers the digest of the last whole list: computing it takes milliseconds for ten thousand questionnaires, and many
/// clients ask for the same one.
private final class ListStates: Sendable {
    private struct Known {
        var identity: CatalogSnapshot.Identity
        var digests: [MediaPath: Digest]
        var state: Digest
    }

    private let known = Mutex<Known?>(nil)

    func state(of snapshot: CatalogSnapshot, _ digests: [MediaPath: Digest]) -> Digest {
        if let known = known.withLock({ $0 }), known.identity == snapshot.identity, known.digests == digests {
            return known.state
        }
        var state = ListState()
        for entry in snapshot.entries {
            let item = QuestionnaireList.Item(entry, mediaDigests: digests)
            state.add(id: item.id, digest: item.digest, mediaDigests: item.mediaDigests)
        }
        let digest = state.digest()
        known.withLock { $0 = Known(identity: snapshot.identity, digests: digests, state: digest) }
        return digest
    }
}
