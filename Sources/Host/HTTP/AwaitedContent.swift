import HTTPTypes
import Hummingbird
import NIOCore

/// The content of a request whose client waits to be asked for it: it is asked when the content is first read. A request
/// that is refused by its head hears that alone.
struct AwaitedContent: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let content: RequestBody
    let channel: any Channel

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: RequestBody.AsyncIterator
        /// `nil` once the client was asked.
        fileprivate var channel: (any Channel)?

        mutating func next() async throws -> ByteBuffer? {
            channel?.triggerUserOutboundEvent(ContinueHandler.Event.contentIsWanted, promise: nil)
            channel = nil
            return try await pieces.next()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: content.makeAsyncIterator(), channel: channel) }
}

extension Request {
    /// The request with content that asks the client for it, where the client waits for that.
    func asking(on channel: any Channel) -> Request {
        guard headers[.expect]?.lowercased() == "100-continue" else { return self }
        var request = self
        request.body = RequestBody(asyncSequence: AwaitedContent(content: body, channel: channel))
        return request
    }
}
