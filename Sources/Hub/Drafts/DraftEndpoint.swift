import Disk
import HTTPMessages
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import WireFormat

/// `/_hub/drafts`: where phones hand over their drafts, encrypted, and get them back (docs/hub.md). The hub answers by itself; a
/// person's code proves whose they are.
struct DraftEndpoint: Sendable {
    let store: QuireStore
    let drafts: DraftStore
    let keys: DeviceKeys
    let bounds: DraftBounds
    private let arrivals: DraftArrivals

    init(store: QuireStore, drafts: DraftStore, keys: DeviceKeys, bounds: DraftBounds) {
        self.store = store
        self.drafts = drafts
        self.keys = keys
        self.bounds = bounds
        arrivals = DraftArrivals(bounds)
    }

    static let path = "/_hub/drafts"
    /// The counter of a draft's changes.
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let revision = HTTPField.Name("Quire-Revision")!

    /// Whether a path, without its query, is meant.
    static func isAt(_ path: String) -> Bool {
        let path = path.prefix { $0 != "?" }
        return path == Self.path || path.hasPrefix(Self.path + "/")
    }

    private struct List: Encodable {
        struct Item: Encodable {
            var test: TestID
            var file: TestID?
            var revision: Int64
            var sizeBytes: Int
            var digest: Digest
            var changedAt: Timestamp
        }

        var drafts: [Item]
    }

    func reply(to head: RequestHead, path: String, body: HTTPBody) async throws -> HTTPReply {
        let target = path.prefix { $0 != "?" }
        let isList = target == Self.path || target == Self.path + "/"
        let methods = isList ? "GET, HEAD" : "GET, HEAD, PUT, DELETE"
        guard [.get, .head].contains(head.method) || !isList && [.put, .delete].contains(head.method) else {
            throw HubProblem.notAllowed(
                "A draft can be read, written and deleted, and their list read.", allowed: methods)
        }
        let person = try await keys.person(of: head.fields[.authorization])
        if isList { return try await list(of: person) }
        guard let id = DraftID(path: target.dropFirst(Self.path.count + 1)) else {
            throw HubProblem(404, "A draft's address is \(Self.path)/ and the UUID of its test.")
        }
        switch head.method {
        case .put:
            try arrivals.begin(of: person)
            defer { arrivals.end(of: person) }
            return try await put(id, of: person, head.fields, body)
        case .delete:
            try await offload { try drafts.remove(id, of: person) }
            return Self.reply(.noContent)
        default:
            guard let draft = try await offload({ try drafts.draft(id, of: person) }) else {
                throw HubProblem(
                    404, "The hub has no such draft of this person.", kind: "no-draft", title: "No such draft")
            }
            return Self.reply(
                .ok,
                [
                    .contentType: "application/octet-stream", .xContentTypeOptions: "nosniff",
                    .contentDigest: DigestField.format(Digest(sha256Of: draft.bytes)),
                    Self.revision: String(draft.revision),
                ], draft.bytes)
        }
    }

    private func list(of person: String) async throws -> HTTPReply {
        // It waits for a draft that is being written.
        let items = try await offload { drafts.items(of: person) }.map { id, item in
            List.Item(
                test: id.test, file: id.file, revision: item.revision, sizeBytes: item.sizeBytes,
                digest: item.digest, changedAt: item.changedAt)
        }
        let sorted = items.sorted {
            ($0.test, $0.file == nil ? 0 : 1, $0.file?.description ?? "")
                < ($1.test, $1.file == nil ? 0 : 1, $1.file?.description ?? "")
        }
        let bytes = try DocumentCoding.encode(List(drafts: sorted))
        return Self.reply(.ok, [.contentType: "application/json"], bytes)
    }

    private func put(_ id: DraftID, of person: String, _ fields: HTTPFields, _ body: HTTPBody) async throws -> HTTPReply
    {
        guard let revision = fields[Self.revision].flatMap({ Int64($0) }), revision > 0 else {
            throw HubProblem(400, "Quire-Revision says how often the draft was changed: a number from 1.")
        }
        guard (fields[.contentEncoding] ?? "identity").lowercased() == "identity" else {
            throw HubProblem(415, "A draft is sent as it is, without a content coding.")
        }
        // Before its bytes come.
        if try await isHandedIn(id.test) { throw Self.handedIn }
        let tooLarge = HubProblem(
            413, "A draft, and each of its files, has at most \(bounds.itemBytes) bytes here.", kind: "draft-too-large",
            title: "The draft is too large")
        if let length = body.length, length > Int64(bounds.itemBytes) { throw tooLarge }
        var bytes: [UInt8] = []
        while let part = try await body.next() {
            guard case .bytes(let more) = part else { continue }
            guard bytes.count + more.count <= bounds.itemBytes else { throw tooLarge }
            bytes += more
        }
        try SubmittedContent.check(bytes, fields[.contentDigest])
        let draft = DraftStore.Draft(revision: revision, bytes: bytes)
        switch try await offload({ try drafts.put(draft, id, of: person) }) {
        case .keep: break
        case .known: return Self.reply(.noContent)
        case .tooLarge: throw tooLarge
        case .stale(let stored):
            var problem = HubProblem(
                409, "The hub has revision \(stored) of this draft, and keeps it.", kind: "stale-draft",
                title: "A newer draft is stored")
            problem.headerFields[Self.revision] = String(stored)
            throw problem
        case .personFull:
            throw HubProblem(
                507, "The hub keeps no more drafts of this person: finish or discard some.", kind: "drafts-full",
                title: "No room for more drafts")
        case .hubFull:
            throw HubProblem(
                507, "The hub keeps no more drafts: the space for them is full.", kind: "drafts-full",
                title: "No room for more drafts")
        }
        // It may have been handed in while it came. Where that cannot be read now, it stays: the next start looks again.
        if try await isHandedIn(id.test) {
            try await offload { try drafts.remove(DraftID(id.test), of: person) }
            throw Self.handedIn
        }
        return Self.reply(.created)
    }

    /// A test that was handed in is no draft any more, on whatever device one is left.
    private func isHandedIn(_ test: TestID) async throws -> Bool {
        try await offload { try store.outbox.find(test) } != nil
    }

    private static let handedIn = HubProblem(
        409, "This test was handed in already: a draft of it is not kept.", kind: "handed-in",
        title: "The test was handed in")

    private static func reply(
        _ status: HTTPResponse.Status, _ more: HTTPFields = [:], _ bytes: [UInt8] = []
    ) -> HTTPReply {
        var fields = more
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"drafts\""
        return HTTPReply(
            head: HTTPResponse(status: status, headerFields: fields),
            body: bytes.isEmpty ? .empty : HTTPBody(bytes: bytes))
    }
}
