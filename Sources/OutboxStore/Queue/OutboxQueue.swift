import Disk
import Model
import SystemPackage

/// The lock for moving tests on their way to the server. One process holds it at a time; it is released when the
/// process ends.
package struct SweepLock: Sendable {
    fileprivate let lock: LockFile

    /// Allows another process to sweep from now on.
    package func release() { lock.release() }
}

/// The sweeper's view of the outbox: what is sent next is claimed, and its outcome recorded.
package struct OutboxQueue: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }
    var clock: any StoreClock { outbox.clock }

    /// Acquires the lock for a sweep without waiting.
    ///
    /// - Returns: `nil` while another process sweeps.
    /// - Throws: `OutboxError.lockIsFree` if the file system's locks are not exclusive.
    package func acquireSweepLock() throws -> SweepLock? {
        try outbox.makeFolders()
        guard let lock = try LockFile.acquire(OutboxLayout.sweeperLock, in: fileSystem, wait: false) else {
            return nil
        }
        // Three calls a sweep: on a network file system with broken locks, two sweepers would both hold the lock.
        guard try lock.keepsOthersOut() else {
            lock.release()
            throw OutboxError.lockIsFree(path: fileSystem.root.pushing(OutboxLayout.sweeperLock).string)
        }
        return SweepLock(lock: lock)
    }

    /// Runs `body` while no other process sends or changes a test; `nil` while another one is sending.
    package func exclusively<Result>(_ body: (SweepLock) throws -> Result) throws -> Result? {
        guard let lock = try acquireSweepLock() else { return nil }
        defer { lock.release() }
        guard let edits = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return nil }
        return try withExtendedLifetime(edits) { try body(lock) }
    }

    /// Recovers the state left by an earlier sweeper: tests in `sending` were not acknowledged and wait again, a test
    /// found in several folders is settled, old receipts and temporary files are removed.
    package func recover(_ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            try outbox.makeUnfinishedEditDurable()
            try fileSystem.removeAbandonedTemporaryFiles(in: OutboxLayout.temporary)
            try outbox.quarantine.tidy()
            var scan = try outbox.scan()
            if !scan.duplicates.isEmpty {
                try outbox.moves.settleDuplicates(scan)
                scan = try outbox.scan()
            }
            try outbox.moves.settle(
                scan.items(.sending).map { .init(move: OutboxMove($0, to: .done), receipt: outbox.interrupted($0)) })
            try removeOutdatedReceipts(scan)
            try removeOutdatedVersions(scan)
        }
    }

    /// Claims tests for sending: moves them from `done` to `sending`, in a group that shares its folder syncs.
    ///
    /// - Returns: those that were still there; a person may have reopened some.
    package func claim(_ items: [OutboxItem], _ lock: SweepLock) throws -> [OutboxItem] {
        try withExtendedLifetime(lock) {
            try outbox.makeUnfinishedEditDurable()
            let moved = try outbox.moves.move(items.map { OutboxMove($0, to: .sending) })
            return moved.map { OutboxItem(id: $0.id, kind: $0.kind, status: .sending) }
        }
    }

    /// Records outcomes: each receipt durably in the new folder, then moves the tests.
    package func settle(_ settlements: [OutboxSettlement], _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) { try outbox.moves.settle(settlements) }
    }

    /// The same on the server's word alone, without a local proof that a test got as far as its folder says: it may
    /// have been moved by hand, or come from an incomplete copy. It may move back, and wait again.
    package func correct(_ settlements: [OutboxSettlement], _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) { try outbox.moves.settle(settlements, isCorrection: true) }
    }

    /// Records durably where an upload resumes, before its first byte is sent: beside the record of attempts.
    package func noteUpload(_ item: OutboxItem, at url: String, _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            let known = try? outbox.receipt(item)
            var noted = outbox.interrupted(id: item.id, known: known, action: .attach)
            noted.delivery?.upload = url
            try outbox.put(
                try DocumentCoding.encode(noted), to: OutboxLayout.receiptPath(item.id, .done), replacing: true)
        }
    }

    /// Stores the server's version in the folder that the change is about to be moved to.
    package func keepTheirs(_ id: TestID, _ document: [UInt8], _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            try outbox.put(document, to: OutboxLayout.theirsPath(id), replacing: true)
        }
    }

    /// The server's versions beside changes that are no longer in conflict: the server has them.
    private func removeOutdatedVersions(_ scan: OutboxScan) throws {
        let open = Set(scan.items(.conflict).map(\.id))
        for id in scan.theirs where !open.contains(id) {
            try fileSystem.removeIfPresent(OutboxLayout.theirsPath(id))
        }
    }

    /// Receipts of a status that a test has left.
    private func removeOutdatedReceipts(_ scan: OutboxScan) throws {
        var places: [TestID: Set<TestStatus>] = [:]
        for item in scan.items {
            // Tests from `sending` are in `done` by now.
            places[item.id, default: []].insert(item.status == .sending ? .done : item.status)
        }
        for receipt in scan.receipts {
            guard let current = places[receipt.id], !current.contains(receipt.status) else { continue }
            let path = OutboxLayout.receiptPath(receipt.id, receipt.status)
            // A test that was moved by hand must keep the record of its attempts.
            if receipt.status == .rejected || receipt.status == .conflict, current.contains(.done) {
                do throws(FileError) {
                    try fileSystem.move(path, to: OutboxLayout.receiptPath(receipt.id, .done), replacing: false)
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(.done))
                    continue
                } catch {
                    if error.isMissing { continue }
                    if error.code != .fileExists { throw error }
                }
            }
            try fileSystem.removeIfPresent(path)
        }
    }
}

extension Outbox {
    /// The items on their way to the server.
    package var queue: OutboxQueue { OutboxQueue(outbox: self) }
}
