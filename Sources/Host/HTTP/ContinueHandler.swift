import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Sends 100 (Continue) when the content of a request is wanted (RFC 9110 section 10.1.1).
final class ContinueHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Triggered in the connection of the request that is being answered.
    enum Event: Sendable { case contentIsWanted }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is Event else { return context.triggerUserOutboundEvent(event, promise: promise) }
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: promise)
    }
}
