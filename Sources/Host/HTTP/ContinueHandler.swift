import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Asks a waiting client to send its content (RFC 9110 section 10.1.1): at once, since content that is too long or
/// unwanted is rejected while it arrives.
///
/// A request that was sent before the reply to the one before it has its word after that reply.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var unanswered = 0
    /// Whether the last request's client waits.
    private var isAwaited = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let request) = unwrapInboundIn(data) {
            unanswered += 1
            isAwaited = request.headerFields[.expect]?.lowercased() == "100-continue"
            tell(context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part else { return }
        unanswered -= 1
        tell(context)
    }

    private func tell(_ context: ChannelHandlerContext) {
        guard isAwaited, unanswered == 1 else { return }
        isAwaited = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}
