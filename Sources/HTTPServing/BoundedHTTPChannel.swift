import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// Hummingbird's connections of HTTP/1.1, each behind a guard.
struct BoundedHTTPChannel: ServerChildChannel {
    let plain: HTTP1Channel
    let connections: ServerConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        let connections = connections
        return plain.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(ConnectionGuard(connections), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await plain.handle(value: value, logger: logger) }
}

extension HTTPServerBuilder {
    /// A server of HTTP/1.1 that keeps within bounds: so many connections, heads that are right (RFC 9112), deadlines for
    /// clients that make no progress or say nothing.
    package static func bounded(
        _ connections: ServerConnections,
        handlers: @escaping @Sendable () -> [any RemovableChannelHandler] = { [] }
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            let configuration = HTTP1Channel.Configuration(
                additionalChannelHandlers: handlers(), idleTimeout: .seconds(connections.bounds.idleSeconds))
            return BoundedHTTPChannel(
                plain: HTTP1Channel(responder: responder, configuration: configuration), connections: connections)
        }
    }
}
