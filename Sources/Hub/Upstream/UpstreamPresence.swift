import Model
import Sync
import Synchronization

/// Whether the upstream is reachable: according to the requests, and while it is away according to a probe.
final class UpstreamPresence: Sendable {
    struct Knowledge: Sendable {
        /// `nil` before the first request.
        var isReachable: Bool?
        /// Since when it is so.
        var since: Timestamp
        var reason: String?
        /// Requests are not to wait for a connection that will not be made.
        var failsAtOnce = false
    }

    private struct State {
        var knowledge: Knowledge
        var isProbing = false
        var watchers: [@Sendable (Bool) -> Void] = []
    }

    private let state: Mutex<State>
    private let clock: any StoreClock
    private let look: @Sendable () -> Presence

    /// The first and the longest pause between two probes, in seconds.
    static let shortestPauseSeconds = 1.0
    static let longestPauseSeconds = 15.0

    /// - Parameter look: the machine's information about the route, without a packet.
    init(clock: any StoreClock, look: @escaping @Sendable () -> Presence) {
        self.clock = clock
        self.look = look
        state = Mutex(State(knowledge: Knowledge(isReachable: nil, since: clock.now)))
    }

    var knowledge: Knowledge { state.withLock { $0.knowledge } }

    /// Called whenever the upstream appears or disappears.
    func watch(_ watcher: @escaping @Sendable (Bool) -> Void) { state.withLock { $0.watchers.append(watcher) } }

    /// Why there is no sense in trying; `nil` when there is.
    func reasonNotToTry() -> String? {
        let knowledge = knowledge
        if knowledge.isReachable == true { return nil }
        if knowledge.failsAtOnce { return knowledge.reason ?? "the upstream is away" }
        if case .away(let reason) = look() { return reason }
        return nil
    }

    func noteThere() { change(Knowledge(isReachable: true, since: clock.now)) }

    /// - Parameter failsAtOnce: when finding it out took time.
    func noteAway(_ reason: String, failsAtOnce: Bool) {
        change(Knowledge(isReachable: false, since: clock.now, reason: reason, failsAtOnce: failsAtOnce))
    }

    private func change(_ new: Knowledge) {
        let watchers = state.withLock { state -> [@Sendable (Bool) -> Void] in
            var new = new
            let isSame = state.knowledge.isReachable == new.isReachable
            if isSame { new.since = state.knowledge.since }
            state.knowledge = new
            return isSame ? [] : state.watchers
        }
        for watcher in watchers { watcher(new.isReachable == true) }
    }

    /// While the upstream is away, looks for it again and again, until it is back or the task is cancelled.
    ///
    /// - Parameter connect: tries to connect, without sending. It calls `noteThere` or `noteAway` itself.
    func probe(_ connect: @escaping @Sendable () async -> Void) async {
        let isFirst = state.withLock { state in
            defer { state.isProbing = true }
            return !state.isProbing
        }
        guard isFirst else { return }
        defer { state.withLock { $0.isProbing = false } }
        var pause = Self.shortestPauseSeconds
        while knowledge.isReachable != true {
            do { try await clock.sleep(for: .milliseconds(Int64(pause * 1000))) } catch { return }
            pause = min(pause * 2, Self.longestPauseSeconds)
            if knowledge.isReachable == true { return }
            if case .away(let reason) = look() {
                noteAway(reason, failsAtOnce: false)
            } else {
                await connect()
            }
        }
    }
}
