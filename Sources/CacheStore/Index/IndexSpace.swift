import Disk
import Model
import SystemPackage

/// The space of the index. It counts against the cache's quota, where content has priority: the index may use what
/// content leaves free, and is removed when content is booked.
///
/// Under `index/lock`, index files are written, and content is booked where space is scarce. So both together keep the
/// quota, whatever processes write at the same time. A holder of `cache/lock` may wait for `index/lock`, never the
/// other way round.
struct IndexSpace: Sendable {
    let fileSystem: any FileSystem
    let ledger: QuotaLedger
    let quota: Quota?

    /// Bytes as `du` counts them.
    struct Quota: Sendable {
        /// The most that all files of the index take, temporary ones and the folder included.
        var indexBytes: Int64
        /// The most that index and content take together.
        var totalBytes: Int64
    }

    /// An index larger than this fraction of the quota is not worth its space.
    private static let divisor: Int64 = 8
    /// Below this quota there is no index: so few documents are read in no time.
    private static let leastQuota: Int64 = 1 << 20

    /// The most that the index takes of a quota.
    static func mostBytes(ofQuota quotaBytes: Int64) -> Int64 {
        guard quotaBytes >= leastQuota else { return 0 }
        return quotaBytes / divisor / QuotaLedger.blockBytes * QuotaLedger.blockBytes
    }

    /// Whether there is an index at all.
    var isOpen: Bool { quota?.indexBytes != 0 }

    /// The space for the index beside so much content.
    private func limitBytes(beside contentBytes: Int64) -> Int64? {
        quota.map { quota in
            max(0, min(quota.indexBytes, quota.totalBytes - contentBytes)) / QuotaLedger.blockBytes
                * QuotaLedger.blockBytes
        }
    }

    /// The same beside the current content; where that is unknown, content is assumed to leave enough.
    private var limitBytes: Int64? {
        quota == nil ? nil : limitBytes(beside: ledger.usedBytes() ?? ledger.statedBytes() ?? 0)
    }

    /// Books content. Index files that take its space are removed first.
    func book(_ contentBytes: Int64) throws {
        guard let quota, contentBytes + quota.indexBytes > quota.totalBytes,
            let limitBytes = limitBytes(beside: contentBytes)
        else { return try ledger.write(usedBytes: contentBytes) }
        try withExtendedLifetime(try writersLock()) {
            _ = try shrink(to: limitBytes)
            // Temporary files of killed writers: no other process writes now.
            if try chargedBytes() > limitBytes {
                try fileSystem.removeAbandonedTemporaryFiles(in: CacheLayout.index, isShared: true)
            }
            try ledger.write(usedBytes: contentBytes)
        }
    }

    /// - Returns: `nil` on a full disk, where no index can be written either.
    private func writersLock() throws(FileError) -> LockFile? {
        do throws(FileError) {
            try fileSystem.makeFolderIfMissing(CacheLayout.index)
            return try LockFile.acquire(CacheLayout.indexLock, in: fileSystem, wait: true)
        } catch {
            guard error.isFull else { throw error }
            return nil
        }
    }

    /// The usual size of a document's words, with the overhead of a segment.
    private static let usualBytesOfTexts: Int64 = 1200

    /// Whether the texts of so many more documents may be kept.
    func hasRoom(forTextsOf count: Int) throws(FileError) -> Bool {
        guard let limitBytes else { return true }
        return try limitBytes - chargedBytes() >= Int64(count) * Self.usualBytesOfTexts + 2 * QuotaLedger.blockBytes
    }

    /// The current size of the files.
    func chargedBytes() throws(FileError) -> Int64 {
        guard let folder = try fileSystem.status(at: CacheLayout.index) else { return 0 }
        var bytes = folder.chargedBytes
        for entry in try fileSystem.list(CacheLayout.index) where entry.kind == .regular {
            bytes += try fileSystem.status(at: CacheLayout.index.appending(name: entry.name))?.chargedBytes ?? 0
        }
        return bytes
    }

    /// Removes files of an index that is too large, such as one of an earlier program.
    ///
    /// - Returns: whether something was removed.
    func fit() throws(FileError) -> Bool {
        guard let limitBytes else { return false }
        return try shrink(to: limitBytes)
    }

    /// Removes index files, the least important first.
    ///
    /// - Returns: whether something was removed.
    private func shrink(to limitBytes: Int64) throws(FileError) -> Bool {
        var isChanged = false
        for path in [CacheLayout.texts, CacheLayout.lines, CacheLayout.catalog] {
            if try chargedBytes() <= limitBytes { break }
            guard try fileSystem.status(at: path) != nil else { continue }
            try fileSystem.removeIfPresent(path)
            isChanged = true
        }
        return isChanged
    }

    /// Writes one file, where there is room for it.
    ///
    /// - Parameter others: the files that are removed for it.
    /// - Returns: its checksum; `nil` if it was not written: there is no room, or another process writes.
    @discardableResult
    func write(
        _ path: FilePath, beside others: [FilePath], _ body: (IndexWriter) throws -> Void
    ) throws -> Digest? {
        guard let quota else {
            let writer = try IndexWriter(fileSystem)
            try body(writer)
            return try writer.finish(as: path)
        }
        guard quota.indexBytes > 0 else { return nil }
        try fileSystem.makeFolderIfMissing(CacheLayout.index)
        guard let lock = try LockFile.acquire(CacheLayout.indexLock, in: fileSystem, wait: false) else { return nil }
        return try withExtendedLifetime(lock) {
            // In the middle of a change, or after one made by hand, the ledger alone cannot be trusted.
            let contentBytes = try ledger.usedBytes() ?? max(ledger.count(), ledger.statedBytes() ?? 0)
            guard let limitBytes = limitBytes(beside: contentBytes) else { return nil }
            // First beside everything, then in place of the former file, then of less important ones.
            for victims in [[], [path]] + others.indices.map({ [path] + others[...$0] }) {
                for victim in victims { try fileSystem.removeIfPresent(victim) }
                let room = limitBytes - (try chargedBytes())
                do {
                    let writer = try IndexWriter(fileSystem, maximumBytes: max(0, room))
                    try body(writer)
                    return try writer.finish(as: path)
                } catch is IndexWriter.NoRoom {
                    continue
                }
            }
            return nil
        }
    }
}
