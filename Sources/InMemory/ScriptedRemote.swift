import HTTPCaching
import HTTPTypes
import Model
import Sync
import Synchronization
import WireFormat

/// A host in memory that is offline, slow or failing at will, and otherwise behaves as a host does.
///
///     let clock = ManualClock()
///     let remote = ScriptedRemote(clock: clock)
///     try remote.publish(json: document)
///     remote.set(.offline)                        // or .slow(.seconds(30)), .failing(status: 503)
///     …
///     remote.respond { request in request.isPut ? .cutAfterStoring : nil }
///     …
///     remote.set(.online)
///     #expect(remote.tests.count == 1)
///
/// It keeps the contract of `Remote`. It does not rate: `advance(_:to:evaluation:)` is the teacher.
public final class ScriptedRemote: Remote {
    /// The address for the settings of a store that belongs to it.
    package static let origin = "https://host.example"

    /// Dates its replies, and measures a slow one.
    package let clock: any StoreClock
    public let listURL = ScriptedRemote.origin + APIPath.questionnaires.text
    /// Questionnaires on a page of the list.
    let pageSize: Int
    let state: Mutex<State>

    struct State {
        var resources: [String: Resource] = [:]
        /// Ids in the order of the list.
        var listed: [String] = []
        var tests: [TestID: [UInt8]] = [:]
        var arrivals: [TestID] = []
        var receipts: [TestID: Receipt] = [:]
        /// The server's ids by those that devices gave.
        var localIDs: [String: String] = [:]
        var favorites: Set<String> = []
        var carriedOut: [TestID] = []
        /// Attachments that are complete, and those that are under way.
        var media: [Digest: [UInt8]] = [:]
        /// The name of the register of changes; `nil` for a host that numbers none.
        var register: String?
        var sequence = 0
        /// The numbers of the last changes, by the ids of their questionnaires.
        var numbers: [String: Int] = [:]
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

    struct Resource {
        var body: [UInt8]
        var mediaType: String
        var cacheControl: String
        var title: String?
        var media: [String] = []
        var etag: String { "\"\(Digest(sha256Of: body).hex.prefix(16))\"" }
    }

    /// - Parameters:
    ///   - clock: with a `ManualClock`, time passes when a test says so.
    ///   - pageSize: questionnaires on a page of the list.
    public init(clock: any StoreClock, pageSize: Int = 100) {
        self.clock = clock
        self.pageSize = pageSize
        state = Mutex(State())
    }

    // MARK: - The script

    /// How the remote behaves from now on; a script set by `respond` ends.
    public func set(_ condition: RemoteCondition) {
        state.withLock { state in
            state.presence = condition == .offline ? .away("there is no network") : .likely
            state.fault = { _ in
                switch condition {
                case .online: nil
                case .offline: .unreachable
                case .slow(let duration): .delay(duration)
                case .failing(let status): .status(status)
                }
            }
        }
    }

    /// Decides what goes wrong with each request from now on; `nil` for nothing.
    public func respond(_ fault: @escaping @Sendable (RemoteRequest) -> RemoteFault?) {
        state.withLock { $0.fault = fault }
    }

    /// Publishes a questionnaire, or a new version of the one with its id.
    ///
    /// Its answer key is left out, as a host does.
    ///
    /// - Throws: `DocumentFault` for what no host publishes.
    public func publish(json: [UInt8]) throws {
        let questionnaire = try AnswerKey.checkedQuestionnaire(json: json)
        let url = documentURL(id: questionnaire.id)
        let media = questionnaire.media.compactMap { Fetcher.mediaURL($0, documentURL: url) }
        let content = try JSONText(checking: json).removing(AnswerKey.memberNames)
        publish(
            questionnaire.id, String(decoding: content, as: UTF8.self), title: questionnaire.title, media: media)
    }

    /// Publishes a picture, sound or film.
    ///
    /// - Parameter path: as questionnaires name it, like `media/map.png`.
    public func publish(media bytes: [UInt8], at path: String, mediaType: String) {
        guard let url = Fetcher.mediaURL(Media(path: path), documentURL: documentURL(id: "any")) else { return }
        publish(url: url, bytes: bytes, mediaType: mediaType)
    }

    /// Removes a questionnaire.
    public func withdraw(_ id: String) {
        state.withLock { state in
            state.resources[documentURL(id: id)] = nil
            state.listed.removeAll { $0 == id }
            state.sequence += 1
        }
    }

    /// Moves a test on, as a teacher does who rates it.
    public func advance(_ id: TestID, to status: TestStatus, evaluation: Evaluation? = nil) {
        state.withLock { state in
            state.receipts[id]?.status = status
            state.receipts[id]?.evaluation = evaluation
        }
    }

    /// The host's receipt changes in another way.
    package func change(_ id: TestID, _ body: (inout Receipt) -> Void) {
        state.withLock { state in
            if var receipt = state.receipts[id] {
                body(&receipt)
                state.receipts[id] = receipt
            }
        }
    }

    // MARK: - What arrived

    /// The tests that are stored: each id once, with its bytes.
    public var tests: [TestID: [UInt8]] { state.withLock { $0.tests } }
    /// The same ids in the order in which they came.
    public var arrivals: [TestID] { state.withLock { $0.arrivals } }
    /// The attachments that are complete, by their digest.
    public var media: [Digest: [UInt8]] { state.withLock { $0.media } }
    /// Those of the questionnaires that are favourites.
    public var favorites: Set<String> { state.withLock { $0.favorites } }
    /// All requests since the start, or since `forgetRequests`.
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
            guard url.hasPrefix(Self.origin + "/") || state.resources[url] != nil else {
                throw RemoteFailure(.invalidReply, "\(url) is not on this remote, \(Self.origin)")
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

    /// Logs a request, plays what the script has for it, and does the host's work where it gets that far.
    func answer(
        _ request: RemoteRequest, _ work: (inout State) throws(RemoteFailure) -> RemoteReply
    ) async throws(RemoteFailure) -> RemoteReply {
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.fault(request)
        }
        switch fault {
        case nil: return try state.withLock { (state) throws(RemoteFailure) in try work(&state) }
        case .unreachable: throw RemoteFailure(.unreachable, "\(ScriptedRemote.origin) does not answer")
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
        case .delay(let duration):
            do { try await clock.sleep(for: duration) } catch { throw RemoteFailure(.cancelled, "given up") }
            return try state.withLock { (state) throws(RemoteFailure) in try work(&state) }
        case .hang:
            // Nothing wakes it but its cancellation.
            do { try await clock.sleep(for: .seconds(1 << 40)) } catch {}
            throw RemoteFailure(.cancelled, "given up")
        }
    }
}
