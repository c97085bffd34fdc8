import NIOCore
import NIOHTTP1

/// A reply that breaks the rules in a way that the HTTP client below lets pass.
package enum ReplyFault: Error, Equatable, CustomStringConvertible {
    case status(UInt)
    case interim(limit: Int)
    case overhead(limitBytes: Int)
    case unasked

    package var description: String {
        switch self {
        case .status(let code): "the reply's status is \(code), which is none"
        case .interim(let limit): "more than \(limit) interim replies (1xx) came before the reply"
        case .overhead(let limit):
            "the reply has \(limit / 1024) KiB more of header fields, chunk sizes and chunk extensions than of content"
        case .unasked: "bytes came that no request had asked for"
        }
    }
}

/// The bytes that a connection received for the current reply. Used on the connection's event loop alone.
private final class ReplyCount {
    var receivedBytes = 0
    var contentBytes = 0
    var interimReplies = 0
    /// A request went out, and its reply has not ended.
    var isAwaited = false
    /// The reply ended within the bytes that the decoder is just being given, or with the last of them.
    var hasEnded = false

    func end() {
        (receivedBytes, contentBytes, interimReplies, isAwaited) = (0, 0, 0, false)
        hasEnded = true
    }
}

/// Limits the data that a server may send beside the content: none of it is stored, but it would be read for ever.
package enum ReplyGuard {
    package static let mostInterimReplies = 100
    /// A chunk of a single byte takes six on the wire: below this, small chunks are tolerated.
    package static let mostOverheadBytes = 256 << 10

    /// Puts the guards around the decoder of a connection of HTTP/1.1.
    package static func install(on channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let count = ReplyCount()
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(ReceivedBytesGuard(count), position: .before(decoder))
            try pipeline.addHandler(ReplyPartGuard(count), position: .after(decoder))
        }
    }
}

/// Counts the bytes as they arrive, and closes a connection on which bytes arrive without a request: they must not be
/// mistaken for the next request's reply (RFC 9112 section 9.2).
private final class ReceivedBytesGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let count: ReplyCount

    init(_ count: ReplyCount) { self.count = count }

    /// Whether a request has gone out over this connection before.
    private var isReused = false
    /// The last byte of a read, which the decoder has not been given yet.
    private var rest: ByteBuffer?

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = unwrapOutboundIn(data) {
            // A handshake may be under way on a new connection.
            if isReused, rest != nil || context.pipeline.syncOperations.hasUnreadBytes() {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return context.close(promise: nil)
            }
            (isReused, count.isAwaited) = (true, true)
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard count.isAwaited else {
            context.fireErrorCaught(ReplyFault.unasked)
            return context.close(promise: nil)
        }
        var bytes = unwrapInboundIn(data)
        let limit = ReplyGuard.mostOverheadBytes
        // Up to here, content counts once on the way and once in the reply. What comes now is not decoded yet, and may be long.
        if count.receivedBytes > 2 * count.contentBytes + limit {
            context.fireErrorCaught(ReplyFault.overhead(limitBytes: limit))
            context.close(promise: nil)
            return
        }
        count.receivedBytes += bytes.readableBytes
        // The decoder takes whatever it is given, and does not say what begins behind the end of a reply: with the last byte
        // alone, a reply that has ended before it is seen.
        if bytes.readableBytes > 1, let first = bytes.readSlice(length: bytes.readableBytes - 1) {
            rest = bytes
            context.fireChannelRead(wrapInboundOut(first))
            rest = nil
            if count.hasEnded { return context.close(promise: nil) }
        }
        context.fireChannelRead(wrapInboundOut(bytes))
        count.hasEnded = false
    }
}

/// Checks the parts of the replies, and joins those that arrived together: for the reader above, chunks of one byte
/// each cost as much as long ones.
private final class ReplyPartGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let count: ReplyCount
    /// Content that arrived since the last read of the socket.
    private var gathered: ByteBuffer?

    init(_ count: ReplyCount) { self.count = count }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelInactive()
    }

    private func handOn(_ context: ChannelHandlerContext) {
        guard let bytes = gathered else { return }
        gathered = nil
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The decoder failed at bytes after the end of the reply: the reply itself is whole.
        if !count.hasEnded { context.fireErrorCaught(error) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !count.hasEnded else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            let code = head.status.code
            // 101 changes the protocol, which was not requested; below 100 the client treats the reply as an interim
            // one, and as final at the same time.
            if code < 100 || code == 101 { return refuse(.status(code), context) }
            if code < 200 {
                count.interimReplies += 1
                if count.interimReplies > ReplyGuard.mostInterimReplies {
                    return refuse(.interim(limit: ReplyGuard.mostInterimReplies), context)
                }
            }
        case .body(var bytes):
            count.contentBytes += bytes.readableBytes
            if gathered?.writeBuffer(&bytes) == nil { gathered = bytes }
            return
        case .end: count.end()
        }
        handOn(context)
        context.fireChannelRead(data)
    }

    private func refuse(_ fault: ReplyFault, _ context: ChannelHandlerContext) {
        gathered = nil
        context.fireErrorCaught(fault)
        context.close(promise: nil)
    }
}
