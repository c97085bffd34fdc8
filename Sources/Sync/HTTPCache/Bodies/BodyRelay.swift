import CacheStore
import Disk
import HTTPTypes
import Synchronization

/// A response's body on its way from the origin into the cache, and to all its readers.
///
/// While the cache stores the bytes, the origin sets the pace: each reader follows in the temporary file at its own.
/// Once the cache has no more room, the rest is forwarded without being stored, and the slowest reader sets the pace.
///
/// A body without readers is still received if its length is known, and so is within the limit; one that may be endless
/// is released with its last reader. When the HTTP cache itself is released, everything is.
final class BodyRelay: Sendable {
    /// The most bytes in memory when the cache has no more room, plus one piece.
    private static let mostWaitingBytes = 256 << 10
    private static let pieceBytes = 64 << 10

    let arriving: ArrivingContent
    private let expected: Int64?
    /// The bytes of a body of unknown length that are received without a reader.
    private let unreadBytes: Int64
    private let state = Mutex(State())

    fileprivate struct State {
        /// Readable from `arriving`.
        var published: Int64 = 0
        /// The pieces received after the cache ran out of room; the first one starts at `queueStart`.
        var queue: [[UInt8]] = []
        var queueStart: Int64 = 0
        var queuedBytes = 0
        var isKept = true
        var end: End?
        /// Where each reader is.
        var readers: [Int: Int64] = [:]
        var nextID = 0
        /// Readers that wait for more, and the pump that waits for them.
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var pump: CheckedContinuation<Void, Never>?
        var cancelled: Set<Int> = []
        /// The HTTP cache is gone.
        var isOrphaned = false
        /// It was released: no reader joins any more.
        var isStopped = false
        /// Ends the pump.
        var stop: (@Sendable () -> Void)?

        mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }

        mutating func takePump() -> CheckedContinuation<Void, Never>? {
            defer { pump = nil }
            return pump
        }

        /// Releases the pieces that every reader has.
        mutating func dropRead() {
            let slowest = readers.values.min() ?? .max
            while let first = queue.first, queueStart + Int64(first.count) <= slowest {
                queue.removeFirst()
                queueStart += Int64(first.count)
                queuedBytes -= first.count
            }
        }
    }

    enum End: Sendable {
        case complete(trailers: HTTPFields?)
        case failed(any Error)
    }

    init(_ arriving: ArrivingContent, expected: Int64?, unreadBytes: Int64 = 0) {
        self.arriving = arriving
        self.expected = expected
        self.unreadBytes = unreadBytes
    }

    // MARK: The pump

    /// How a body ended.
    enum Outcome: Sendable {
        /// All of it is in `arriving`.
        case kept
        /// It went through, as far as anybody wanted it; `arriving` has a part of it that is of no use.
        case passed
        /// It ended too early; `arriving` has the received bytes.
        case broken(any Error)
    }

    /// Receives the body. The readers see the end only after `settle` is done: a reader with the complete body that
    /// asks again finds it in the cache.
    func run(_ body: HTTPBody, settle: (Outcome) async -> Void) async {
        do {
            var total: Int64 = 0
            var trailers: HTTPFields?
            while let part = try await body.next() {
                guard case .bytes(let bytes) = part else {
                    if case .trailers(let fields) = part { trailers = fields }
                    continue
                }
                total += Int64(bytes.count)
                if let expected, total > expected {
                    throw RemoteFailure(.invalidReply, "the body is longer than its Content-Length of \(expected)")
                }
                if isKept, await take(bytes) {
                    if total != expected { publish(total) }
                } else {
                    try await handOn(bytes, endingAt: total)
                }
                stopUnlessWanted()
                if state.withLock({ $0.isStopped }) { throw CancellationError() }
            }
            if let expected, total < expected {
                throw RemoteFailure(.interrupted, "the body ended after \(total) of \(expected) bytes")
            }
            await settle(isKept ? .kept : .passed)
            if isKept { publish(total) }
            finish(.complete(trailers: trailers))
        } catch {
            await settle(isKept ? .broken(error) : .passed)
            publish(arriving.count)
            finish(.failed(error))
        }
    }

    private var isKept: Bool { state.withLock { $0.isKept } }

    private func take(_ bytes: [UInt8]) async -> Bool {
        if arriving.fitsInMemory(bytes.count) { return arriving.append(bytes) }
        let isTaken: Bool
        do { isTaken = try await offload { [arriving] in arriving.append(bytes) } } catch { isTaken = false }
        if !isTaken {
            publish(arriving.count)
            state.withLock { state in
                state.isKept = false
                state.queueStart = state.published
            }
        }
        return isTaken
    }

    private func handOn(_ bytes: [UInt8], endingAt total: Int64) async throws {
        let readers = state.withLock { state in
            state.queue.append(bytes)
            state.queuedBytes += bytes.count
            return state.takeWaiting()
        }
        for reader in readers { reader.resume() }
        while true {
            let (isFull, isWanted) = state.withLock { state in
                state.dropRead()
                return (state.queuedBytes > Self.mostWaitingBytes, !state.readers.isEmpty)
            }
            // It has no reader and cannot be stored: the origin need not send it.
            if !isWanted { throw CancellationError() }
            if !isFull { return }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    state.dropRead()
                    if state.queuedBytes <= Self.mostWaitingBytes || state.readers.isEmpty { return true }
                    state.pump = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private func publish(_ count: Int64) {
        let readers = state.withLock { state in
            state.published = max(state.published, count)
            return state.takeWaiting()
        }
        for reader in readers { reader.resume() }
    }

    private func finish(_ end: End) {
        let readers = state.withLock { state in
            state.end = end
            state.stop = nil
            return state.takeWaiting()
        }
        for reader in readers { reader.resume() }
    }

    // MARK: The end of interest

    /// - Parameter stop: ends the task that runs this.
    func onStop(_ stop: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if !state.isStopped { state.stop = stop }
            return state.isStopped
        }
        if isStopped { stop() }
    }

    /// The HTTP cache is gone: only readers want this now.
    func orphan() {
        state.withLock { $0.isOrphaned = true }
        stopUnlessWanted()
    }

    private func stopUnlessWanted() {
        let stop: (@Sendable () -> Void)? = state.withLock { state in
            guard state.readers.isEmpty, state.end == nil, !state.isStopped,
                state.isOrphaned || expected == nil && max(state.published, arriving.count) >= unreadBytes
            else { return nil }
            state.isStopped = true
            defer { state.stop = nil }
            return state.stop
        }
        stop?()
    }

    // MARK: Readers

    /// The bytes of `range` (all of them where it is `nil`), as they come.
    ///
    /// - Returns: `nil` where the beginning is gone, or the body has failed.
    func body(length: Int64?) -> HTTPBody? {
        let id: Int? = state.withLock { state in
            if case .failed = state.end { return nil }
            guard state.isKept, !state.isStopped else { return nil }
            state.nextID += 1
            state.readers[state.nextID] = 0
            return state.nextID
        }
        guard let id else { return nil }
        let reader = Reader(self, id)
        return HTTPBody(length: length) { try await reader.next() }
    }

    /// Leaves with its last reference.
    private final class Reader: Sendable {
        private let relay: BodyRelay
        private let id: Int

        init(_ relay: BodyRelay, _ id: Int) {
            self.relay = relay
            self.id = id
        }

        deinit { relay.leave(id) }

        func next() async throws -> HTTPBody.Part? { try await relay.next(id) }
    }

    fileprivate enum Step {
        case read(at: Int64)
        case bytes([UInt8])
        case end(End)
        case wait
    }

    private func next(_ id: Int) async throws -> HTTPBody.Part? {
        while true {
            try Task.checkCancellation()
            switch state.withLock({ $0.step(id) }) {
            case .read(let offset):
                let published = state.withLock { $0.published }
                let count = Int(min(Int64(Self.pieceBytes), published - offset))
                let bytes =
                    arriving.isInMemory
                    ? try arriving.read(at: offset, maximumBytes: count)
                    : try await offload { [arriving] in try arriving.read(at: offset, maximumBytes: count) }
                guard !bytes.isEmpty else { throw RemoteFailure(.interrupted, "what was kept of the body is gone") }
                advance(id, by: bytes.count)
                return .bytes(bytes)
            case .bytes(let bytes):
                advance(id, by: bytes.count)
                return .bytes(bytes)
            case .end(.complete(let trailers)):
                guard let trailers, state.withLock({ $0.readers.updateValue(.max, forKey: id) }) != .max else {
                    return nil
                }
                return .trailers(trailers)
            case .end(.failed(let error)): throw error
            case .wait: await wait(id)
            }
        }
    }

    private func advance(_ id: Int, by count: Int) {
        let pump = state.withLock { state in
            state.readers[id]? += Int64(count)
            return state.takePump()
        }
        pump?.resume()
    }

    private func wait(_ id: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if case .wait = state.step(id), !state.cancelled.contains(id) {
                        state.waiting[id] = continuation
                        return false
                    }
                    return true
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled.insert(id)
                return state.waiting.removeValue(forKey: id)
            }
            waiting?.resume()
        }
    }

    private func leave(_ id: Int) {
        let pump = state.withLock { state in
            state.readers[id] = nil
            state.cancelled.remove(id)
            return state.takePump()
        }
        pump?.resume()
        stopUnlessWanted()
    }
}

extension BodyRelay.State {
    fileprivate func step(_ id: Int) -> BodyRelay.Step {
        let offset = readers[id] ?? .max
        if offset < published { return .read(at: offset) }
        if offset != .max {
            var start = queueStart
            for piece in queue {
                if offset < start + Int64(piece.count), offset >= start {
                    return .bytes(offset == start ? piece : Array(piece[Int(offset - start)...]))
                }
                start += Int64(piece.count)
            }
        }
        if let end { return .end(end) }
        return .wait
    }
}
