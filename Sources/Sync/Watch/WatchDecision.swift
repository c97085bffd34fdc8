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
        /// When the way there may have come, or changed, since the last round; before the first one, when the program was started.
        package var contactSince: Timestamp?
        /// 0 ..< 1, chosen once for that: spreads the first contact of many devices.
        package var contactJitter = 0.0
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
    /// After a round that failed, on average; it doubles with each further one. A pause is a random time from
    /// `shortestGapSeconds` to twice that, up to the interval.
    package static let meanPauseSeconds = 30.0
    /// After one that delivered some of what was due.
    package static let meanPauseAfterProgressSeconds = 2.0
    /// The first contact, after the start or when a network has come, is at a random time within so many seconds: many devices
    /// are switched on together.
    package static let contactSpreadSeconds = 5.0
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
            guard !due.isEmpty || situation.awaitsNews || situation.pulls else { return .wait(until: moments.min()) }
            guard let contact = situation.firstContact, contact > now else { return .round }
            return .wait(until: min(contact, moments.min() ?? contact))
        }
        if !due.isSubset(of: last.attempted) { return .round }
        if let contact = situation.firstContact {
            moments.append(max(contact, last.ended.adding(seconds: Self.shortestGapSeconds)))
        }
        if !due.isEmpty {
            // They were tried: the remote was in trouble, or they cannot be read. Where others got through, it is tried
            // again soon.
            let mean =
                last.failures == 0
                ? Self.meanPauseAfterProgressSeconds
                : Self.meanPauseSeconds * Double(1 << min(last.failures - 1, 16))
            let rest = min(2 * mean, situation.intervalSeconds) - Self.shortestGapSeconds
            moments.append(last.ended.adding(seconds: Self.shortestGapSeconds + max(0, rest) * last.jitter))
        }
        if situation.awaitsNews || situation.pulls {
            // No retry: a quarter more or less.
            moments.append(last.ended.adding(seconds: situation.intervalSeconds * (0.75 + 0.5 * last.jitter)))
        }
        guard let next = moments.min() else { return .wait(until: nil) }
        return next <= now ? .round : .wait(until: next)
    }
}

extension WatchDecision.Situation {
    /// A moment that is further off than the spread comes from a clock that was ahead: it delays nothing.
    fileprivate var firstContact: Timestamp? {
        guard let contactSince else { return nil }
        let contact = contactSince.adding(seconds: contactJitter * WatchDecision.contactSpreadSeconds)
        return contact.seconds(since: now) > WatchDecision.contactSpreadSeconds ? now : contact
    }
}
