import HTTPMessages
import HTTPTypes
import NIOCore
import Sync
import Synchronization

/// Sends a request's body while its response is waited for: an upstream may answer before it has all of it.
final class BodyPump: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isComplete = false
        var sourceFault: (any Error)?
    }

    private let body: HTTPBody
    private let isChunked: Bool
    private let connection: UpstreamConnection
    private let silence: TimeAmount
    private let state = Mutex(State())

    init(_ body: HTTPBody, isChunked: Bool, on connection: UpstreamConnection, silence: TimeAmount) {
        self.body = body
        self.isChunked = isChunked
        self.connection = connection
        self.silence = silence
    }

    var hasBegun: Bool { state.withLock { $0.task != nil } }
    var isComplete: Bool { state.withLock { $0.isComplete } }
    /// Why the sender's own bytes ended early.
    var sourceFault: (any Error)? { state.withLock { $0.sourceFault } }

    func begin() {
        let task = Task(executorPreference: connection.executor) { await self.send() }
        state.withLock { $0.task = task }
    }

    func cancel() { state.withLock { $0.task }?.cancel() }

    private func send() async {
        do {
            while true {
                let part: HTTPBody.Part?
                do {
                    part = try await body.next()
                } catch {
                    state.withLock { $0.sourceFault = error }
                    // Half a body must not be taken for a whole one.
                    connection.stream.close()
                    return
                }
                switch part {
                case .bytes(let bytes):
                    guard !bytes.isEmpty else { continue }
                    try await connection.stream.write(
                        isChunked ? MessageWriter.chunk(bytes) : ByteBuffer(bytes: bytes), patience: silence)
                case .trailers(let fields):
                    if isChunked { try await end(fields) }
                    return state.withLock { $0.isComplete = true }
                case nil:
                    if isChunked { try await end([:]) }
                    return state.withLock { $0.isComplete = true }
                }
            }
        } catch {
            // The upstream accepts no more. An earlier reply is still readable; without one, the reader gets the same
            // error.
        }
    }

    private func end(_ trailers: HTTPFields) async throws {
        try await connection.stream.write(MessageWriter.lastChunk(trailers), patience: silence)
    }
}

/// Something that happens once.
final class Once: Sendable {
    private let state = Mutex(false)

    var isDone: Bool { state.withLock { $0 } }

    /// - Returns: whether it was not done before.
    func begin() -> Bool {
        state.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
