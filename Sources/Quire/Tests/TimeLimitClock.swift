import Model
import Synchronization

/// The time of tests with a time limit, which goes on evenly while the program runs: a machine's clock that is set, or corrected
/// by the network, ends no test and prolongs none.
///
/// Before the program saw a draft for the first time, the machine's clock counts, and at least the active time.
///
/// The app's `limitclock.js` has the same rule.
package final class TimeLimitClock: Sendable {
    /// As many drafts are known at once; the one that was seen first is forgotten.
    static let most = 1000

    private struct Sight {
        var moment: Timestamp
        var uptime: Duration
        var start: Timestamp
    }

    private let clock: any StoreClock
    private let seen = Mutex<[TestID: Sight]>([:])

    package init(clock: any StoreClock) { self.clock = clock }

    /// Takes over what the clock knew whose store this one's replaces in the same program.
    package func takeOver(from former: TimeLimitClock) {
        let known = former.seen.withLock { $0 }
        seen.withLock { $0.merge(known) { _, known in known } }
    }

    /// The moment by which the time of a draft is counted.
    package func now(for record: TestRecord) -> Timestamp {
        let (moment, uptime) = (clock.now, clock.uptime)
        let first = seen.withLock { seen in
            if let known = seen[record.id], known.start == record.dateStarted { return known }
            if seen.count >= Self.most, let old = seen.min(by: { $0.value.uptime < $1.value.uptime }) {
                seen[old.key] = nil
            }
            let earliest = record.dateStarted.adding(seconds: record.timing?.activeSeconds ?? 0)
            let sight = Sight(moment: max(moment, earliest), uptime: uptime, start: record.dateStarted)
            seen[record.id] = sight
            return sight
        }
        return first.moment.adding(seconds: (uptime - first.uptime) / .seconds(1))
    }
}
