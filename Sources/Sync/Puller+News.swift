import CacheStore
import Model

/// Telling what a pull has brought.
extension Puller {
    func recordNew(_ report: Report) {
        // A title that cannot be read is no reason to say nothing.
        let records = (try? fetcher.cache.records()) ?? []
        let titles = Dictionary(
            records.compactMap(\.document).map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
        journal.record(
            report.new.map {
                JournalEvent(at: fetcher.clock.now, event: "new-questionnaire", questionnaire: $0, title: titles[$0])
            })
    }
}
