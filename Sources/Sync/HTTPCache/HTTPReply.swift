import HTTPTypes

/// A response: its status and fields, and its body as it comes.
public struct HTTPReply: Sendable {
    public var head: HTTPResponse
    public var body: HTTPBody
    /// False if the body does not match its fields: it is sent to its requester, and not stored.
    package var mayBeKept = true

    public init(head: HTTPResponse, body: HTTPBody = .empty) {
        self.head = head
        self.body = body
    }

    /// The reply with the length that its head states (RFC 9112 section 6.3) where the body does not say it.
    ///
    /// With a Content-Encoding the field is not believed: some clients unpack the body and leave the fields as they were.
    func withStatedLength(isHead: Bool) -> HTTPReply {
        let fields = head.headerFields
        guard body.length == nil, !isHead, ![204, 304].contains(head.status.code),
            !fields.contains(.transferEncoding), !fields.contains(.contentEncoding),
            let stated = Set(fields[values: .contentLength]).first, Set(fields[values: .contentLength]).count == 1,
            let length = Int64(stated), length >= 0, stated.utf8.first != UInt8(ascii: "+")
        else { return self }
        var reply = self
        reply.body = body.stating(length)
        return reply
    }
}

/// Asks the server itself: a client of the caller's.
///
/// The contract:
/// - It returns when the final response's head has arrived; the body is pulled afterwards, perhaps from another task.
/// - Interim responses (1xx) are passed to `interim` as they come, before it returns.
/// - Without a response it throws `RemoteFailure`, whose kind says whether the server was reached. The cache then
///   serves a stale response, or answers 502 or 504. Any other error is the client's own, and is thrown to the caller.
/// - The body is as it came, with its content coding, without its transfer coding. Its length is stated where it is known;
///   where the body does not say it, a Content-Length in the head counts, unless there is a Content-Encoding.
/// - It supports cancellation: it is cancelled when no client waits for the answer any more.
public typealias Origin =
    @Sendable (
        _ request: HTTPRequest, _ body: HTTPBody, _ interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async throws -> HTTPReply
