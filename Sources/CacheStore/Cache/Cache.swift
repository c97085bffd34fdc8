import Disk
import Model
import SystemPackage

/// The cache on disk: immutable blobs named by their digest, and one readable entry for each URL.
///
/// Any number of processes and threads may use one cache at once. Readers take no lock; writers hold `cache/lock` for
/// the time of one document. Nothing is synced: a lost blob is a miss.
///
/// Entries and their content are read, stored, changed and removed here. The rest is in the values ``responses``, ``parts``,
/// ``space``, ``priority``, ``catalog``, ``search``, ``transfer`` and ``survey``.
public final class Cache: Sendable {
    /// Longer content is rejected: it is held in memory while it is fetched, stored and read.
    package static let maximumContentBytes = 8 << 20

    let fileSystem: any FileSystem
    let quarantine: Quarantine
    let clock: any StoreClock
    let ledger: QuotaLedger
    let memoryTier: MemoryTier?
    /// The list as it was last read; only a long-running process keeps it.
    let catalogMemory: CatalogMemory?
    let verified = VerifiedBlobs()
    let newRecords = NewRecords()
    /// The files of so many documents are checked by each list, whatever the index says.
    let looksOfAList: Int
    /// The space for blobs, entries and temporary files: the quota without the other files. `nil` without a quota.
    package let quotaBytes: Int64?
    /// The quota as it was set.
    package let totalQuotaBytes: Int64?
    /// Where the index is written.
    let index: IndexSpace
    /// Which content is evicted last or never.
    package let priority: EvictionPriority
    /// Held by the only writer.
    let lock: CacheLock

    /// - Parameters:
    ///   - quotaBytes: the space of blobs, entries, temporary files and the index together, folders included.
    ///   - indexBytes: reserves so much of it for the index, which is evicted for content if `nil`.
    ///   - memoryTierBytes: how much content a long-running process keeps in memory, and that it keeps the list; 0 for
    ///     neither.
    ///   - bootIdentity: identifies this boot of the machine.
    ///   - looksOfAList: a list of so many documents at most looks at the files of all, a longer one at those of a quarter
    ///     as many.
    ///   - protection: what must not be evicted; called before each eviction.
    ///   - retained: content that is evicted last, whatever its entries name: the versions of delivered tests, in the order
    ///     of eviction. Content that is listed several times is evicted at its last position.
    package init(
        fileSystem: any FileSystem, quarantine: Quarantine, clock: any StoreClock, quotaBytes: Int64?,
        indexBytes: Int64? = nil, memoryTierBytes: Int = 0, bootIdentity: String = BootIdentity.current,
        looksOfAList: Int = 1000,
        protection: @escaping @Sendable () throws -> Protection = { .nothing },
        retained: @escaping @Sendable () throws -> [Digest] = { [] }
    ) {
        self.fileSystem = fileSystem
        self.quarantine = quarantine
        self.clock = clock
        totalQuotaBytes = quotaBytes
        self.quotaBytes = quotaBytes.map { quota in
            indexBytes.map { quota - $0 } ?? Self.contentBytes(ofQuota: quota)
        }
        let ledger = QuotaLedger(fileSystem: fileSystem, bootIdentity: bootIdentity)
        self.ledger = ledger
        index = IndexSpace(
            fileSystem: fileSystem, ledger: ledger,
            quota: quotaBytes.map { quota in
                IndexSpace.Quota(
                    indexBytes: indexBytes ?? IndexSpace.mostBytes(ofQuota: quota),
                    totalBytes: indexBytes == nil ? quota - Self.bytesBeside(quota) : quota)
            })
        self.looksOfAList = looksOfAList
        priority = EvictionPriority(protection: protection, retained: retained)
        lock = CacheLock(ledger, fileSystem)
        memoryTier = memoryTierBytes > 0 ? MemoryTier(capacityBytes: memoryTierBytes) : nil
        catalogMemory = memoryTierBytes > 0 ? CatalogMemory() : nil
    }

    /// The part of a quota for blobs, entries and temporary files.
    package static func contentBytes(ofQuota quotaBytes: Int64) -> Int64 {
        let beside = bytesBeside(quotaBytes)
        // The folder of the index stays when its files are evicted.
        return beside == 0 ? quotaBytes : quotaBytes - beside - QuotaLedger.blockBytes
    }

    /// The ledger, the tag and the folders above, estimated together.
    private static func bytesBeside(_ quotaBytes: Int64) -> Int64 {
        IndexSpace.mostBytes(ofQuota: quotaBytes) == 0 ? 0 : 4 * QuotaLedger.blockBytes
    }

    /// Makes the folders where they are missing.
    package func makeFolders() throws { try Self.makeFolders(in: fileSystem) }

    static func makeFolders(in fileSystem: any FileSystem) throws {
        for folder in CacheLayout.folders { try fileSystem.makeFolderIfMissing(folder) }
        if try fileSystem.status(at: CacheLayout.tag) == nil {
            try fileSystem.writeUnsynced(
                Array(CacheLayout.tagContent.utf8), to: CacheLayout.tag, temporaryFolder: CacheLayout.temporary)
        }
    }

    /// The result of a lookup. A fault is a miss with a reason.
    package enum Lookup<Value: Sendable>: Sendable {
        case hit(Value)
        case miss(String)

        package var value: Value? {
            if case .hit(let value) = self { value } else { nil }
        }
    }

    // MARK: Entries

    /// The entry of a URL.
    package func entry(url: String) throws -> Lookup<CacheEntry> {
        let path = CacheLayout.entryPath(url: url)
        let lookup = try entry(at: path)
        if case .hit(let entry) = lookup, entry.url != url {
            return .miss("its entry belongs to \(entry.url)")
        }
        return lookup
    }

    func entry(at path: FilePath) throws -> Lookup<CacheEntry> {
        let bytes: [UInt8]
        do throws(FileError) {
            (bytes, _) = try fileSystem.readFile(path, maximumBytes: 1 << 20)
        } catch {
            if error.isMissing { return .miss("not on this device") }
            return .miss(error.description)
        }
        do throws(DocumentFault) {
            return .hit(try DocumentCoding.decode(CacheEntry.self, from: bytes))
        } catch {
            // It may have been replaced during the read; a damaged one stays damaged.
            return try quarantineIfWritable(path, reason: "a damaged cache entry: \(error)")
                ? .miss("its entry was damaged and is in quarantine") : .miss("its entry is damaged")
        }
    }

    /// Records that an entry was used now: the least recently used is trimmed first.
    package func markUsed(_ entry: CacheEntry) { markUsed(at: CacheLayout.entryPath(url: entry.url)) }

    /// The same for an entry's file.
    package func markUsed(at path: FilePath) {
        do throws(FileError) {
            try fileSystem.setModified(path, nanoseconds: clock.now.nanosecondsSinceEpoch)
        } catch {
            // Trimmed meanwhile, a read-only disk, another user's store: reading continues anyway.
        }
    }

    /// Moves a damaged file to quarantine; on a read-only disk it stays, and still counts as a miss.
    ///
    /// - Returns: whether it was moved.
    func quarantineIfWritable(_ path: FilePath, reason: String) throws -> Bool {
        do throws(FileError) {
            try quarantine.take(path, reason: reason)
            return true
        } catch {
            guard error.isUnwritable || error.isFull else { throw error }
            return false
        }
    }

    // MARK: Entries that are kept in memory

    /// The file of a URL's entry.
    package static func entryPath(url: String) -> FilePath { CacheLayout.entryPath(url: url) }

    /// The current stamp of an entry's file: while it is unchanged, so is the entry.
    package func stamp(ofEntryAt path: FilePath) throws -> FileStamp? {
        try fileSystem.status(at: path).map(FileStamp.init)
    }

    /// The entry of a URL with the stamp of the file that it was read from.
    package func stampedEntry(url: String, at path: FilePath) throws -> Lookup<(entry: CacheEntry, stamp: FileStamp)> {
        guard let stamp = try stamp(ofEntryAt: path) else { return .miss("not on this device") }
        switch try entry(url: url) {
        case .miss(let reason): return .miss(reason)
        case .hit(let entry):
            // Replaced meanwhile: the next lookup sees another stamp and reads it again.
            return .hit((entry, stamp))
        }
    }
}
