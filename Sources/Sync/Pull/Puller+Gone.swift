import CacheStore
import Disk
import Model

/// Handles questionnaires that the server no longer has.
extension Puller {
    /// The effect of a complete list on the local questionnaires.
    func removals(
        _ items: [QuestionnaireList.Item], _ records: [CatalogRecord], isForced: Bool
    ) throws -> RemovalDecision {
        var here: [String: Timestamp?] = [:]
        for record in records where isOfThisServer(record) {
            here[record.url] = .some(try record.isGone ? fetcher.cache.entry(url: record.url).value?.goneSince : nil)
        }
        return RemovalDecision.decide(
            here: here, listed: listedURLs(items), now: fetcher.clock.now, isForced: isForced)
    }

    private func listedURLs(_ items: [QuestionnaireList.Item]) -> Set<String> {
        Set(items.compactMap { RemoteURL.resolve($0.url, against: fetcher.remote.listURL) })
    }

    private func isOfThisServer(_ record: CatalogRecord) -> Bool {
        record.isDocument && record.url.hasPrefix(fetcher.remote.documentURL(id: ""))
    }

    /// Removes questionnaires that the server no longer lists, unless something here needs them or the list is
    /// implausible; those are kept and marked.
    func removeGone(_ decision: RemovalDecision, _ report: inout Report) async throws {
        let records = try await offload { try fetcher.cache.catalog.records() }
        let kept = try protection()
        var mediaInUse: Set<String> = []
        var leaving: [(url: String, document: DocumentSummary)] = []
        for record in records {
            guard let document = record.document else { continue }
            let isNeeded =
                record.isEdited || kept.documentIDs.contains(document.id) || kept.digests.contains(record.digest)
            let isHeld = decision.held.contains(record.url)
            if decision.removed.contains(record.url), !isNeeded {
                leaving.append((record.url, document))
                continue
            }
            mediaInUse.formUnion(document.media)
            guard isHeld || decision.removed.contains(record.url) else { continue }
            isHeld ? report.held.append(document.id) : report.keptThoughGone.append(document.id)
            if record.isGone { continue }
            let now = fetcher.clock.now
            _ = try await offload { try fetcher.cache.update(url: record.url) { $0.goneSince = now } }
        }
        let shown = mediaInUse
        for (url, document) in leaving {
            report.removed.append(document.id)
            try await offload {
                for medium in document.media where !shown.contains(medium) {
                    try fetcher.cache.remove(url: medium)
                }
                try fetcher.cache.remove(url: url)
            }
        }
    }
}
