import Model

/// How many wrong PINs there were in a row, and how long the next try waits for it.
struct PINTries: Hashable, Sendable, Codable {
    var wrong: Int
    /// When the last one was.
    var at: Timestamp

    /// So many are free; after them each wrong one doubles the wait.
    static let free = 5
    static let firstWaitSeconds = 30
    static let longestWaitSeconds = 15 * 60

    /// The wait after so many wrong ones.
    static func waitSeconds(after wrong: Int) -> Int {
        guard wrong >= free else { return 0 }
        return min(firstWaitSeconds << min(wrong - free, 20), longestWaitSeconds)
    }

    /// The seconds until the next try; 0 for now. A clock that was set back makes the wait start again, and no longer.
    func remainingSeconds(_ now: Timestamp) -> Int {
        let wait = Self.waitSeconds(after: wrong)
        if wait == 0 { return 0 }
        let past = now.seconds(since: at)
        return past < 0 ? wait : max(0, wait - Int(past))
    }
}
