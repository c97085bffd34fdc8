import HTTPTypes

/// A response: its status and fields, and its body as it comes.
public struct HTTPReply: Sendable {
    public var head: HTTPResponse
    public var body: HTTPBody
    /// Set where the cache alone has made it, and its content is in memory.
    public var lease: ReplyLease?

    public init(head: HTTPResponse, body: HTTPBody = .empty) {
        self.head = head
        self.body = body
    }
}

/// Asks the server itself: a client of the caller's.
///
/// The contract:
/// - It returns when the final response's head is there; the body is pulled afterwards, from another task perhaps.
/// - Interim responses (1xx) are passed to `interim` as they come, before it returns.
/// - Where there is no response it throws `RemoteFailure`, whose kind tells whether the server was reached.
/// - The body is as it came, with its content coding, without its transfer coding.
public typealias Origin =
    @Sendable (
        _ request: HTTPRequest, _ body: HTTPBody, _ interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async throws -> HTTPReply
