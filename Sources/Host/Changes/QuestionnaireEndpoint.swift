import HTTPTypes
import Hummingbird
import Model

/// Answers requests for questionnaires, their list and their media. All calls block on the disk.
struct QuestionnaireEndpoint: Sendable {
    let catalog: QuestionnaireCatalog
    let cacheControl: String

    /// `GET questionnaires`
    func list(_ request: HostRequest) throws -> Response {
        let page = try PageRequest(request.query)
        let snapshot = try catalog.refresh()
        let (digests, mediaModified) = try catalog.mediaDigests(of: snapshot)
        // Over the whole collection, not this page: a 304 for the first page says that nothing at all has changed.
        let identity =
            "\(snapshot.digest.hex) \(Self.identity(of: digests, in: snapshot)) \(page.limit) \(page.after ?? "")"
        let representation = Representation(
            mediaType: "application/json",
            validators: Validators(
                tag: Digest(sha256Of: identity.utf8).hex, lastModified: max(snapshot.modified, mediaModified)),
            cacheControl: cacheControl)
        return try representation.response(to: request.fields) {
            let (entries, hasMore) = snapshot.page(after: page.after, limit: page.limit)
            let list = QuestionnaireList(
                questionnaires: entries.map { QuestionnaireList.Item($0, mediaDigests: digests) },
                next: hasMore ? entries.last.map { PageRequest.cursor(after: $0.id) } : nil)
            return (try DocumentCoding.encodeLine(list), nil)
        }
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
}
