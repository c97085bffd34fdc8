import Model
import Synchronization

/// The current state, and its listeners.
final class LiveBoard: Sendable {
    private let state = Mutex(State())

    private struct State {
        var latest = LiveState()
        var isKnown = false
        var listeners: [Int: AsyncStream<Change>.Continuation] = [:]
        var nextListener = 0
    }

    struct Change: Sendable {
        var state: LiveState
        var notices: [LiveNotice]
    }

    var latest: LiveState { state.withLock { $0.latest } }

    var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Publishes the current state; notifies the listeners if it has changed.
    func put(_ seen: LiveState) {
        state.withLock { state in
            var seen = seen
            seen.isSending = state.latest.isSending
            seen.isPulling = state.latest.isPulling
            publish(seen, &state)
        }
    }

    func setSending(_ isSending: Bool) {
        state.withLock { state in
            var seen = state.latest
            seen.isSending = isSending
            publish(seen, &state)
        }
    }

    func setPulling(_ isPulling: Bool) {
        state.withLock { state in
            var seen = state.latest
            seen.isPulling = isPulling
            publish(seen, &state)
        }
    }

    private func publish(_ seen: LiveState, _ state: inout State) {
        let former = state.latest
        state.latest = seen
        let wasKnown = state.isKnown
        state.isKnown = true
        guard seen != former else { return }
        // Tests finished before the first check of this process are not news.
        let notices = wasKnown ? Self.notices(from: former, to: seen) : []
        for listener in state.listeners.values { listener.yield(Change(state: seen, notices: notices)) }
    }

    static func notices(from former: LiveState, to seen: LiveState) -> [LiveNotice] {
        seen.statuses.compactMap { id, status in
            guard let before = former.statuses[id], before != status else { return nil }
            let isNews =
                status.isDelivered && before.advancement < status.advancement || status == .rejected
                || status == .conflict
            return isNews ? LiveNotice(test: id, status: status) : nil
        }.sorted { $0.test < $1.test }
    }

    /// Each change from now on, the present state first. A slow listener misses changes between, not the last one.
    func changes() -> AsyncStream<Change> {
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self, bufferingPolicy: .bufferingNewest(16))
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = continuation
            continuation.yield(Change(state: state.latest, notices: []))
            return state.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}
