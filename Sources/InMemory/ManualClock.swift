import Model
import Synchronization

/// A clock that stands still until a test advances it.
///
///     let clock = ManualClock()
///     async let nap: Void = clock.sleep(for: .seconds(30))
///     await clock.waitForSleepers(1)
///     clock.advance(by: .seconds(30))     // the sleeper wakes
///     clock.setWallTime(Timestamp("2001-01-01")!)   // a person sets the device's clock: no sleeper wakes
public final class ManualClock: StoreClock {
    /// 2026-11-21T04:51:00Z
    public static let start = Timestamp(millisecondsSinceEpoch: 1_795_236_660_000)

    private let state: Mutex<State>

    private struct State {
        var wall: Timestamp
        var elapsed = Duration.zero
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers that were cancelled before they had lain down.
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Takes out those who wait for as many sleepers as there are.
        mutating func takeReadyWatchers() -> [CheckedContinuation<Void, Never>] {
            let ready = watchers.filter { $0.count <= sleepers.count }.map(\.continuation)
            watchers.removeAll { $0.count <= sleepers.count }
            return ready
        }
    }

    private struct Sleeper {
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    public init(now: Timestamp = ManualClock.start) { state = Mutex(State(wall: now)) }

    public var now: Timestamp { state.withLock { $0.wall } }

    public var uptime: Duration { state.withLock { $0.elapsed } }

    /// How many tasks are asleep.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Whether a task is asleep that wakes in exactly this time.
    package func hasSleeper(for duration: Duration) -> Bool {
        state.withLock { state in state.sleepers.values.contains { $0.deadline == state.elapsed + duration } }
    }

    /// Lets monotonic and wall time pass; sleepers whose time has come wake, the earliest first.
    public func advance(by duration: Duration) {
        let awake = state.withLock { state in
            state.elapsed += duration
            let (seconds, attoseconds) = duration.components
            state.wall.millisecondsSinceEpoch += seconds * 1000 + attoseconds / 1_000_000_000_000_000
            let due = state.sleepers.filter { $0.value.deadline <= state.elapsed }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value.continuation)
        }
        for continuation in awake { continuation.resume() }
    }

    /// Sets the wall clock and lets no time pass.
    public func setWallTime(_ time: Timestamp) { state.withLock { $0.wall = time } }

    /// Returns when at least `count` tasks are asleep.
    public func waitForSleepers(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.takeReadyWatchers()
            }
            for watcher in ready { watcher.resume() }
        }
    }

    public func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        if duration <= .zero { return }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in suspend(id, duration, continuation) }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func suspend(_ id: Int, _ duration: Duration, _ continuation: CheckedContinuation<Void, any Error>) {
        let ready: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            if state.cancelled.remove(id) != nil { return nil }
            state.sleepers[id] = Sleeper(deadline: state.elapsed + duration, continuation: continuation)
            return state.takeReadyWatchers()
        }
        guard let ready else { return continuation.resume(throwing: CancellationError()) }
        for watcher in ready { watcher.resume() }
    }
}
