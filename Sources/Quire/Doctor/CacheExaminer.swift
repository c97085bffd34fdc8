import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// Examines the cache, its ledger and its index.
struct CacheExaminer: Examiner {
    let examination: Examination

    func examine() {
        check(CacheLayout.root) {
            // A link in the place of a folder was named, and nothing below it is looked at.
            guard !CacheLayout.folders.contains(where: isNamed) else { return }
            let versions = try versionsOfTests()
            var faults = try store.cache.survey.faults { versions.contains($0) }
            // A repair may reveal another fault: content whose only entry went to quarantine.
            for round in 1... {
                let new = faults.filter { !isNamed($0.path) }
                for fault in new where !isNamed(fault.path) { try report(fault) }
                if !isRepairing || new.isEmpty || round == Self.mostRounds { break }
                faults = try store.cache.survey.faults { versions.contains($0) }
            }
            checkQuota(faults)
        }
    }

    private static let mostRounds = 4

    /// The versions of tests are needed here, finished or not.
    private func versionsOfTests() throws -> Set<Digest> {
        var versions: Set<Digest> = []
        for item in try store.outbox.scan().items {
            // Files other than tests were reported already.
            if let record = store.outbox.listed(item)?.record { versions.formUnion(record.questionnaire.content) }
        }
        return versions
    }

    private func report(_ fault: CacheFault) throws {
        if case .stranger = fault.kind { return try reportCacheStranger(fault.path) }
        if case .missingContent(let url) = fault.kind {
            return report(CacheLayout.entryPath(url: url), .cache(fault.kind))
        }
        report(fault.path, .cache(fault.kind)) { try self.repair(fault) }
    }

    private func repair(_ fault: CacheFault) throws -> Bool {
        switch fault.kind {
        case .stranger, .missingContent: return false
        case .damagedEntry: _ = try store.cache.survey.verify()
        case .damagedContent:
            _ = try store.cache.survey.verify()
            return try fileSystem.status(at: fault.path) == nil
        case .orphan:
            _ = try store.cache.space.removeUnreferencedBlobs()
            return try fileSystem.status(at: fault.path) == nil
        case .ledger: try store.cache.survey.renewLedger()
        case .index: try store.cache.survey.renewIndex()
        case .tag: try store.cache.survey.renewTag()
        }
        return true
    }

    private func reportCacheStranger(_ path: FilePath) throws {
        guard let kind = try fileSystem.status(at: path)?.kind else { return }
        if kind == .symbolicLink || kind == .other { return reportForQuarantine(path, .notAFile(kind)) }
        reportStranger(path, .cache(.stranger))
    }

    private func checkQuota(_ faults: [CacheFault]) {
        check(CacheLayout.root) {
            guard let quotaBytes = store.cache.totalQuotaBytes, !faults.contains(where: { $0.kind == .stranger }) else {
                return
            }
            let statistics = try store.cache.space.statistics()
            let used = statistics.bytes + statistics.indexBytes
            guard used > quotaBytes else { return }
            report(CacheLayout.root, .overQuota(usedBytes: used, quotaBytes: quotaBytes)) {
                _ = try self.store.cache.space.trim(toBytes: Cache.contentBytes(ofQuota: quotaBytes))
                return true
            }
        }
    }
}
