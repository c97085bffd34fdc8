/// The clock seam: wall time for disk and HTTP, monotonic time for waiting.
public protocol StoreClock: Sendable {
    var now: Timestamp { get }
    /// The time since some moment, which no one can set. It goes on while the machine sleeps.
    var uptime: Duration { get }
    /// Returns after `duration` of monotonic time, or throws `CancellationError`.
    func sleep(for duration: Duration) async throws
}
