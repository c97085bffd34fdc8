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
        var freeAnswers: [AttemptChoice: FreeAnswers] = [:]
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
        try kept(of: id, \.statistics, attempts, make: make)
    }

    /// More than this is read again each time.
    private static let mostBytesOfAnswers = 8 << 20

    /// The free answers of the overview that is known, made once where they are not too many.
    func freeAnswers(
        of id: String, _ attempts: AttemptChoice, make: () throws -> FreeAnswers
    ) rethrows -> FreeAnswers {
        try kept(of: id, \.freeAnswers, attempts, if: { $0.sizeBytes <= Self.mostBytesOfAnswers }, make: make)
    }

    private func kept<Value: Sendable>(
        of id: String, _ values: WritableKeyPath<Known, [AttemptChoice: Value]>, _ attempts: AttemptChoice,
        if isKept: (Value) -> Bool = { _ in true }, make: () throws -> Value
    ) rethrows -> Value {
        let before = known.withLock { ($0.items[id]?[keyPath: values][attempts], $0.items[id]?.generation) }
        if let found = before.0 { return found }
        let made = try make()
        guard isKept(made) else { return made }
        known.withLock { known in
            // Tests may have arrived meanwhile: then the next one to ask makes it again.
            if known.items[id]?.generation == before.1 { known.items[id]?[keyPath: values][attempts] = made }
        }
        return made
    }
}
