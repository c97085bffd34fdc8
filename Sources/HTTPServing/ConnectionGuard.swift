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
    /// Whether a part of a response has been written, and not all of it.
    private var isAnswering = false
    private var isHeld = false
    /// The response to send after the earlier requests are answered; later bytes are not read.
    private var refusal: Refusal?
    private var isRefused = false
    /// The connection is closed after the response that is being made.
    private var isLast = false
    /// The request that is the last of the connection by its version: HTTP/1.0 (RFC 9112 section 9.3).
    private var last: LastRequest?
    private enum LastRequest { case arriving, arrived }
    private var context: ChannelHandlerContext?

    init(_ connections: ServerConnections) {
        self.connections = connections
        progress = ConnectionProgress(now: connections.now)
    }

    // MARK: The connection

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
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

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard connection == nil, !isRefused else { return }
        progress = ConnectionProgress(now: connections.now)
        let interval = TimeAmount.nanoseconds(Int64(connections.bounds.progressSeconds / 3 * 1e9))
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let channel = context.channel
        looks = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
            loopBound.value.look(channel)
        }
        connection = connections.admit(loopBound, from: address(context))
    }

    private func address(_ context: ChannelHandlerContext) -> String { context.remoteAddress?.ipAddress ?? "" }

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
        if refusal != nil || isLast && unanswered == 0 || last == .arrived { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            progress.receivedHead(now: connections.now)
            unanswered += 1
            if let fault = RequestFraming.fault(head) {
                refusal = Refusal(fault)
                return refuseIfNext(context)
            }
            isHeld = connections.holdsContent(
                RequestLine(
                    method: head.method.rawValue, target: head.uri,
                    contentType: head.headers.first(name: "Content-Type")))
            if RequestFraming.isOld(head) {
                last = .arriving
                // It knows no interim responses (RFC 9110 sections 10.1.1 and 15.2).
                head.headers.remove(name: "Expect")
            }
            if let authority = RequestFraming.authority(ofTarget: head.uri) {
                head.headers.replaceOrAdd(name: "Host", value: authority)
            }
            context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body(let bytes):
            progress.receivedContent(bytes.readableBytes, now: connections.now)
            if isHeld, let connection {
                connection.note(progress)
                connections.hold(bytes.readableBytes, for: connection, from: address(context))
            }
            context.fireChannelRead(data)
        case .end:
            progress.receivedEnd(now: connections.now)
            if last != nil { last = .arrived }
            context.fireChannelRead(data)
        }
        connection?.note(progress)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        context.fireChannelReadComplete()
        // Reads and drops the bytes that still come: closing with unread bytes resets the connection, and the client would not get the reply.
        if isRefused { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isRefused {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        var data = data
        var isEnd = false
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // Others are interim responses.
            isAnswering = head.status.code >= 200
            let isFinal = last != nil && unanswered == 1
            if isAnswering, isLast || isFinal {
                head.headers.replaceOrAdd(name: "Connection", value: "close")
                // It knows no chunks either: the end of the connection ends the content.
                if isFinal, !head.headers.contains(name: "Content-Length") { head.version = .http1_0 }
                data = wrapOutboundOut(.head(head))
            }
        case .body(let body): progress.wrote(body.readableBytes)
        case .end: isEnd = true
        }
        guard isEnd else {
            context.write(data, promise: promise)
            return
        }
        isAnswering = false
        unanswered = max(0, unanswered - 1)
        progress.answered(now: connections.now)
        connection?.note(progress)
        connections.answered(connection)
        guard isLast || last != nil, unanswered == 0 else {
            context.write(data, promise: promise)
            return refuseIfNext(context)
        }
        let written = promise ?? context.eventLoop.makePromise()
        context.writeAndFlush(data, promise: written)
        closeGently(context, after: written.futureResult)
    }

    // MARK: The end

    /// Answers with 503 and closes the connection when the client has read that, after `ConnectionBounds.leavingSeconds` at the
    /// latest. What is being answered is answered before.
    func turnAway(afterSeconds seconds: Int) {
        guard let context, refusal == nil, !isLast, !isRefused else { return }
        // It does not read what it has asked for, so it would not read this.
        if progress.isSending || isAnswering && !progress.isServersTurn { return close() }
        if progress.isServersTurn {
            isLast = true
            return
        }
        refusal = Refusal(overloadedFor: seconds)
        // It is about the request that is on its way.
        unanswered = max(1, unanswered)
        refuseIfNext(context)
    }

    func close() { context?.close(promise: nil) }

    private func refuseIfNext(_ context: ChannelHandlerContext) {
        guard let refusal, unanswered == 1 else { return }
        unanswered = 0
        let bytes = context.channel.allocator.buffer(bytes: refusal.body)
        context.write(wrapOutboundOut(.head(refusal.head(length: bytes.readableBytes))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        closeGently(context, after: context.writeAndFlush(wrapOutboundOut(.end(nil))))
    }

    /// Sends no more, and gives the client time to read what was sent.
    private func closeGently(_ context: ChannelHandlerContext, after written: EventLoopFuture<Void>) {
        isRefused = true
        looks?.cancel()
        looks = nil
        let channel = context.channel
        // In one direction: closing both would discard bytes that the client has not read yet.
        written.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.eventLoop.scheduleTask(in: .nanoseconds(Int64(ConnectionBounds.leavingSeconds * 1e9))) {
            channel.close(promise: nil)
        }
        context.read()
    }
}
