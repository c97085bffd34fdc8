import Disk
import Model
import SystemPackage

/// What an examination asks of the outbox, beyond its tests. Nothing here changes a test.
extension Outbox {
    /// Runs `body` while nobody else sends or changes a test; `nil` when another process is sending.
    package func exclusively<Result>(_ body: (SweepLock) throws -> Result) throws -> Result? {
        guard let lock = try acquireSweepLock() else { return nil }
        defer { lock.release() }
        guard let edits = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return nil }
        return try withExtendedLifetime(edits) { try body(lock) }
    }

    /// Whether the file system's lock keeps a second one out; `nil` when it cannot be told, since the lock is held or
    /// the disk is read-only.
    package func locksKeepOthersOut() throws -> Bool? {
        do throws(FileError) {
            guard let lock = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: false) else {
                return nil
            }
            defer { lock.release() }
            return try lock.keepsOthersOut()
        } catch {
            if error.isMissing || error.code == .readOnlyFileSystem || error.code == .permissionDenied { return nil }
            throw error
        }
    }

    /// Whether a test really lies in these two folders, and is not just on its way from one to the other.
    package func isTwice(_ id: TestID, _ one: TestStatus, _ other: TestStatus) throws -> Bool {
        func look(_ status: TestStatus) throws -> FileStatus? {
            try fileSystem.status(at: OutboxLayout.testPath(id, status))
        }
        // A move keeps the inode, so what was met twice on its way is one file with one name.
        guard let first = try look(one), let second = try look(other), let again = try look(one) else { return false }
        return first.inode == again.inode && (first.inode != second.inode || first.links > 1)
    }

    /// What is wrong with the file of a receipt, as it lies in this very folder; `nil` when nothing is, or it is gone.
    package func receiptFault(_ item: OutboxItem) throws -> String? {
        let path = OutboxLayout.receiptPath(item.id, item.status)
        do {
            let bytes = try fileSystem.readFile(path, maximumBytes: Self.maximumTestBytes).bytes
            let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
            return receipt.test == item.id ? nil : "test: is \(receipt.test), which is not the file's name"
        } catch let error as FileError {
            return error.isMissing ? nil : error.description
        } catch let fault as DocumentFault {
            return fault.description
        }
    }

    /// Why the sequence cannot be read; `nil` when it can, or is not there. One that is behind the tests is what copying
    /// tests from elsewhere leaves: numbers that are given twice are told apart by the tests' ids.
    package func sequenceFault() throws -> String? {
        do {
            let bytes = try fileSystem.readFile(OutboxLayout.sequence, maximumBytes: 4096).bytes
            _ = try DocumentCoding.decode(SequenceContent.self, from: bytes)
            return nil
        } catch let error as FileError {
            return error.isMissing ? nil : error.description
        } catch let fault as DocumentFault {
            return fault.description
        }
    }

    /// Forgets the sequence: it is counted from the tests the next time.
    package func forgetSequence() throws {
        guard let lock = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return }
        try withExtendedLifetime(lock) { try fileSystem.removeIfPresent(OutboxLayout.sequence) }
    }

    /// Whether the space for a full disk is set aside, and is space.
    package func hasReserve() throws -> Bool {
        guard let status = try fileSystem.status(at: OutboxLayout.reserve) else { return false }
        return status.kind != .regular || status.allocatedBytes >= Self.reserveBytes
    }

    /// Whether there is so much room that the reserve is put back by itself.
    package func hasPlentyOfRoom() throws -> Bool { try fileSystem.freeBytes() > Self.plentyBytes }

    /// Sets the reserve aside anew.
    package func renewReserve() throws -> Bool {
        if try hasReserve() { return true }
        try fileSystem.removeIfPresent(OutboxLayout.reserve)
        restoreReserve()
        return try hasReserve()
    }
}
