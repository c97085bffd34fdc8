import Disk
import Model
import SystemPackage

/// Tests and changes that are gone on the device that a snapshot continues.
extension OutboxTransfer {
    package struct DiscardReport: Sendable, Equatable {
        /// They are as they were there, and are in quarantine now.
        package var discarded: [FilePath] = []
        /// They were changed here, or a server may have them: they stay.
        package var kept: [FilePath] = []
        package init() {}
    }

    /// Discards what was discarded elsewhere and is here as it was there.
    ///
    /// - Parameter gone: files of the outbox as they were before, with their digests.
    package func discardGone(_ gone: [FileDigest]) throws -> DiscardReport {
        var report = DiscardReport()
        try outbox.editing {
            var former: [TestID: [OutboxItem: Digest]] = [:]
            for file in gone {
                guard let item = OutboxLayout.item(ofFile: FilePath(file.path)) else { continue }
                former[item.id, default: [:]][item] = file.digest
            }
            // Attachments after their tests, with which they are discarded.
            let ids = former.keys.sorted { former.isMedia($0) == former.isMedia($1) ? $0 < $1 : former.isMedia($1) }
            // Before the first is discarded, since that may change drafts that go on from it.
            let asBefore = Set(
                try ids.filter { id in
                    try !former.isMedia(id) && outbox.find(id).map { try mayDiscard($0, as: former[id]?[$0]) } == true
                })
            for id in ids {
                guard let item = try outbox.find(id) else { continue }
                // An attachment is needed as long as its test is here.
                let mayGo = former.isMedia(id) ? try mayDiscard(item, as: former[id]?[item]) : asBefore.contains(id)
                if mayGo,
                    try outbox.edits.discard(item, reason: "discarded elsewhere, from \(item.status.rawValue)") != nil
                {
                    report.discarded.append(item.path)
                } else {
                    report.kept.append(item.path)
                }
            }
        }
        return report
    }

    private func mayDiscard(_ item: OutboxItem, as former: Digest?) throws -> Bool {
        guard let former, item.status != .sending, !item.status.isDelivered,
            let bytes = try outbox.bytesIfPresent(item.path, item.kind), Digest(sha256Of: bytes) == former,
            // A damaged one counts as none.
            case let receipt = try? outbox.receipt(item),
            receipt?.delivery?.mayHaveArrived != true, receipt?.keptAt == nil
        else { return false }
        guard item.kind == .media else { return true }
        do {
            try outbox.attachments.refuseNeeded(item)
            return true
        } catch is OutboxError {
            return false
        }
    }
}

extension [TestID: [OutboxItem: Digest]] {
    fileprivate func isMedia(_ id: TestID) -> Bool { self[id]?.keys.contains { $0.kind == .media } ?? false }
}
