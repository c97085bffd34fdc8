import Model
import Quire
import Synchronization

/// How long people have worked on the drafts that are open in browsers, until that is saved with an answer.
///
/// Measures time by the requests of a draft, so that it works without a script, too.
final class ActiveTimes: Sendable {
    /// As many drafts are measured at once; the one that was quiet for longest is forgotten.
    private static let most = 1000

    private struct Open {
        var meter: ActiveTimeMeter
        var last: SuspendingClock.Instant
    }

    private let open = Mutex<[TestID: Open]>([:])

    /// Something was asked about a draft.
    func note(_ id: TestID, at moment: SuspendingClock.Instant = .now) {
        open.withLock { open in
            if open[id] == nil, open.count >= Self.most, let quiet = open.min(by: { $0.value.last < $1.value.last }) {
                open[quiet.key] = nil
            }
            var known = open[id] ?? Open(meter: ActiveTimeMeter(at: moment), last: moment)
            known.meter.note(moment)
            known.last = moment
            open[id] = known
        }
    }

    /// Passes the measured seconds to the code that saves them. They are kept if that fails.
    func spend<Saved>(_ id: TestID, _ save: (Double) throws -> Saved) rethrows -> Saved {
        let seconds = open.withLock { $0[id]?.meter.take() ?? 0 }
        do {
            return try save(seconds)
        } catch {
            open.withLock { $0[id]?.meter.putBack(seconds) }
            throw error
        }
    }
}
