import CacheStore
import Model

/// Reports the news of a pull.
extension Puller {
    /// - Parameter isRepeated: there was a pull before: in a first pull everything is new, and single reports are
    ///   useless.
    func recordNews(_ report: Report, isRepeated: Bool) {
        if report.new.isEmpty, report.updated.isEmpty { return }
        if isRepeated { recordNew(report) }
        journal.record("pulled", detail: "\(report.new.count) new, \(report.updated.count) updated")
    }

    private func recordNew(_ report: Report) {
        // A title that cannot be read is no reason to say nothing.
        let records = (try? fetcher.cache.catalog.records()) ?? []
        let titles = Dictionary(
            records.compactMap(\.document).map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
        journal.record(
            report.new.map {
                JournalEvent(at: fetcher.clock.now, event: "new-questionnaire", questionnaire: $0, title: titles[$0])
            })
    }
}
