import Model

/// Decides the next step of a watching program: one value, computed from the waiting items, the way to the remote, and
/// the last round.
package enum WatchDecision: Hashable, Sendable {
    /// Syncs.
    case round
    /// Waits for events, and no longer than this; for ever when `nil`.
    case wait(until: Timestamp?)

    /// The input of a decision.
    package struct Situation: Hashable, Sendable {
        package var now: Timestamp
        /// The items to send, with the earliest time for each.
        package var waiting: [TestID: Timestamp] = [:]
        /// Whether news from the server is still expected.
        package var awaitsNews = false
        /// Whether questionnaires are kept up to date.
        package var pulls = false
        /// There is no way to the remote.
        package var isAway = false
        /// The way there may have come, or changed, since the last round.
        package var isNetworkNew = false
        /// The way there costs.
        package var isMetered = false
        /// How long nothing is to be done; 0 outside of quiet hours.
        package var quietSeconds = 0.0
        package var intervalSeconds = WatchDecision.standardIntervalSeconds
        package var lastRound: Round?

        package init(now: Timestamp) { self.now = now }
    }

    /// A round that is over.
    package struct Round: Hashable, Sendable {
        package var ended: Timestamp
        /// The items that were due at its start.
        package var attempted: Set<TestID>
        /// How many in a row, this one included, delivered nothing of what was due, or failed where nothing was.
        package var failures: Int
        /// 0 ..< 1, chosen once a round: spreads the rounds of many devices.
        package var jitter: Double

        package init(ended: Timestamp, attempted: Set<TestID>, failures: Int, jitter: Double) {
            self.ended = ended
            self.attempted = attempted
            self.failures = failures
            self.jitter = jitter
        }
    }

    package static let standardIntervalSeconds = 1200.0
    /// After a round that failed; it doubles with each further one, up to the interval.
    package static let shortestPauseSeconds = 30.0
    /// After one that delivered some of what was due.
    package static let pauseAfterProgressSeconds = 2.0
    /// A network that flickers is not followed more often.
    package static let shortestGapSeconds = 1.0

    package static func decide(_ situation: Situation) -> WatchDecision {
        let now = situation.now
        guard !situation.waiting.isEmpty || situation.awaitsNews || situation.pulls else { return .wait(until: nil) }
        // No event reports whether a machine listens, so it is checked periodically.
        if situation.isAway { return .wait(until: now.adding(seconds: situation.intervalSeconds)) }
        if situation.quietSeconds > 0 { return .wait(until: now.adding(seconds: situation.quietSeconds)) }
        // The kernel reports a change of the way.
        if situation.isMetered { return .wait(until: nil) }

        var moments: [Timestamp] = []
        let due = Set(situation.waiting.filter { $0.value <= now }.keys)
        if let next = situation.waiting.values.filter({ $0 > now }).min() { moments.append(next) }
        guard let last = situation.lastRound else {
            return !due.isEmpty || situation.awaitsNews || situation.pulls ? .round : .wait(until: moments.min())
        }
        if !due.isSubset(of: last.attempted) { return .round }
        if situation.isNetworkNew { moments.append(last.ended.adding(seconds: Self.shortestGapSeconds)) }
        let spread = 0.75 + 0.5 * last.jitter
        if !due.isEmpty {
            // They were tried: the remote was in trouble, or they cannot be read. Where others got through, it is tried
            // again soon.
            let doubled =
                last.failures == 0
                ? Self.pauseAfterProgressSeconds
                : Self.shortestPauseSeconds * Double(1 << min(last.failures - 1, 16))
            moments.append(last.ended.adding(seconds: min(doubled, situation.intervalSeconds) * spread))
        }
        if situation.awaitsNews || situation.pulls {
            moments.append(last.ended.adding(seconds: situation.intervalSeconds * spread))
        }
        guard let next = moments.min() else { return .wait(until: nil) }
        return next <= now ? .round : .wait(until: next)
    }
}
