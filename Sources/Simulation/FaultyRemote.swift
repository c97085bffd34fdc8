import HTTPCaching
import HTTPTypes
import Model
import Sync
import Synchronization

/// A remote in memory that behaves like the reference host, except where it is told to fail.
///
///     let remote = FaultyRemote(clock: clock)
///     remote.publish("q-1", #"{"id": "q-1", "title": "…", "questions": []}"#)
///     remote.respond { request in request.isPut ? .cutAfterStoring : nil }
///     …
///     remote.respond { _ in nil }                 // well again
///     #expect(remote.tests.count == 1)
public final class FaultyRemote: Remote {
    public static let origin = "https://host.example"

    public let clock: ManualClock
    public let listURL = FaultyRemote.origin + "/v1/questionnaires"
    /// Questionnaires on a page of the list.
    public let pageSize: Int
    let state: Mutex<State>

    struct State {
        fileprivate var resources: [String: Resource] = [:]
        /// Ids in the order of the list.
        var listed: [String] = []
        var tests: [TestID: [UInt8]] = [:]
        var arrivals: [TestID] = []
        var receipts: [TestID: Receipt] = [:]
        /// The server's ids by those that devices gave.
        var localIDs: [String: String] = [:]
        var favorites: Set<String> = []
        var carriedOut: [TestID] = []
        /// Attachments that arrived whole, and those that are under way.
        var media: [Digest: [UInt8]] = [:]
        var listsDigests = true
        var listsMediaDigests = false
        var uploads: [TestID: [UInt8]] = [:]
        var uploadedBytes = 0
        var statusOnArrival = TestStatus.sent
        var longestReceiptListBytes = Int.max
        var requests: [RemoteRequest] = []
        var presence = Presence.likely
        var fault: @Sendable (RemoteRequest) -> RemoteFault? = { _ in nil }

        /// Whether a questionnaire that is there names this file.
        func names(_ path: ContentPath) -> Bool {
            resources.values.contains { (try? Questionnaire(json: $0.body))?.contentPaths.contains(path) == true }
        }
    }

    fileprivate struct Resource {
        var body: [UInt8]
        var mediaType: String
        var cacheControl: String
        var media: [String] = []
        var etag: String { "\"\(Digest(sha256Of: body).hex.prefix(16))\"" }
    }

    public init(clock: ManualClock, pageSize: Int = 100) {
        self.clock = clock
        self.pageSize = pageSize
        state = Mutex(State())
    }

    /// Another host that holds the same, well and reachable: what a crash of the device does not touch.
    public func copy() -> FaultyRemote {
        let copy = FaultyRemote(clock: clock, pageSize: pageSize)
        var content = state.withLock { $0 }
        content.fault = { _ in nil }
        content.presence = .likely
        let copied = content
        copy.state.withLock { $0 = copied }
        return copy
    }

    // MARK: - What tests do to it

    /// Decides what goes wrong with each request from now on; `nil` for nothing.
    public func respond(_ fault: @escaping @Sendable (RemoteRequest) -> RemoteFault?) {
        state.withLock { $0.fault = fault }
    }

    public func setPresence(_ presence: Presence) { state.withLock { $0.presence = presence } }

    /// Puts a questionnaire on the list, or a new version in its place.
    public func publish(
        _ id: String, _ json: String, cacheControl: String = "max-age=60", media: [String] = []
    ) {
        let resource = Resource(
            body: Array(json.utf8), mediaType: "application/json", cacheControl: cacheControl, media: media)
        state.withLock { state in
            state.resources[documentURL(id: id)] = resource
            if !state.listed.contains(id) { state.listed.append(id) }
        }
    }

    /// Puts something else there: a picture, or what a list says it has.
    public func publish(
        url: String, bytes: [UInt8], mediaType: String = "image/png", cacheControl: String = "max-age=60"
    ) {
        let resource = Resource(body: bytes, mediaType: mediaType, cacheControl: cacheControl)
        state.withLock { $0.resources[url] = resource }
    }

    /// Says what the list tells of documents and of what they show.
    public func setList(digests: Bool = true, mediaDigests: Bool = false) {
        state.withLock { ($0.listsDigests, $0.listsMediaDigests) = (digests, mediaDigests) }
    }

    /// Takes a questionnaire from the list and away.
    public func withdraw(_ id: String) {
        state.withLock { state in
            state.resources[documentURL(id: id)] = nil
            state.listed.removeAll { $0 == id }
        }
    }

    /// Goes back to a state without some tests, as a host does that is restored from an older backup.
    public func loseTests(_ lost: Set<TestID>) {
        state.withLock { state in
            for id in lost {
                state.tests[id] = nil
                state.receipts[id] = nil
            }
            state.media = [:]
        }
    }

    /// The longest list of receipts that the device takes.
    public func setLongestReceiptList(bytes: Int) { state.withLock { $0.longestReceiptListBytes = bytes } }

    /// What an arriving test becomes.
    public func setStatusOnArrival(_ status: TestStatus) { state.withLock { $0.statusOnArrival = status } }

    /// A teacher goes on with a test.
    public func advance(_ id: TestID, to status: TestStatus, evaluation: Evaluation? = nil) {
        state.withLock { state in
            state.receipts[id]?.status = status
            state.receipts[id]?.evaluation = evaluation
        }
    }

    // MARK: - What tests look up

    /// The tests that are stored: each id once, with its bytes.
    public var tests: [TestID: [UInt8]] { state.withLock { $0.tests } }
    /// The same ids in the order in which they came.
    public var arrivals: [TestID] { state.withLock { $0.arrivals } }
    /// The changes that were carried out, in their order: each id once.
    public var carriedOut: [TestID] { state.withLock { $0.carriedOut } }
    public var favorites: Set<String> { state.withLock { $0.favorites } }
    /// The ids of the questionnaires on the list.
    public var listed: [String] { state.withLock { $0.listed } }
    public func document(_ id: String) -> [UInt8]? {
        state.withLock { state in state.resources[documentURL(id: state.localIDs[id] ?? id)]?.body }
    }
    public var requests: [RemoteRequest] { state.withLock { $0.requests } }
    public func forgetRequests() { state.withLock { $0.requests = [] } }

    // MARK: - Remote

    public func documentURL(id: String) -> String {
        var name = ""
        for byte in id.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: name.unicodeScalars.append(.init(byte))
            default: name += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return listURL + "/" + name
    }

    public func presence() -> Presence { state.withLock { $0.presence } }

    public func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await answer(.init(kind: .get(url), fields: fields)) { (state) throws(RemoteFailure) in
            var url = url
            if url.hasPrefix(self.listURL + "/"),
                let named = state.localIDs[String(url.dropFirst(self.listURL.count + 1))]
            {
                url = self.documentURL(id: named)
            }
            let reply = try self.find(url, fields, &state)
            if reply.body.count > maximumBytes { throw RemoteFailure(.invalidReply, "the reply is too long") }
            return reply
        }
    }

    public func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        try await answer(.init(kind: .put(test, digest))) { state in self.store(test, bytes, digest, &state) }
    }

    public func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        try await answer(.init(kind: .send(delivery.change.id, delivery.change.action))) { state in
            self.carryOut(delivery, &state)
        }
    }

    public func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        try await answer(.init(kind: .receipts(tests))) { (state) throws(RemoteFailure) in
            let reply = self.json(200, ["receipts": tests.compactMap { state.receipts[$0] }])
            if reply.body.count > state.longestReceiptListBytes {
                throw RemoteFailure(.invalidReply, "the list of receipts is too long")
            }
            return reply
        }
    }

    // MARK: - The host

    private func find(_ url: String, _ fields: HTTPFields, _ state: inout State) throws(RemoteFailure) -> RemoteReply {
        var resource = state.resources[url]
        if resource == nil, url == listURL || url.hasPrefix(listURL + "?cursor=") {
            resource = page(Int(url.dropFirst(listURL.count + 8)) ?? 0, state)
        }
        guard let resource else { return problem(404, "there is nothing at \(url)") }
        // The first page's tag stands for the whole list.
        let pages = stride(from: 0, to: state.listed.count, by: pageSize)
        let whole = url == listURL ? pages.flatMap { page($0, state).body } : []
        let etag = url == listURL ? "\"\(Digest(sha256Of: whole).hex)\"" : resource.etag
        var reply = self.reply(200, resource.body, resource.mediaType)
        reply.fields[.eTag] = etag
        reply.fields[.cacheControl] = resource.cacheControl
        if let condition = fields[.ifNoneMatch], Validators.ifNoneMatch(condition, matches: etag) {
            reply.status = 304
            reply.body = []
        }
        return reply
    }

    private struct Page: Encodable {
        struct Item: Encodable {
            var id: String
            var title: String
            var url: String
            var digest: Digest?
            var media: [String]
            var mediaDigests: [String: Digest]?
        }
        var questionnaires: [Item]
        var next: String?
    }

    private func page(_ start: Int, _ state: State) -> Resource {
        let ids = state.listed.dropFirst(start).prefix(pageSize)
        let items = ids.map { id in
            let resource = state.resources[documentURL(id: id)]
            let media = resource?.media ?? []
            let digests = media.compactMap { url in
                state.resources[url].map { (url, Digest(sha256Of: $0.body)) }
            }
            return Page.Item(
                id: id, title: id, url: documentURL(id: id),
                digest: state.listsDigests ? Digest(sha256Of: resource?.body ?? []) : nil, media: media,
                mediaDigests: state.listsMediaDigests ? Dictionary(digests) { first, _ in first } : nil)
        }
        let end = start + ids.count
        let page = Page(questionnaires: items, next: end < state.listed.count ? String(end) : nil)
        return Resource(body: encoded(page), mediaType: "application/json", cacheControl: "no-cache")
    }

    private func store(_ test: TestID, _ bytes: [UInt8], _ digest: Digest, _ state: inout State) -> RemoteReply {
        guard Digest(sha256Of: bytes) == digest else { return problem(400, "the bytes are not those of the digest") }
        if let stored = state.tests[test] {
            guard stored == bytes else { return problem(409, "another version of this test is here") }
            return json(200, state.receipts[test])
        }
        state.tests[test] = bytes
        state.arrivals.append(test)
        state.receipts[test] = Receipt(test: test, digest: digest, status: state.statusOnArrival, receivedAt: clock.now)
        return json(201, state.receipts[test])
    }

    private func carryOut(_ delivery: ChangeDelivery, _ state: inout State) -> RemoteReply {
        let change = delivery.change
        if let known = state.receipts[change.id] {
            return known.digest == change.contentDigest ? json(200, known) : problem(409, "another change is here")
        }
        var published = Publication(id: state.localIDs[change.questionnaire] ?? change.questionnaire)
        switch change {
        case .media: return problem(400, "attachments are uploaded")
        case .favorite(let favorite):
            if favorite.favorite {
                state.favorites.insert(published.id)
            } else {
                state.favorites.remove(published.id)
            }
        case .questionnaire(let questionnaire):
            let url = documentURL(id: published.id)
            let current = state.resources[url]
            // What is gone already need not be deleted again.
            let isGone = questionnaire.action == .delete && current == nil
            guard current?.etag == delivery.etag || questionnaire.policy == .client || isGone else {
                var reply = problem(412, "another version is here")
                reply.fields[.eTag] = current?.etag
                return reply
            }
            if let document = questionnaire.document {
                if questionnaire.action == .create {
                    published.id = "made-\(state.localIDs.count + 1)"
                    state.localIDs[questionnaire.questionnaire] = published.id
                    state.listed.append(published.id)
                }
                var resource = Resource(body: document, mediaType: "application/json", cacheControl: "max-age=60")
                if let named = try? QuestionnaireChange.document(document, named: published.id) {
                    resource.body = named
                }
                state.resources[documentURL(id: published.id)] = resource
                published.etag = resource.etag
                published.digest = Digest(sha256Of: resource.body)
            } else {
                let id = published.id
                state.resources[url] = nil
                state.listed.removeAll { $0 == id }
                published.deleted = true
            }
        }
        let receipt = Receipt(
            test: change.id, digest: change.contentDigest, status: .sent, receivedAt: clock.now, action: change.action,
            published: published)
        state.receipts[change.id] = receipt
        state.carriedOut.append(change.id)
        return json(201, receipt)
    }

    /// Logs a request, lets happen what is planned for it, and does the host's work where it gets that far.
    func answer(
        _ request: RemoteRequest, _ work: (inout State) throws(RemoteFailure) -> RemoteReply
    ) async throws(RemoteFailure) -> RemoteReply {
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.fault(request)
        }
        switch fault {
        case nil: return try state.withLock { (state) throws(RemoteFailure) in try work(&state) }
        case .unreachable: throw RemoteFailure(.unreachable, "nobody answers at \(FaultyRemote.origin)")
        case .cutBeforeStoring: throw RemoteFailure(.interrupted, "the connection ended")
        case .cutAfterStoring:
            _ = try state.withLock { (state) throws(RemoteFailure) in try work(&state) }
            throw RemoteFailure(.interrupted, "the connection ended")
        case .status(let status, let fields, let detail):
            var reply = problem(status, detail)
            for field in fields { reply.fields[field.name] = field.value }
            return reply
        case .reply(let status, let mediaType, let body, let fields):
            var reply = self.reply(status, body, mediaType)
            for field in fields { reply.fields[field.name] = field.value }
            return reply
        case .receipt(let receipt): return json(201, receipt)
        case .hang:
            // Nothing wakes it but its cancellation.
            do { try await clock.sleep(for: .seconds(1 << 40)) } catch {}
            throw RemoteFailure(.cancelled, "given up")
        }
    }

    // MARK: - Replies

    private func reply(_ status: Int, _ body: [UInt8], _ mediaType: String) -> RemoteReply {
        let now = clock.now
        var fields = HTTPFields()
        fields[.contentType] = mediaType
        fields[.date] = HTTPDate.format(now)
        return RemoteReply(status: status, fields: fields, body: body, requestTime: now, responseTime: now)
    }

    func json(_ status: Int, _ value: some Encodable) -> RemoteReply {
        reply(status, encoded(value), "application/json")
    }

    func problem(_ status: Int, _ detail: String) -> RemoteReply {
        let type = ProtocolMarks.typePrefix + "simulated"
        return reply(
            status, encoded(["type": type, "title": "Problem", "detail": detail]), "application/problem+json")
    }

    private func encoded(_ value: some Encodable) -> [UInt8] {
        do { return try DocumentCoding.encode(value) } catch {
            preconditionFailure("a fake that cannot encode: \(error)")
        }
    }
}
