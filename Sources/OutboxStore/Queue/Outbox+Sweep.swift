import Disk
import Model
import SystemPackage

/// A change of folder.
package struct OutboxMove: Hashable, Sendable {
    package var id: TestID
    package var kind: OutboxKind
    package var from: TestStatus
    package var to: TestStatus

    package init(_ item: OutboxItem, to: TestStatus) {
        id = item.id
        kind = item.kind
        from = item.status
        self.to = to
    }
}

/// A change of folder with the receipt that explains it.
package struct OutboxSettlement: Sendable {
    package var move: OutboxMove
    /// Stored beside the test in its new folder, durably, before the test itself is moved there.
    package var receipt: Receipt?
    /// In `done`: the earliest time to send it.
    package var notBefore: Timestamp?

    package init(move: OutboxMove, receipt: Receipt?, notBefore: Timestamp? = nil) {
        self.move = move
        self.receipt = receipt
        self.notBefore = notBefore
    }
}

/// The lock for moving tests on their way to the server. One process holds it at a time; it is released when the
/// process ends.
package struct SweepLock: Sendable {
    fileprivate let lock: LockFile

    /// Allows another process to sweep from now on.
    package func release() { lock.release() }
}

/// Operations of the sweeper.
extension Outbox {
    /// Acquires the lock for a sweep without waiting.
    ///
    /// - Returns: `nil` while another process sweeps.
    /// - Throws: `OutboxError.lockIsFree` if the file system's locks are not exclusive.
    package func acquireSweepLock() throws -> SweepLock? {
        try makeFolders()
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

    /// Recovers the state left by an earlier sweeper: tests in `sending` were not acknowledged and wait again, a test
    /// found in several folders is settled, old receipts and temporary files are removed.
    package func recover(_ lock: SweepLock) throws {
        try withExtendedLifetime(lock) {
            try makeUnfinishedEditDurable()
            try fileSystem.removeAbandonedTemporaryFiles(in: OutboxLayout.temporary)
            try quarantine.tidy()
            var scan = try scan()
            if !scan.duplicates.isEmpty {
                try settleDuplicates(scan)
                scan = try self.scan()
            }
            try settle(
                scan.items(.sending).map { .init(move: OutboxMove($0, to: .done), receipt: interrupted($0)) })
            try removeOutdatedReceipts(scan)
            try removeOutdatedVersions(scan)
        }
    }

    /// A test in `sending` may have reached the server: it waits again, and its bytes never change.
    func interrupted(_ item: OutboxItem) -> Receipt {
        // A damaged record of attempts counts as none.
        let known = try? receipt(item)
        let action = item.kind == .test ? nil : (try? readChange(item))?.change.action
        return interrupted(id: item.id, known: known, action: known?.action ?? action)
    }

    func interrupted(
        id: TestID, known: Receipt?, action: ChangeAction?, reason: String = "sending was interrupted"
    ) -> Receipt {
        let now = clock.now
        var delivery =
            known?.delivery
            ?? .init(
                attempts: 0, firstAttempt: now, lastAttempt: now, reason: reason, mayHaveArrived: true)
        delivery.mayHaveArrived = true
        return Receipt(
            test: id, digest: known?.digest, keptAt: known?.keptAt, delivery: delivery, action: action)
    }

    /// Claims tests for sending: moves them from `done` to `sending`, in a group that shares its folder syncs.
    ///
    /// - Returns: those that were still there; a person may have reopened some.
    package func claim(_ items: [OutboxItem], _ lock: SweepLock) throws -> [OutboxItem] {
        try withExtendedLifetime(lock) {
            try makeUnfinishedEditDurable()
            let moved = try move(items.map { OutboxMove($0, to: .sending) })
            return moved.map { OutboxItem(id: $0.id, kind: $0.kind, status: .sending) }
        }
    }

    /// Records outcomes: each receipt durably in the new folder, then moves the tests.
    package func settle(_ settlements: [OutboxSettlement], _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) { try settle(settlements) }
    }

    /// The same on the server's word alone, without a local proof that a test got as far as its folder says: it may
    /// have been moved by hand, or come from an incomplete copy. It may move back, and wait again.
    package func correct(_ settlements: [OutboxSettlement], _ lock: SweepLock) throws {
        try withExtendedLifetime(lock) { try settle(settlements, isCorrection: true) }
    }

    func settle(_ settlements: [OutboxSettlement], isCorrection: Bool = false) throws {
        try stage(settlements) { settlement in
            try settlement.receipt.map {
                StagedFile(
                    try DocumentCoding.encode($0),
                    to: OutboxLayout.receiptPath(settlement.move.id, settlement.move.to))
            }
        }
        for folder in Set(settlements.filter { $0.receipt != nil }.map(\.move.to)) {
            try fileSystem.makeDurable(folder: OutboxLayout.folder(folder))
        }
        for settlement in settlements {
            guard let notBefore = settlement.notBefore else { continue }
            do throws(FileError) {
                let path = OutboxLayout.path(settlement.move.id, settlement.move.kind, settlement.move.from)
                let nanoseconds = notBefore.nanosecondsSinceEpoch
                try fileSystem.continuing { () throws(FileError) in
                    try fileSystem.setModified(path, nanoseconds: nanoseconds)
                }
            } catch {
                if !error.isMissing { throw error }
            }
        }
        try move(settlements.map(\.move).filter { $0.from != $0.to }, isCorrection: isCorrection)
        for settlement in settlements {
            // Outdated now; one left by a crash is removed by the next recovery.
            let former: [TestStatus] = settlement.move.from == .sending ? [.sending, .done] : [settlement.move.from]
            for status in former where status != settlement.move.to {
                let path = OutboxLayout.receiptPath(settlement.move.id, status)
                // Usually there is none: a failing lookup is quicker.
                if try fileSystem.status(at: path) != nil { try fileSystem.removeIfPresent(path) }
            }
        }
    }

    /// Moves tests: one rename each, then one sync of each target folder, then of each source.
    ///
    /// A test that is no longer in its folder is skipped. If the target folder has a test of that id already, equal
    /// bytes become one file; different ones are both kept.
    ///
    /// - Parameter isCorrection: allows moves outside a test's normal life.
    /// - Returns: the completed moves.
    @discardableResult
    func move(_ moves: [OutboxMove], isCorrection: Bool = false) throws -> [OutboxMove] {
        var made: [OutboxMove] = []
        for move in moves {
            guard isCorrection || move.from.legalMoves.contains(move.to) else {
                throw OutboxError.illegalMove(move.id, from: move.from, to: move.to)
            }
            let source = OutboxLayout.path(move.id, move.kind, move.from)
            let target = OutboxLayout.path(move.id, move.kind, move.to)
            do {
                // A folder may need another block for one more name.
                try makingRoom { _ throws(FileError) in
                    try fileSystem.move(source, to: target, replacing: false)
                }
                made.append(move)
            } catch let error as FileError {
                if error.isMissing { continue }
                guard error.code == .fileExists else { throw error }
                if try settleDuplicate(move.id, move.kind, kept: move.to, other: move.from) { made.append(move) }
            }
        }
        // The target first: a test in neither folder after a crash would be lost, one in both is settled.
        for folder in Set(made.map(\.to)) { try fileSystem.makeDurable(folder: OutboxLayout.folder(folder)) }
        for folder in Set(made.map(\.from)) { try fileSystem.makeDurable(folder: OutboxLayout.folder(folder)) }
        return made
    }

    // MARK: Duplicates

    /// A test found in several folders: the most advanced status is correct.
    private func settleDuplicates(_ scan: OutboxScan) throws {
        for (id, statuses) in scan.duplicates {
            // A test in `conflict` is another version that waits for a decision: it replaces no other.
            let known = statuses.filter { $0 != .conflict }
            guard let kept = known.first else { continue }
            let kind = scan.kind(of: id)
            for other in known.dropFirst() { try settleDuplicate(id, kind, kept: kept, other: other) }
            guard statuses.contains(.conflict) else { continue }
            let isFurther = kept.advancement > TestStatus.conflict.advancement
            try settleDuplicate(id, kind, kept: isFurther ? kept : .conflict, other: isFurther ? .conflict : kept)
        }
    }

    /// Equal bytes become one file. Different ones are both kept: the less advanced goes to `conflict` or, if one is
    /// there already, to quarantine.
    ///
    /// - Returns: whether `other` is resolved now.
    @discardableResult
    func settleDuplicate(
        _ id: TestID, _ kind: OutboxKind, kept: TestStatus, other: TestStatus
    ) throws -> Bool {
        let keptPath = OutboxLayout.path(id, kind, kept)
        let otherPath = OutboxLayout.path(id, kind, other)
        guard let keptBytes = try bytesIfPresent(keptPath, kind),
            let otherBytes = try bytesIfPresent(otherPath, kind)
        else {
            return false
        }
        if keptBytes == otherBytes {
            // The remaining file, which `cp` may just have written, is made durable before the other is removed.
            try fileSystem.makeDurable(file: keptPath)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(kept))
            try fileSystem.removeIfPresent(otherPath)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(other))
            return true
        }
        if kept == .conflict || other == .conflict { return false }
        let conflictPath = OutboxLayout.path(id, kind, .conflict)
        if try fileSystem.status(at: conflictPath) == nil {
            let receipt = conflictReceipt(
                id, otherBytes, reason: "another version of this test lay in \(kept.rawValue)")
            try put(try DocumentCoding.encode(receipt), to: OutboxLayout.receiptPath(id, .conflict), replacing: true)
            try fileSystem.move(otherPath, to: conflictPath, replacing: false)
            try fileSystem.makeDurable(folder: OutboxLayout.folder(.conflict))
            try fileSystem.makeDurable(folder: OutboxLayout.folder(other))
        } else {
            try quarantine.take(otherPath, reason: "another version of this test lay in \(kept.rawValue)")
        }
        return true
    }

    /// Explains why a version of a test is in `conflict`.
    func conflictReceipt(_ id: TestID, _ bytes: [UInt8], reason: String) -> Receipt {
        Receipt(
            test: id, digest: Digest(sha256Of: bytes), status: .conflict,
            delivery: .init(
                attempts: 0, firstAttempt: clock.now, lastAttempt: clock.now, reason: reason, mayHaveArrived: false))
    }

    func bytesIfPresent(_ path: FilePath, _ kind: OutboxKind) throws -> [UInt8]? {
        do throws(FileError) {
            return try fileSystem.readFile(path, maximumBytes: Self.maximumBytes(kind)).bytes
        } catch {
            // A file that cannot be read as a test stops nothing: doctor reports it.
            let unreadable: Set<Errno> = [
                .invalidArgument, .tooManySymbolicLinkLevels, .fileTooLarge, .permissionDenied, .isDirectory,
            ]
            if error.isMissing || unreadable.contains(error.code) { return nil }
            throw error
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
