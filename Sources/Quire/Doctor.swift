import CacheStore
import Disk
import Model
import OutboxStore
import SystemPackage

/// One thing that is not as it should be.
public struct Finding: Sendable, Codable, Hashable {
    /// The file or folder, below the store.
    public var path: String
    public var what: String
    public var advice: String
    /// Whether `doctor --repair` mended it in this run.
    public var isRepaired: Bool
}

extension QuireStore {
    /// Checks the whole store and says in plain words what is wrong; with `repairing` it mends what is safe and moves
    /// the rest to quarantine. Others may use the store meanwhile.
    public func examine(repairing: Bool) throws -> [Finding] {
        var findings: [Finding] = []
        func report(_ path: FilePath, _ what: String, _ advice: String, _ repair: (() throws -> Bool)? = nil) throws {
            var isRepaired = false
            if repairing, let repair { isRepaired = try repair() }
            findings.append(Finding(path: path.string, what: what, advice: advice, isRepaired: isRepaired))
        }
        let repairAdvice = "run “quire doctor --repair” to move it to quarantine"

        for folder in [FilePath(), OutboxLayout.root, CacheLayout.root] {
            guard let status = try fileSystem.status(at: folder) else {
                try report(folder, "the folder is missing", "run “quire doctor --repair” to make it") {
                    try self.outbox.makeFolders()
                    try self.cache.makeFolders()
                    return true
                }
                continue
            }
            if folder.isEmpty, !status.permissions.isDisjoint(with: [.groupReadWriteExecute, .otherReadWriteExecute]) {
                try report(
                    ".", "others on this machine may look into the store",
                    "run “quire doctor --repair” to close it to others (mode 0700)"
                ) {
                    try self.fileSystem.setPermissions(FilePath(), [.ownerReadWriteExecute])
                    return true
                }
            }
        }
        for entry in try fileSystem.list(FilePath()) where !StoreLayout.ownNames.contains(entry.name) {
            try report(FilePath(entry.name), "it does not belong into the store", "move it elsewhere")
        }

        for stranger in try outbox.strangers() {
            try report(stranger, "it does not belong into the outbox", "move it elsewhere", nil)
        }
        let scan = try outbox.scan()
        for stranger in scan.strangers {
            try report(stranger.path, stranger.reason, repairAdvice) {
                try self.quarantine.take(stranger.path, reason: stranger.reason) != nil
            }
        }
        for item in scan.items {
            do {
                let stored = try outbox.read(item)
                try examine(stored, item, report)
            } catch OutboxError.unreadable(let path, let reason) {
                try report(FilePath(path), "it is not a test: \(reason)", "mend it with an editor, or \(repairAdvice)")
                {
                    try self.quarantine.take(item.path, reason: reason) != nil
                }
            } catch OutboxError.notFound {
                continue
            }
        }
        for (id, statuses) in scan.duplicates.sorted(by: { $0.key < $1.key }) where try !isConflict(id, statuses) {
            let names = statuses.map(\.rawValue).joined(separator: " and ")
            try report(
                OutboxLayout.testPath(id, statuses[0]), "the test lies in \(names)",
                "the next sync, or “quire doctor --repair”, settles it by the most advanced status"
            ) {
                guard let right = try self.outbox.becomeSweeper() else { return false }
                try self.outbox.recover(right)
                return true
            }
        }
        for receipt in scan.receipts where !scan.items.contains(where: { $0.id == receipt.id }) {
            try report(
                OutboxLayout.receiptPath(receipt.id, receipt.status), "a receipt without its test",
                "put the test back beside it, or keep the receipt elsewhere")
        }

        let verification = try cache.verify()
        for url in verification.damaged {
            try report(FilePath(url), "its cached content was damaged and is now in quarantine", "run “quire pull”")
        }
        for url in verification.missing {
            try report(FilePath(url), "its cached content is missing", "run “quire pull”")
        }
        for path in verification.strangers {
            try report(FilePath(path), "it does not belong into the cache", repairAdvice) {
                let isTaken = try self.quarantine.take(FilePath(path), reason: "not a file of the cache") != nil
                try self.cache.makeFolders()
                return isTaken
            }
        }
        if let quotaBytes = cache.quotaBytes, verification.strangers.isEmpty {
            let used = try cache.statistics().bytes
            if used > quotaBytes {
                try report(
                    CacheLayout.root,
                    "the cache takes \(ByteCount.format(used)), its quota is \(ByteCount.format(quotaBytes))",
                    "run “quire cache trim”"
                ) {
                    _ = try self.cache.trim(toBytes: quotaBytes)
                    return true
                }
            }
        }
        return findings
    }

    /// Two versions of one test of which one lies in `conflict`: that is as it should be until the person decides.
    private func isConflict(_ id: TestID, _ statuses: [TestStatus]) throws -> Bool {
        guard statuses.count == 2, statuses.contains(.conflict) else { return false }
        let versions = statuses.map { try? outbox.read(OutboxItem(id: id, status: $0)).digest }
        return versions[0] != versions[1]
    }

    private func examine(
        _ stored: StoredTest, _ item: OutboxItem,
        _ report: (FilePath, String, String, (() throws -> Bool)?) throws -> Void
    ) throws {
        if item.status == .done, stored.modified.seconds(since: clock.now) > 86_400 {
            try report(
                item.path, "it is not to be sent before \(stored.modified), by its file's time",
                "if that is not meant, “quire outbox retry \(item.id)” makes it due now", nil)
        }
        if item.status == .done, let tried = (try? outbox.receipt(item))?.digest, tried != stored.digest {
            try report(
                item.path, "it was changed after it was first sent, so the server may hold other answers",
                "“quire outbox reopen \(item.id)” makes a new revision of it", nil)
        }
        if item.status.isDelivered {
            let receipt: Receipt?
            do {
                receipt = try outbox.receipt(item)
            } catch let error as OutboxError {
                try report(item.path, error.description, "the next sync asks the server for it again", nil)
                return
            }
            guard let receipt else {
                try report(
                    item.path, "it counts as delivered and has no receipt",
                    "the next sync asks the server for it", nil)
                return
            }
            if let digest = receipt.digest, digest != stored.digest {
                try report(
                    item.path, "its bytes are not those that the server acknowledged",
                    "restore the file from a backup; the server has the version \(digest)", nil)
            }
        }
    }
}
