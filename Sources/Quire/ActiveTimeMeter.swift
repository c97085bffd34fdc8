/// Measures how long a person works on a test, from the moments at which something happens in it.
public struct ActiveTimeMeter: Sendable {
    /// A longer pause counts as this much: a person reads for minutes, and leaves for an hour.
    public static let longestPause = Duration.seconds(600)

    private var last: SuspendingClock.Instant
    private var measured = Duration.zero

    public init(at start: SuspendingClock.Instant = .now) { last = start }

    /// Counts the time since the last moment.
    public mutating func note(_ moment: SuspendingClock.Instant = .now) {
        measured += min(max(.zero, moment - last), Self.longestPause)
        last = moment
    }

    /// What was measured and not taken yet, in seconds.
    public mutating func take() -> Double {
        defer { measured = .zero }
        return measured / .seconds(1)
    }

    /// Puts back what could not be saved.
    public mutating func putBack(_ seconds: Double) { measured += .seconds(seconds) }
}
