/// Measures how long a person works on a test, from the moments at which something happens in it.
/// The app's `timing.js` has the same rule; `Tests/Vectors/timing.json` has the cases.
package struct ActiveTimeMeter: Sendable {
    /// A longer pause counts as this much: a person reads for minutes, and leaves for an hour.
    package static let longestPause = Duration.seconds(600)

    private var last: SuspendingClock.Instant
    private var measured = Duration.zero

    package init(at start: SuspendingClock.Instant = .now) { last = start }

    /// Counts the time since the last moment.
    package mutating func note(_ moment: SuspendingClock.Instant = .now) {
        measured += min(max(.zero, moment - last), Self.longestPause)
        last = moment
    }

    /// Leaves out time since the last moment in which the program was stopped.
    package mutating func leaveOut(_ span: Duration) { last = last.advanced(by: max(.zero, span)) }

    /// Returns the measured seconds since the last call.
    package mutating func take() -> Double {
        defer { measured = .zero }
        return measured / .seconds(1)
    }

    /// Returns time that could not be saved.
    package mutating func putBack(_ seconds: Double) { measured += .seconds(seconds) }
}
