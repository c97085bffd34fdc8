import Disk
import Synchronization
import SystemPackage

/// The lock of those who change the cache, with the ledger that it protects and the folders that are held open under it.
final class CacheLock: Sendable {
    private let fileSystem: any FileSystem
    private let ledger: QuotaLedger
    /// Whether this value has booked anything yet.
    private let hasBooked = Mutex(false)
    private let openFolders = Mutex<OpenFolders?>(nil)
    /// The state in which an eviction last found nothing to evict but content that may be requested.
    private let full = Mutex<(usedBytes: Int64, folders: QuotaLedger.Folders)?>(nil)

    /// Open descriptors of the folders for writing.
    private struct OpenFolders {
        var files: any FileSystem
        /// The folders' inodes; 0 for a new one.
        var inodes: [UInt64]
    }

    init(_ ledger: QuotaLedger, _ fileSystem: any FileSystem) {
        self.ledger = ledger
        self.fileSystem = fileSystem
    }

    /// Whether nothing has changed since nothing could be evicted. A full cache then rejects content without checking
    /// all entries each time.
    func isFull(at usedBytes: Int64) throws -> Bool {
        let folders = try ledger.folders()
        return full.withLock { $0.map { $0.usedBytes == usedBytes && $0.folders == folders } ?? false }
    }

    func noteFull(at usedBytes: Int64) throws {
        let folders = try ledger.folders()
        full.withLock { $0 = (usedBytes, folders) }
    }

    /// Runs `body` while no other process or thread changes the cache, and writes the used bytes that it returns.
    func holdingLedger<Result>(
        _ body: (_ booked: Int64?) throws -> (result: Result, usedBytes: Int64)
    ) throws -> Result {
        let lock = try takeLock()
        let folders = try checkFolders()
        return try withExtendedLifetime(lock) {
            try ledger.keepingOpen(folders) {
                let (result, used) = try body(try bookedBytes(folders))
                try ledger.write(usedBytes: used, try ledger.folders())
                full.withLock { $0 = nil }
                return result
            }
        }
    }

    /// The ledger's number, if the folders were not changed by hand. The many folders of the blobs are checked once,
    /// before this cache's first booking: that takes as long as a small document.
    private func bookedBytes(_ folders: QuotaLedger.Folders) throws -> Int64? {
        let isFirst = hasBooked.withLock { hasBooked in
            defer { hasBooked = true }
            return !hasBooked
        }
        if isFirst, try !ledger.isUntouched() { return nil }
        return ledger.usedBytes(folders)
    }

    /// Checks that the folders exist and none is a link, which could lead writes out of the store. From then on they
    /// are held (``held``).
    ///
    /// - Returns: the folders that the ledger's mark covers.
    private func checkFolders() throws -> QuotaLedger.Folders {
        let statuses = try CacheLayout.folders.map { folder throws -> FileStatus? in
            guard let status = try fileSystem.status(at: folder) else {
                // Removed, or not yet durable at a power cut.
                try fileSystem.makeFolderIfMissing(folder)
                return nil
            }
            guard status.kind == .folder else {
                throw FileError(
                    "use", fileSystem.root.pushing(folder),
                    status.kind == .symbolicLink ? .tooManySymbolicLinkLevels : .notDirectory)
            }
            return status
        }
        let (blobs, entries, temporary) = (statuses[1], statuses[2], statuses[3])
        let inodes = [blobs, entries, temporary].map { $0?.inode ?? 0 }
        try openFolders.withLock { openFolders in
            if openFolders?.inodes == inodes { return }
            openFolders = OpenFolders(files: try fileSystem.holding(CacheLayout.written), inodes: inodes)
        }
        return QuotaLedger.Folders(entries: entries, blobs: blobs)
    }

    /// The file system for the holder of the cache's lock: with the folders held open since it was taken.
    var held: any FileSystem { openFolders.withLock { $0?.files } ?? fileSystem }

    private func takeLock() throws -> LockFile {
        do throws(FileError) {
            if let lock = try LockFile.acquire(CacheLayout.lock, in: fileSystem, wait: true) { return lock }
        } catch {
            guard error.isMissing else { throw error }
        }
        // The complete cache was removed, which is allowed.
        try Cache.makeFolders(in: fileSystem)
        if let lock = try LockFile.acquire(CacheLayout.lock, in: fileSystem, wait: true) { return lock }
        throw FileError("lock", fileSystem.root.pushing(CacheLayout.lock), .resourceTemporarilyUnavailable)
    }
}
