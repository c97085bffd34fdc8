import Disk
import NIOCore
import NIOHTTP1
import WireFormat

/// Stands between a connection and what answers its requests: it counts the connection, refuses heads that are wrong, and
/// disconnects a client that makes no progress.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let connections: ServerConnections
    private var connection: ServerConnections.Connection?
    private var progress: ConnectionProgress
    private var looks: RepeatedTask?
    private var isReading = false
    private var unanswered = 0
    /// The response to send after the earlier requests are answered; later bytes are not read.
    private var refusal: RequestFraming?

    init(_ connections: ServerConnections) {
        self.connections = connections
        progress = ConnectionProgress(now: connections.now)
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func begin(_ context: ChannelHandlerContext) {
        guard connection == nil else { return }
        connection = connections.admit(context.channel, from: context.remoteAddress?.ipAddress ?? "")
        if connection == nil { return context.close(promise: nil) }
        progress = ConnectionProgress(now: connections.now)
        let interval = TimeAmount.nanoseconds(Int64(connections.bounds.progressSeconds / 3 * 1e9))
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let channel = context.channel
        looks = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            loopBound.value.look(channel)
        }
    }

    private func end() {
        looks?.cancel()
        looks = nil
        if let connection { connections.remove(connection) }
        connection = nil
    }

    private func look(_ channel: any Channel) {
        let waiting = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        let isStalled = progress.isStalled(
            waitingBytes: waiting, isReading: isReading, seconds: connections.bounds.progressSeconds,
            now: connections.now)
        connection?.note(progress)
        if isStalled { channel.close(promise: nil) }
    }

    // MARK: Requests

    func read(context: ChannelHandlerContext) {
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Bytes after a rejected request are not read as a request.
        if refusal != nil { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            progress.receivedHead(now: connections.now)
            unanswered += 1
            if let fault = RequestFraming.fault(head) {
                refusal = fault
                return refuseIfNext(context)
            }
            if let authority = RequestFraming.authority(ofTarget: head.uri) {
                head.headers.replaceOrAdd(name: "Host", value: authority)
                context.fireChannelRead(wrapInboundOut(.head(head)))
            } else {
                context.fireChannelRead(data)
            }
        case .body(let bytes):
            progress.receivedContent(bytes.readableBytes, now: connections.now)
            context.fireChannelRead(data)
        case .end:
            progress.receivedEnd(now: connections.now)
            context.fireChannelRead(data)
        }
        connection?.note(progress)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isEnd = false
        switch unwrapOutboundIn(data) {
        case .head: break
        case .body(let body): progress.wrote(body.readableBytes)
        case .end: isEnd = true
        }
        context.write(data, promise: promise)
        guard isEnd else { return }
        unanswered = max(0, unanswered - 1)
        progress.answered(now: connections.now)
        connection?.note(progress)
        refuseIfNext(context)
    }

    private func refuseIfNext(_ context: ChannelHandlerContext) {
        guard let refusal, unanswered == 1 else { return }
        unanswered = 0
        let bytes = context.channel.allocator.buffer(bytes: refusal.document)
        let fields: HTTPHeaders = [
            "Content-Type": ProblemDocument.mediaType, "Content-Length": "\(bytes.readableBytes)",
            "Cache-Control": "no-store", "Connection": "close",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: refusal.status, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        let channel = context.channel
        // In one direction: closing both would discard bytes that the client has not read yet.
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(mode: .output, promise: nil)
        }
    }
}
