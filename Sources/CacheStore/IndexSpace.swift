import Disk
import Model
import SystemPackage

/// The room of the index. What is derived from the cache counts against the cache's quota: a share of it is the index's own, so that
/// neither ever needs the other's room, whatever processes write at the same time.
struct IndexSpace: Sendable {
    let fileSystem: any FileSystem
    /// What all files of the index may take, temporary ones and the folder included; `nil` for as much as they like.
    let shareBytes: Int64?
    /// What content leaves of the quota, where that is known. An earlier program may have filled all of it with content.
    let freeBytes: @Sendable () -> Int64?

    private var limitBytes: Int64? { shareBytes.map { max(0, min($0, freeBytes() ?? $0)) } }

    /// The divisor of the quota's share that the index has.
    private static let share: Int64 = 8
    /// Below this quota there is no index: so few documents are read in no time.
    private static let leastQuota: Int64 = 1 << 20

    /// The share of the index in a quota.
    static func share(ofQuota quotaBytes: Int64) -> Int64 {
        guard quotaBytes >= leastQuota else { return 0 }
        return quotaBytes / share / QuotaLedger.blockBytes * QuotaLedger.blockBytes
    }

    /// Whether there is an index at all.
    var isOpen: Bool { shareBytes != 0 }

    /// What the words of a document take, with what a segment has beside them.
    private static let usualBytesOfTexts: Int64 = 1200

    /// Whether the texts of so many more documents may be kept.
    func hasRoom(forTextsOf count: Int) throws(FileError) -> Bool {
        guard let limitBytes else { return true }
        return try limitBytes - chargedBytes() >= Int64(count) * Self.usualBytesOfTexts + 2 * QuotaLedger.blockBytes
    }

    /// What the files take now.
    func chargedBytes() throws(FileError) -> Int64 {
        guard let folder = try fileSystem.status(at: CacheLayout.index) else { return 0 }
        var bytes = folder.chargedBytes
        for entry in try fileSystem.list(CacheLayout.index) where entry.kind == .regular {
            bytes += try fileSystem.status(at: CacheLayout.index.appending(entry.name))?.chargedBytes ?? 0
        }
        return bytes
    }

    /// Removes files of an index that is longer than its share, such as one of an earlier program.
    ///
    /// - Returns: whether something was removed.
    func fit() throws(FileError) -> Bool {
        guard let limitBytes else { return false }
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
    /// - Parameter others: the files that give their room for it.
    /// - Returns: its checksum; `nil` where it was not written: there is no room, or another process writes.
    @discardableResult
    func write(
        _ path: FilePath, beside others: [FilePath], _ body: (IndexWriter) throws -> Void
    ) throws -> Digest? {
        guard let limitBytes else {
            let writer = try IndexWriter(fileSystem)
            try body(writer)
            return try writer.finish(as: path)
        }
        guard limitBytes > 0 else { return nil }
        try fileSystem.makeFolderIfMissing(CacheLayout.index)
        guard let lock = try LockFile.acquire(CacheLayout.indexLock, in: fileSystem, wait: false) else { return nil }
        return try withExtendedLifetime(lock) {
            // First beside everything, then in the place of the former file, then of what is easier to do without.
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
