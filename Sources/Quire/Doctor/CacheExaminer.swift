import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage
import Wording

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
        let pull = say("run “quire pull” to fetch it again")
        switch fault.kind {
        case .stranger: try reportCacheStranger(fault.path)
        case .damagedEntry(let reason):
            report(
                .unreadable, fault.path,
                say("it is not a cache entry: \(reason)"), quarantineAdvice
            ) {
                _ = try self.store.cache.survey.verify()
                return true
            }
        case .damagedContent(let url, let reason):
            report(
                .damaged, fault.path,
                say("the content of \(url) is damaged: \(reason)"),
                quarantineAdvice + say(", then “quire pull” to fetch it again")
            ) {
                _ = try self.store.cache.survey.verify()
                return try self.fileSystem.status(at: fault.path) == nil
            }
        case .missingContent(let url):
            report(
                .orphan, CacheLayout.entryPath(url: url),
                say("the content of \(url) is missing"), pull)
        case .orphan:
            report(
                .orphan, fault.path,
                say("content that nothing refers to"),
                say("the next pull, or “quire doctor --repair”, removes it")
            ) {
                _ = try self.store.cache.space.removeUnreferencedBlobs()
                return try self.fileSystem.status(at: fault.path) == nil
            }
        case .ledger(let reason):
            report(
                .derived, fault.path,
                say("what the cache takes is not booked right: \(reason)"),
                repairAdvice
            ) {
                try self.store.cache.survey.renewLedger()
                return true
            }
        case .index(let reason):
            report(
                .derived, fault.path,
                say("the index is wrong: \(reason)"), repairAdvice
            ) {
                try self.store.cache.survey.renewIndex()
                return true
            }
        case .tag:
            report(
                .derived, fault.path,
                say("without it backup programs do not know that this is a cache"), repairAdvice
            ) {
                try self.store.cache.survey.renewTag()
                return true
            }
        }
    }

    private func reportCacheStranger(_ path: FilePath) throws {
        guard let kind = try fileSystem.status(at: path)?.kind, let name = path.lastComponent?.string else { return }
        if kind == .symbolicLink || kind == .other {
            let what = say("it is \(words(kind)), not a file")
            return report(.notAFile, path, what, quarantineAdvice) { try self.quarantine(path, what) }
        }
        reportStranger(
            path, FolderEntry(name: name, kind: kind),
            say("it does not belong into the cache"))
    }

    private func checkQuota(_ faults: [CacheFault]) {
        check(CacheLayout.root) {
            guard let quotaBytes = store.cache.totalQuotaBytes, !faults.contains(where: { $0.kind == .stranger }) else {
                return
            }
            let statistics = try store.cache.space.statistics()
            let used = statistics.bytes + statistics.indexBytes
            guard used > quotaBytes else { return }
            report(
                .quota, CacheLayout.root,
                say(
                    "the cache takes \(ByteCount.format(used, language)), its quota is \(ByteCount.format(quotaBytes, language))"
                ),
                say("run “quire cache trim”")
            ) {
                _ = try self.store.cache.space.trim(toBytes: Cache.contentBytes(ofQuota: quotaBytes))
                return true
            }
        }
    }
}
