import Model
import Results
import Synchronization

/// The last overviews and figures of questionnaires, in memory, as long as nothing changed: derived, and made again when they are
/// gone.
final class OverviewMemory: Sendable {
    private struct Known {
        var overview: ResultOverview
        var current: Digest?
        var generation: Int
        var statistics: [AttemptChoice: ResultStatistics] = [:]
        var use: Int
    }

    /// Questionnaires that teachers look at by turns.
    private static let most = 8

    private let known = Mutex<(items: [String: Known], uses: Int)>(([:], 0))

    /// - Parameter current: the version that is published now.
    func overview(of id: String, current: Digest?) -> (overview: ResultOverview, generation: Int)? {
        known.withLock { known in
            guard let found = known.items[id], found.current == current else { return nil }
            known.uses += 1
            known.items[id]?.use = known.uses
            return (found.overview, found.generation)
        }
    }

    func keep(_ overview: ResultOverview, current: Digest?, generation: Int) {
        known.withLock { known in
            known.uses += 1
            known.items[overview.id] = Known(
                overview: overview, current: current, generation: generation, use: known.uses)
            if known.items.count > Self.most, let oldest = known.items.min(by: { $0.value.use < $1.value.use }) {
                known.items[oldest.key] = nil
            }
        }
    }

    /// Figures of the overview that is known, made once.
    ///
    /// - Parameter generation: what the figures are made of.
    func statistics(
        of id: String, _ attempts: AttemptChoice, make: () throws -> ResultStatistics
    ) rethrows -> ResultStatistics {
        let before = known.withLock { ($0.items[id]?.statistics[attempts], $0.items[id]?.generation) }
        if let found = before.0 { return found }
        let made = try make()
        known.withLock { known in
            // Tests may have arrived meanwhile: then the next one to ask makes it again.
            if known.items[id]?.generation == before.1 { known.items[id]?.statistics[attempts] = made }
        }
        return made
    }
}
