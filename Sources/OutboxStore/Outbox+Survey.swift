import Disk
import Model
import SystemPackage

/// Checks of the outbox for doctor, beyond its tests. Nothing here changes a test.
extension Outbox {
    /// Runs `body` while no other process sends or changes a test; `nil` while another one is sending.
    package func exclusively<Result>(_ body: (SweepLock) throws -> Result) throws -> Result? {
        guard let lock = try acquireSweepLock() else { return nil }
        defer { lock.release() }
        guard let edits = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return nil }
        return try withExtendedLifetime(edits) { try body(lock) }
    }

    /// Whether the file system's lock is exclusive; `nil` if unknown, since the lock is held or the disk is read-only.
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

    /// Whether a test really is in these two folders, and not just moving from one to the other.
    package func isTwice(_ id: TestID, _ one: TestStatus, _ other: TestStatus) throws -> Bool {
        func look(_ status: TestStatus) throws -> FileStatus? {
            try fileSystem.status(at: OutboxLayout.testPath(id, status))
        }
        // A move keeps the inode, so a file met twice during a move is one file with one name.
        guard let first = try look(one), let second = try look(other), let again = try look(one) else { return false }
        return first.inode == again.inode && (first.inode != second.inode || first.links > 1)
    }

    /// The fault of a receipt's file in this folder; `nil` if it is valid or gone.
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

    /// Why the sequence cannot be read; `nil` if it can, or is missing. Copying tests from elsewhere may leave it
    /// behind the tests: the tests' ids distinguish duplicate numbers.
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

    /// Forgets the sequence: it is derived from the tests the next time.
    package func forgetSequence() throws {
        guard let lock = try LockFile.acquire(OutboxLayout.editLock, in: fileSystem, wait: true) else { return }
        try withExtendedLifetime(lock) { try fileSystem.removeIfPresent(OutboxLayout.sequence) }
    }

    /// Whether the space for a full disk is reserved and allocated.
    package func hasReserve() throws -> Bool {
        guard let status = try fileSystem.status(at: OutboxLayout.reserve) else { return false }
        return status.kind != .regular || status.allocatedBytes >= Self.reserveBytes
    }

    /// Whether there is enough room for the reserve to be restored automatically.
    package func hasPlentyOfRoom() throws -> Bool { try fileSystem.freeBytes() > Self.plentyBytes }

    /// Restores the reserve.
    package func renewReserve() throws -> Bool {
        if try hasReserve() { return true }
        try fileSystem.removeIfPresent(OutboxLayout.reserve)
        restoreReserve()
        return try hasReserve()
    }
}
