import Disk
import FoundationEssentials
import HTTPCaching
import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage

/// Store-and-forward for the devices' tests (docs/protocol.md): they are kept durably before anything else, then
/// forwarded; the upstream's own receipt is passed down as soon as there is one.
final class TestRelay: Sendable {
    private let store: QuireStore
    private let upstream: Upstream
    private let arrivals: Arrivals
    private let lock: LockFile
    let queue: ForwardingQueue

    /// So long a device waits for the upstream; then it hears that its test is kept here.
    private let patience: Duration
    static let usualPatience = Duration.seconds(10)
    static let maximumBytes = 4 << 20

    /// - Throws: `HubError.storeInUse`, `FileError`.
    init(store: QuireStore, upstream: Upstream, patience: Duration = TestRelay.usualPatience) throws {
        self.store = store
        self.upstream = upstream
        self.patience = patience
        let fileSystem = try POSIXFileSystem(root: store.path)
        arrivals = Arrivals(fileSystem: fileSystem)
        try arrivals.makeFolders()
        try store.outbox.makeFolders()
        guard let lock = try LockFile.acquire(HubLayout.lock, in: fileSystem, wait: false) else {
            throw HubError.storeInUse(store.path.string)
        }
        self.lock = lock
        let remote = RelayRemote(upstream: upstream, arrivals: arrivals, clock: store.clock)
        queue = ForwardingQueue(store: store, arrivals: arrivals, remote: remote, presence: upstream.presence)
    }

    /// Forwards what waits, until the task is cancelled.
    func run() async {
        upstream.startProbing()
        await queue.run()
        lock.release()
    }

    /// - Parameter path: as the client sees it.
    /// - Returns: `nil` when the request is not about a test that the hub has to do with.
    func reply(to request: HTTPRequest, path: String, body: HTTPBody) async throws -> HTTPReply? {
        switch TestRoute(request.method, path) {
        case .delivery(let id): try await put(id, request, body)
        case .receipt(let id): try await receipt(id, request)
        case .receipts(let ids): try await receipts(ids, request)
        case .other: nil
        }
    }

    // MARK: Taking a test

    private func put(_ id: TestID, _ request: HTTPRequest, _ body: HTTPBody) async throws -> HTTPReply {
        let bytes = try await SubmittedTest.bytes(of: id, request.headerFields, body)
        let authorization = upstream.hasToken ? nil : request.headerFields[.authorization]
        let (acceptance, isNewSecret) = try await offload { [self] in
            let former = arrivals.arrival(of: id)
            // Before the test: one that is found in `done` has its secret beside it.
            let isNew = former == nil || former?.authorization != authorization
            if isNew {
                try arrivals.note(
                    Arrival(keptAt: former?.keptAt ?? store.clock.now, authorization: authorization), of: id)
            }
            return (try store.outbox.accept(id, bytes: bytes), isNew)
        }
        switch acceptance {
        case .different(let status):
            throw HubProblem(
                409, "The hub has test \(id) with other bytes (\(status.rawValue)), and keeps them.",
                kind: "different-content", title: "Other answers are stored under this id")
        case .known(let status) where status.isDelivered:
            if let receipt = try store.outbox.receipt(OutboxItem(id: id, status: status)) {
                return try RelayReply.receipt(receipt, status: .ok)
            }
        case .known(.rejected), .known(.conflict):
            // The device tries again: so does the hub.
            try await offload { [self] in try store.outbox.retry(id) }
        case .known(.done) where isNewSecret:
            try await offload { [self] in try store.outbox.retry(id) }
        case .taken, .known: break
        }
        let digest = Digest(sha256Of: bytes)
        for _ in 0..<2 {
            if await upstream.isWorthTrying(), let reply = await queue.forward(id, patience: patience),
                let answer = RelayReply.final(reply, id, digest, now: store.clock.now)
            {
                return answer
            }
            // What was told to an earlier request may have been settled only now: a receipt is passed on, and after a
            // refusal the device tries again, so the hub does.
            guard let item = try await offload({ [self] in try store.outbox.find(id) }) else { break }
            if item.status.isDelivered, let receipt = try store.outbox.receipt(item) {
                return try RelayReply.receipt(receipt, status: .ok)
            }
            guard item.status == .rejected || item.status == .conflict else { break }
            try await offload { [self] in try store.outbox.retry(id) }
        }
        return try kept(id, digest)
    }

    private func kept(_ id: TestID, _ digest: Digest) throws -> HTTPReply {
        try RelayReply.kept(keptReceipt(id, digest))
    }

    private func keptReceipt(_ id: TestID, _ digest: Digest) -> KeptReceipt {
        KeptReceipt(test: id, digest: digest, keptAt: arrivals.arrival(of: id)?.keptAt ?? store.clock.now)
    }

    // MARK: Telling what became of it

    /// What the hub itself knows of a test.
    private enum Own {
        case delivered(Receipt)
        case kept(KeptReceipt)
    }

    private func own(_ id: TestID) throws -> Own? {
        guard let item = try store.outbox.find(id) else { return nil }
        if item.status.isDelivered { return try store.outbox.receipt(item).map { .delivered($0) } }
        guard item.status.isWaiting else { return nil }
        do {
            return .kept(keptReceipt(id, try store.outbox.read(item).digest))
        } catch OutboxError.notFound {
            // It moved on in this moment.
            return try own(id)
        }
    }

    private func receipt(_ id: TestID, _ request: HTTPRequest) async throws -> HTTPReply? {
        guard let own = try await offload({ [self] in try own(id) }) else { return nil }
        if await upstream.isWorthTrying(), let reply = try? await upstream.exchange(request, .empty, { _ in }),
            reply.head.status.code == 200 || reply.head.status.code == 304 || reply.head.status.code == 401
        {
            return reply
        }
        switch own {
        case .delivered(let receipt): return try RelayReply.receipt(receipt, status: .ok)
        case .kept(let kept): return try RelayReply.kept(kept)
        }
    }

    private struct ReceiptList: Codable {
        var receipts: [JSONValue]
        var kept: [KeptReceipt]?
    }

    private func receipts(_ ids: [TestID], _ request: HTTPRequest) async throws -> HTTPReply? {
        let own = try await offload { [self] in
            try ids.reduce(into: [TestID: Own]()) { own, id in own[id] = try self.own(id) }
        }
        // What the hub has nothing to do with is the upstream's matter alone.
        if own.isEmpty { return nil }
        var receipts: [TestID: JSONValue] = [:]
        if await upstream.isWorthTrying() {
            var request = request
            for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince, .acceptEncoding] {
                request.headerFields[name] = nil
            }
            if let reply = try? await upstream.exchange(request, .empty, { _ in }) {
                if reply.head.status.code == 401 { return reply }
                let bytes = try? await reply.body.collect(maximumBytes: RelayRemote.longestReceiptBytes * 4)
                if reply.head.status.code == 200, let bytes,
                    let list = try? DocumentCoding.decode(ReceiptList.self, from: bytes)
                {
                    for receipt in list.receipts {
                        if case .object(let members) = receipt, case .string(let text) = members["test"],
                            let id = TestID(text)
                        {
                            receipts[id] = receipt
                        }
                    }
                }
            }
        }
        var answer = ReceiptList(receipts: [], kept: [])
        for id in ids {
            if let receipt = receipts[id] {
                answer.receipts.append(receipt)
                continue
            }
            switch own[id] {
            case .delivered(let receipt):
                let bytes = try DocumentCoding.encode(receipt)
                answer.receipts.append(try DocumentCoding.decode(JSONValue.self, from: bytes))
            case .kept(let kept): answer.kept?.append(kept)
            case nil: break
            }
        }
        return try RelayReply.json(answer, status: .ok, cacheControl: "private, no-cache")
    }
}

/// Which requests are about tests.
private enum TestRoute {
    case delivery(TestID)
    case receipt(TestID)
    case receipts([TestID])
    case other

    init(_ method: HTTPRequest.Method, _ path: String) {
        let prefix = "/v1/tests/"
        if path.hasPrefix(prefix), let id = TestID(path.dropFirst(prefix.count)) {
            switch method {
            case .put: self = .delivery(id)
            case .get: self = .receipt(id)
            default: self = .other
            }
            return
        }
        let question = "/v1/tests?ids="
        if method == .get, path.hasPrefix(question) {
            let list = path.dropFirst(question.count).replacing("%2C", with: ",").replacing("%2c", with: ",")
            let ids = list.split(separator: ",").map { TestID($0) }
            // What is not a list of ids is the upstream's to refuse.
            if ids.count <= 200, ids.allSatisfy({ $0 != nil }) {
                self = .receipts(ids.compactMap { $0 })
                return
            }
        }
        self = .other
    }
}
