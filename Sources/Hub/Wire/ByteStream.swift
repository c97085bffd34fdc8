import Disk
import NIOCore
import Networking
import Synchronization

/// A connection as a stream of bytes: it is read on demand and written as fast as the peer receives, which gives
/// back-pressure.
///
/// Any task may call it; its state lives on the connection's event loop.
// Proof: every stored variable is touched on the event loop alone: the handler's calls come from there, and all others
// go through `onLoop`.
final class ByteStream: ChannelInboundHandler, LedgerConnection, @unchecked Sendable {
    typealias InboundIn = ByteBuffer

    let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var buffer = ByteBuffer()
    /// The other side sends no more.
    private var isEnded = false
    private var isClosed = false
    private var fault: (any Error)?

    /// The waiting reader: tries again, and returns whether it got its answer.
    private var reader: (() -> Bool)?
    private var failReader: ((any Error) -> Void)?
    private var readDeadline: NIODeadline?
    private var headDeadline: TimeAmount?
    private var isReading = false

    private var writer: CheckedContinuation<Void, any Error>?
    private var isFlushPlanned = false
    private var writeDeadline: NIODeadline?

    /// Since when the other side is waited for, by its last sign of life; 0 while it is not.
    private let waiting = Atomic<UInt64>(NIODeadline.now().uptimeNanoseconds)

    private var timer: (at: NIODeadline, task: Scheduled<Void>)?
    private var onClose: (() -> Void)?
    /// No request is outstanding: arriving bytes are no answer.
    private var isWatched = false
    /// What is read next ends with `StreamFault.turnedAway`.
    private var isTurnedAway = false

    /// No more bytes are read while this many wait for a reader.
    static let mostUnread = 64 << 10

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// Since when the other side is waited for, in seconds of the machine; `nil` while it is this side's turn.
    var waitsSince: Double? {
        let since = waiting.load(ordering: .relaxed)
        return since == 0 ? nil : Double(since) / 1e9
    }

    private func noteWaiting(since now: NIODeadline?) {
        waiting.store(now?.uptimeNanoseconds ?? 0, ordering: .relaxed)
    }

    /// Runs on the event loop: at once when it is called there.
    @inline(__always)
    func onLoop(_ work: @escaping @Sendable () -> Void) {
        if eventLoop.inEventLoop { work() } else { eventLoop.execute(work) }
    }

    // MARK: Reading

    /// How long a reader waits.
    struct Patience: Sendable {
        /// For the next byte.
        var silence: TimeAmount
        /// From the first byte to the complete message; `nil` if only silence counts.
        var whole: TimeAmount?
    }

    /// Waits until `parse` succeeds on the received bytes.
    ///
    /// - Parameter parse: gets the bytes and whether no more will arrive, consumes a part, and returns `nil` if it
    ///   needs more. It runs on the event loop.
    /// - Throws: the errors of `parse`, `StreamFault` after a broken connection or a timeout.
    func pull<Value: Sendable>(
        _ patience: Patience, _ parse: @escaping @Sendable (inout ByteBuffer, Bool) throws -> Value?
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            onLoop { self.pull(patience, parse, continuation) }
        }
    }

    private func pull<Value: Sendable>(
        _ patience: Patience, _ parse: @escaping @Sendable (inout ByteBuffer, Bool) throws -> Value?,
        _ continuation: CheckedContinuation<Value, any Error>
    ) {
        let attempt = { () -> Bool in
            do {
                guard let value = try parse(&self.buffer, self.isEnded || self.isClosed) else { return false }
                continuation.resume(returning: value)
            } catch {
                continuation.resume(throwing: error)
            }
            return true
        }
        if isTurnedAway { return continuation.resume(throwing: StreamFault.turnedAway) }
        if attempt() { return }
        if let fault { return continuation.resume(throwing: fault) }
        if isEnded || isClosed { return continuation.resume(throwing: StreamFault.ended) }
        reader = attempt
        failReader = { continuation.resume(throwing: $0) }
        headDeadline = patience.whole
        let now = NIODeadline.now()
        noteWaiting(since: now)
        readDeadline = now + (buffer.readableBytes > 0 ? patience.whole ?? patience.silence : patience.silence)
        silence = patience.silence
        setTimer()
        read()
    }

    private var silence = TimeAmount.zero

    private func read() {
        guard !isReading, let context, !isClosed else { return }
        isReading = true
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // RFC 9112 section 9.2: bytes without an outstanding request MUST NOT be taken for a response. Where one message
        // is out of step, all that follow are, so the connection is of no use any more.
        if isWatched {
            close()
            return tellClosed()
        }
        var bytes = unwrapInboundIn(data)
        let wasEmpty = buffer.readableBytes == 0
        if wasEmpty { buffer = bytes } else { buffer.writeBuffer(&bytes) }
        let now = NIODeadline.now()
        if reader != nil {
            noteWaiting(since: now)
            if headDeadline == nil {
                readDeadline = now + silence
            } else if wasEmpty, let headDeadline {
                readDeadline = now + headDeadline
                setTimer()
            }
        }
        serveReader()
        // All received bytes were consumed at once: the next request has not started.
        if reader != nil, headDeadline != nil, buffer.readableBytes == 0 { readDeadline = now + silence }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        isReading = false
        if reader != nil { read() }
        context.fireChannelReadComplete()
    }

    private func serveReader() {
        guard let attempt = reader else { return }
        reader = nil
        if attempt() {
            // The continuation may already have started another wait, with another reader.
            if reader == nil {
                failReader = nil
                readDeadline = nil
                noteWaiting(since: nil)
            }
        } else {
            reader = attempt
        }
    }

    private func endReader(_ error: any Error) {
        serveReader()
        guard reader != nil else { return }
        reader = nil
        readDeadline = nil
        let fail = failReader
        failReader = nil
        fail?(error)
    }

    // MARK: Writing

    /// Writes bytes and returns when the connection takes more.
    ///
    /// - Parameter flushing: false if more follows at once; otherwise a flush follows automatically.
    func write(_ bytes: ByteBuffer, flushing: Bool = true, patience: TimeAmount) async throws {
        if eventLoop.inEventLoop {
            // The usual case without a continuation: it fits.
            if try writeNow(bytes, flushing: flushing) { return }
        } else {
            let fits = try await eventLoop.submit { try self.writeNow(bytes, flushing: flushing) }.get()
            if fits { return }
        }
        try await withCheckedThrowingContinuation { continuation in
            onLoop { self.waitUntilWritable(patience, continuation) }
        }
    }

    /// Writes the start of a request to a connection that was watched, unless bytes arrived on it meanwhile (RFC 9112
    /// section 9.2).
    ///
    /// - Returns: whether it was written.
    func writeUnlessUnread(_ bytes: ByteBuffer, patience: TimeAmount) async throws -> Bool {
        let fits: Bool?
        if eventLoop.inEventLoop {
            fits = try writeIfIdle(bytes)
        } else {
            fits = try await eventLoop.submit { try self.writeIfIdle(bytes) }.get()
        }
        guard let fits else { return false }
        if fits { return true }
        try await withCheckedThrowingContinuation { continuation in
            onLoop { self.waitUntilWritable(patience, continuation) }
        }
        return true
    }

    /// - Returns: whether the connection takes more; `nil` where nothing was written.
    private func writeIfIdle(_ bytes: ByteBuffer) throws -> Bool? {
        onClose = nil
        isWatched = false
        guard isIdle, let context, !context.pipeline.syncOperations.hasUnreadBytes() else { return nil }
        return try writeNow(bytes, flushing: true)
    }

    /// - Returns: whether the connection takes more.
    private func writeNow(_ bytes: ByteBuffer, flushing: Bool) throws -> Bool {
        guard let context, !isClosed else { throw fault ?? StreamFault.ended }
        context.write(NIOAny(bytes), promise: nil)
        if flushing {
            context.flush()
        } else if !isFlushPlanned {
            isFlushPlanned = true
            eventLoop.execute {
                self.isFlushPlanned = false
                if !self.isClosed { self.context?.flush() }
            }
        }
        return context.channel.isWritable
    }

    private func waitUntilWritable(_ patience: TimeAmount, _ continuation: CheckedContinuation<Void, any Error>) {
        guard let context, !isClosed else { return continuation.resume(throwing: fault ?? StreamFault.ended) }
        context.flush()
        if context.channel.isWritable { return continuation.resume() }
        writer = continuation
        let now = NIODeadline.now()
        noteWaiting(since: now)
        writeDeadline = now + patience
        setTimer()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { endWriter(nil) }
        context.fireChannelWritabilityChanged()
    }

    private func endWriter(_ error: (any Error)?) {
        guard let continuation = writer else { return }
        writer = nil
        writeDeadline = nil
        noteWaiting(since: nil)
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
    }

    // MARK: The end

    /// Ends the connection at once.
    func close() {
        onLoop {
            guard !self.isClosed else { return }
            self.isClosed = true
            self.context?.close(promise: nil)
            // Under TLS the other side may take its time to agree: who waits here does not.
            self.endReader(StreamFault.ended)
            self.endWriter(StreamFault.ended)
        }
    }

    /// Ends what the other side is waited for, once, with `StreamFault.turnedAway`; while it is this side's turn, what is read
    /// next. One that does not receive its response is closed.
    func turnAway() {
        onLoop {
            guard !self.isClosed else { return }
            if self.writer != nil { return self.close() }
            if self.reader == nil { self.isTurnedAway = true } else { self.endReader(StreamFault.turnedAway) }
        }
    }

    /// Says that nothing more will be sent, and lets what is under way arrive: a connection that is closed while bytes
    /// of the other side are unread is reset, and then our last response may be lost.
    func closeGently() async {
        let done: Bool = await withCheckedContinuation { continuation in
            onLoop {
                self.isTurnedAway = false
                guard let context = self.context, !self.isClosed, !self.isEnded else {
                    return continuation.resume(returning: true)
                }
                context.flush()
                context.channel.close(mode: .output).whenComplete { _ in continuation.resume(returning: false) }
            }
        }
        if !done {
            // At most two seconds, and a megabyte.
            let limit = NIODeadline.now() + .seconds(2)
            var rest = 1 << 20
            while rest > 0, .now() < limit {
                let count = try? await pull(.init(silence: limit - .now())) { buffer, isEnded in
                    let count = buffer.readableBytes
                    buffer.clear()
                    return count > 0 ? count : isEnded ? -1 : nil
                }
                guard let count, count > 0 else { break }
                rest -= count
            }
        }
        close()
    }

    /// Called on the event loop when the connection ends or breaks; at once if it has.
    func whenClosed(_ action: @escaping @Sendable () -> Void) {
        onLoop {
            if self.isClosed || self.isEnded { action() } else { self.onClose = action }
        }
    }

    /// Whether the connection is as it was when it was made: nothing unread, not ended. On the event loop.
    var isIdle: Bool { !isClosed && !isEnded && buffer.readableBytes == 0 && reader == nil && fault == nil }

    /// Reads while no request is outstanding, to notice the other side's end, and ends the connection when anything comes.
    /// On the event loop.
    func watch() {
        isWatched = true
        read()
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(StreamFault.ended)
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(StreamFault.ended)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fault = fault ?? error
        end(error)
        context.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            isEnded = true
            endReader(StreamFault.ended)
            tellClosed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func end(_ error: any Error) {
        isClosed = true
        timer?.task.cancel()
        timer = nil
        endReader(error)
        endWriter(error)
        tellClosed()
    }

    private func tellClosed() {
        let action = onClose
        onClose = nil
        action?()
    }

    // MARK: Time

    /// One timer for the connection, reset only if it would fire too late.
    private func setTimer() {
        let earliest = min(readDeadline ?? .distantFuture, writeDeadline ?? .distantFuture)
        guard earliest < .distantFuture else { return }
        if let timer, timer.at <= earliest { return }
        timer?.task.cancel()
        let task = eventLoop.scheduleTask(deadline: earliest) { self.timeHasPassed() }
        timer = (earliest, task)
    }

    private func timeHasPassed() {
        timer = nil
        let now = NIODeadline.now()
        if let deadline = readDeadline, deadline <= now, reader != nil {
            let isWhole = headDeadline != nil && buffer.readableBytes > 0
            endReader(isWhole ? StreamFault.tooSlow : StreamFault.silent)
        }
        if let deadline = writeDeadline, deadline <= now { endWriter(StreamFault.silent) }
        setTimer()
    }
}
