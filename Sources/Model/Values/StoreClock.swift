/// The clock seam: wall time for disk and HTTP, monotonic time for waiting.
public protocol StoreClock: Sendable {
    var now: Timestamp { get }
    /// Returns after `duration` of monotonic time, or throws `CancellationError`.
    func sleep(for duration: Duration) async throws
}
