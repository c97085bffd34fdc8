import CacheStore
import Disk
import Model

/// What the server no longer has.
extension Puller {
    /// What the server no longer lists is removed, unless something here needs it; that is kept and marked.
    func removeGone(_ items: [QuestionnaireList.Item], _ report: inout Report) async throws {
        let listed = Set(items.compactMap { RemoteURL.resolve($0.url, against: fetcher.remote.listURL) })
        let records = try await offload { try fetcher.cache.records() }
        let kept = try protection()
        let mediaInUse = Set(records.filter { listed.contains($0.url) }.flatMap { $0.document?.media ?? [] })
        for record in records {
            guard let document = record.document, !listed.contains(record.url),
                record.url.hasPrefix(fetcher.remote.documentURL(id: ""))
            else { continue }
            let isNeeded =
                record.isEdited || kept.documentIDs.contains(document.id) || kept.digests.contains(record.digest)
            if isNeeded {
                report.keptThoughGone.append(document.id)
                if record.isGone { continue }
                let now = fetcher.clock.now
                _ = try await offload { try fetcher.cache.update(url: record.url) { $0.goneSince = now } }
            } else {
                report.removed.append(document.id)
                try await offload {
                    for url in document.media where !mediaInUse.contains(url) { try fetcher.cache.remove(url: url) }
                    try fetcher.cache.remove(url: record.url)
                }
            }
        }
    }
}
