import CacheStore
import HTTPTypes
import Model

/// Where questionnaires come from and answers go.
///
/// The contract, which every implementation is tested against:
/// - Everything in a remote is named by URLs; its answers have a status code, fields and a body, as in HTTP (RFC 9110),
///   also if the remote is a folder. So one cache and one delivery decision serve all.
/// - Conditional requests (If-None-Match, If-Modified-Since) are supported: a 304 has no body.
/// - `put` is idempotent: the same bytes under the same id give the same receipt, other bytes give 409. Whatever was
///   acknowledged (2xx with a receipt) is stored durably.
/// - A call without a reply throws `RemoteFailure`, which says whether the request may have arrived.
public protocol Remote: Sendable {
    /// The URL of the first page of the list of questionnaires.
    var listURL: String { get }
    /// The URL of a questionnaire.
    func documentURL(id: String) -> String

    /// Whether the remote is reachable, determined at once and without traffic.
    func presence() -> Presence

    /// Asks with one small request whether it is the remote that answers: a network may answer everything with a page to
    /// log in on. `nil` when nothing speaks against going on.
    func probe() async -> RemoteFailure?

    /// Reads a URL of this remote.
    ///
    /// - Parameter maximumBytes: a longer body is refused.
    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply
    /// Reads a URL of this remote piece by piece, as it arrives: for content too long for memory.
    ///
    /// - Parameter maximumBytes: a longer body is rejected: at once if its length is stated, else when the limit is
    ///   reached.
    func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply
    /// Delivers a test: its file's bytes under its id.
    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply
    /// Delivers something else: a questionnaire that was created, edited or deleted, a favourite. As idempotent and as
    /// durable as `put`; the receipt names the change. 412 when the remote has another version than `etag`.
    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply
    /// Whether it accepts a change based on one that it only keeps (202): a host that imports both from there finds the
    /// version that the second is based on. Otherwise the second one waits for the receipt of the first.
    var keepsSuccessors: Bool { get }
    /// Delivers an attachment, going on where an earlier upload ended. As idempotent and as durable as `put`: the same
    /// digest under the same id gives the same receipt, which names the change.
    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply
    /// Reads the remote's version of a change's subject.
    func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply
    /// Asks for the state of tests, or changes; the body is `{"receipts": […]}` with those that the remote knows.
    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply
    /// Says which tests are open here, in place of what this sender said before. It is advice: it is never repeated, and changes no
    /// test. `nil` where the remote has no place for it.
    ///
    /// - Parameters:
    ///   - progress: a report as docs/protocol.md, section 12, has it.
    ///   - sender: the id of this device.
    func report(_ progress: [UInt8], from sender: String) async throws(RemoteFailure) -> RemoteReply?
    /// Advice for an unreadable list of questionnaires.
    var listAdvice: String { get }
    /// Ends connections.
    nonisolated(nonsending) func shutdown() async
}

extension Remote {
    public nonisolated(nonsending) func shutdown() async {}
    public func probe() async -> RemoteFailure? { nil }
    public var keepsSuccessors: Bool { false }
    public func report(_ progress: [UInt8], from sender: String) async throws(RemoteFailure) -> RemoteReply? { nil }
    public var listAdvice: String { "is a login page in between?" }

    /// In one piece, and so limited to content that fits into memory.
    public func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply {
        let bound = min(maximumBytes, Int64(Cache.maximumContentBytes))
        var reply = try await get(url, fields: fields, maximumBytes: Int(bound))
        let body = HTTPBody(bytes: reply.body)
        reply.body = []
        return StreamedReply(head: reply, body: body)
    }
}

/// A reply whose body arrives piece by piece.
public struct StreamedReply: Sendable {
    /// The reply without its body. `responseTime` is when its fields were there.
    package var head: RemoteReply
    package var body: HTTPBody

    package init(head: RemoteReply, body: HTTPBody) {
        self.head = head
        self.body = body
    }
}

/// The reachability of a remote as known without using it.
public enum Presence: Hashable, Sendable {
    /// The remote is there, as seen from here.
    case certain
    /// Nothing speaks against trying.
    case likely
    /// Unreachable: no route, no such folder, no listener.
    case away(String)
}

/// A reply of a remote.
public struct RemoteReply: Hashable, Sendable {
    package var status: Int
    package var fields: HTTPFields
    package var body: [UInt8]
    /// When the request was sent and when the reply was complete, by this machine's clock.
    package var requestTime: Timestamp
    package var responseTime: Timestamp
    /// For a large one: the next large one is read when this one is no longer in memory.
    package var turn: ReplyTurn?

    package init(
        status: Int, fields: HTTPFields, body: [UInt8], requestTime: Timestamp, responseTime: Timestamp
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// The turn of a large reply; it ends with its last use.
package final class ReplyTurn: Hashable, Sendable {
    private let end: @Sendable () -> Void

    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    package static func == (left: ReplyTurn, right: ReplyTurn) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

/// A request without a reply.
public struct RemoteFailure: DescribedError, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// No connection: the request did not leave this machine.
        case unreachable
        /// The connection ended, or the time ran out, before the reply was complete.
        case interrupted
        /// The server answered that it cannot now: 408, 425, 429, 5xx (RFC 9110 section 15, RFC 6585).
        case unavailable
        /// The server refuses the token, or wants one: 401.
        case tokenRefused
        /// Another page answers in the place of the remote.
        case notTheServer
        /// The reply breaks the rules or its bounds.
        case invalidReply
        /// This side gave up.
        case cancelled
    }

    public let kind: Kind
    public let reason: String
    /// Whether a connection that had been kept ended before anything came, with nothing taken of the request's body: the
    /// same request may be sent once more (RFC 9112 section 9.3.1).
    public let mayBeRepeated: Bool

    public init(_ kind: Kind, _ reason: String, mayBeRepeated: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.mayBeRepeated = mayBeRepeated
    }

    public var description: String { reason }
    public var mayHaveArrived: Bool { kind != .unreachable }
}
