import Disk
import Model
import SystemPackage

/// Checks of the outbox for doctor, beyond its tests. Nothing here changes a test.
package struct OutboxSurvey: Sendable {
    let outbox: Outbox

    var fileSystem: any FileSystem { outbox.fileSystem }

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
            let bytes = try fileSystem.readFile(path, maximumBytes: Outbox.maximumTestBytes).bytes
            let receipt = try DocumentCoding.decode(Receipt.self, from: bytes)
            return receipt.test == item.id ? nil : "test: is \(receipt.test), which is not the file's name"
        } catch let error as FileError {
            return error.isMissing ? nil : error.description
        } catch let fault as DocumentFault {
            return fault.description
        }
    }

    /// Foreign files in the outbox's own folder.
    package func strangers() throws -> [FolderEntry] {
        guard try fileSystem.status(at: OutboxLayout.root) != nil else { return [] }
        return try fileSystem.list(OutboxLayout.root).filter { !OutboxLayout.ownNames.contains($0.name) }
    }

    /// Files of the folder of attachments that do not belong there.
    package func mediaStrangers() throws -> [FolderEntry] {
        guard try fileSystem.status(at: OutboxLayout.media)?.kind == .folder else { return [] }
        return try fileSystem.list(OutboxLayout.media).filter {
            $0.kind != .regular || OutboxLayout.mediaDigest(fileName: $0.name) == nil
        }
    }

    /// The attachments whose bytes do not match their digests.
    package func damagedMedia() throws -> [FilePath] {
        try outbox.media.files().map(\.digest).filter { digest in
            try OpenContent(OutboxLayout.mediaPath(digest), in: fileSystem).digest() != digest
        }.map(OutboxLayout.mediaPath)
    }

    /// Whether the space for a full disk is reserved and allocated.
    package func hasReserve() throws -> Bool {
        guard let status = try fileSystem.status(at: OutboxLayout.reserve) else { return false }
        return status.kind != .regular || status.allocatedBytes >= Outbox.reserveBytes
    }

    /// Whether there is enough room for the reserve to be restored automatically.
    package func hasPlentyOfRoom() throws -> Bool { try fileSystem.freeBytes() > Outbox.plentyBytes }

    /// Restores the reserve.
    package func renewReserve() throws -> Bool {
        if try hasReserve() { return true }
        try fileSystem.removeIfPresent(OutboxLayout.reserve)
        outbox.restoreReserve()
        return try hasReserve()
    }
}

extension Outbox {
    /// Checks for doctor.
    package var survey: OutboxSurvey { OutboxSurvey(outbox: self) }
}
