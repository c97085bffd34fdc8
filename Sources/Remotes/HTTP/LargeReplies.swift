import Sync
import Synchronization

/// Admits large replies to memory one after the other: eight may be in flight at once, and a server may make each as
/// long as it is allowed to.
final class LargeReplies: Sendable {
    /// A reply that is longer takes its turn.
    static let smallBytes = 256 << 10

    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits for the turn, which ends with the last reference to the result.
    func turn() async -> ReplyTurn {
        await withCheckedContinuation { continuation in
            let isMine = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isMine { continuation.resume() }
        }
        return ReplyTurn { [self] in
            let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
                if state.waiting.isEmpty {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            next?.resume()
        }
    }
}
