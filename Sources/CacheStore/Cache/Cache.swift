import Disk
import HTTPCaching
import HTTPTypes
import Model
import Synchronization
import SystemPackage

/// The cache on disk: immutable blobs named by their digest, and one readable entry for each URL.
///
/// Any number of processes and threads may use one cache at once. Readers take no lock; writers hold `cache/lock` for
/// the time of one document. Nothing is synced: a lost blob is a miss.
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
    /// Called before each eviction.
    let ownersProtection: @Sendable () throws -> Protection
    /// Content that is evicted last, in this order; called when it matters.
    let retained: @Sendable () throws -> [Digest]
    private let spared = Mutex<Set<String>>([])
    private let favoured = Mutex<(@Sendable (String) -> Bool)?>(nil)
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
        ownersProtection = protection
        self.retained = retained
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

    /// Protects these URLs from eviction for other content, as long as this value lives: content that a hub keeps for
    /// the hours without its upstream. They replace the URLs of the previous call.
    package func spare(urls: Set<String>) { spared.withLock { $0 = urls } }

    /// The priority of content when there is no more room.
    package enum Standing: Sendable {
        /// Nothing is favoured: only the time of last use counts.
        case equal
        /// Evicted after all passing content, and only for other favoured content.
        case favoured
        /// Anyone may have requested it: it is evicted for everything, and never replaces favoured content.
        case passing
    }

    /// Favours the URLs for which this holds, as long as this value lives; all others are passing.
    package func favour(_ isFavoured: @escaping @Sendable (String) -> Bool) { favoured.withLock { $0 = isFavoured } }

    package func standing(of url: String) -> Standing {
        guard let isFavoured = favoured.withLock({ $0 }) else { return .equal }
        return isFavoured(url) ? .favoured : .passing
    }

    func protection() throws -> Protection {
        var protection = try ownersProtection()
        protection.urls.formUnion(spared.withLock { $0 })
        return protection
    }

    /// Makes the folders where they are missing.
    package func makeFolders() throws {
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

    // MARK: Reading

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

    /// The content of an entry, checked against its digest, with the current entry (an edit made by hand is adopted).
    package func content(of entry: CacheEntry) throws -> Lookup<(entry: CacheEntry, bytes: [UInt8])> {
        if entry.primary.isPartial { return .miss("only a part of it is on this device") }
        if let memoryTier, let status = try fileSystem.status(at: entry.blob.path),
            let bytes = memoryTier.bytes(entry.digest, stamp: FileStamp(status))
        {
            return .hit((entry, bytes))
        }
        switch try readBlob(entry.blob) {
        case .intact(let bytes, let stamp):
            memoryTier?.keep(bytes, digest: entry.digest, stamp: stamp)
            return .hit((entry, bytes))
        case .missing:
            // Another process may have adopted an edit in the meantime.
            if case .hit(let current) = try self.entry(url: entry.url), current.digest != entry.digest {
                return try content(of: current)
            }
            return .miss("its content is not on this device")
        case .tooLong(let reason) where entry.document != nil:
            return try settle(entry, found: nil, reason: reason)
        case .unreadable(let reason), .tooLong(let reason):
            return .miss(reason)
        case .differs(let bytes, let reason):
            return try settle(entry, found: bytes, reason: reason)
        }
    }

    /// Content by digest, with or without an entry: the version that a draft was started with.
    package func content(digest: Digest) throws -> [UInt8]? {
        let name = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        guard case .intact(let bytes, _) = try readBlob(name) else { return nil }
        return bytes
    }

    /// Whether the file of an entry's content exists; it is not read.
    package func isPresent(_ entry: CacheEntry) throws -> Bool {
        try fileSystem.status(at: entry.blob.path)?.kind == .regular
    }

    enum BlobReading {
        case intact([UInt8], FileStamp)
        case missing
        case unreadable(String)
        /// Too long for a document.
        case tooLong(String)
        /// It does not match its name; the bytes are the decompressed content, if it decompresses.
        case differs([UInt8]?, String)
    }

    func readBlob(_ name: CacheLayout.BlobName) throws -> BlobReading {
        let stored: [UInt8]
        let status: FileStatus
        let maximumBytes = name.fileExtension == "json" ? Questionnaire.maximumBytes : Self.maximumContentBytes
        do throws(FileError) {
            // Compressed incompressible content is a little longer.
            (stored, status) = try fileSystem.readFile(name.path, maximumBytes: Int64(maximumBytes) + 65_536)
        } catch {
            if error.code == .fileTooLarge { return .tooLong(error.description) }
            return error.isMissing ? .missing : .unreadable(error.description)
        }
        var bytes = stored
        if name.isCompressed {
            do throws(GzipFault) {
                bytes = try Gzip.decompress(stored, maximumBytes: maximumBytes)
            } catch {
                // Plain text under a .gz name may be a person's edit.
                return .differs(error == .notGzip ? stored : nil, error.description)
            }
        }
        if Digest(sha256Of: bytes) == name.digest { return .intact(bytes, FileStamp(status)) }
        return .differs(bytes, "its content does not match its name")
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

    // MARK: The lock

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

    /// Runs `body` while no other process or thread changes the cache; it gets the booked bytes and sets them to the
    /// used ones. After a failure, the ledger stays too high until the next count.
    func withSpace<Result>(_ body: (inout Int64) throws -> Result) throws -> Result {
        try holdingLedger { booked in
            var used = try booked ?? recount()
            return (try body(&used), used)
        }
    }

    /// The same with the bytes counted now.
    ///
    /// - Parameter body: gets the booked bytes as well; `nil` if the ledger was not valid.
    func withCountedSpace<Result>(_ body: (inout Int64, _ booked: Int64?) throws -> Result) throws -> Result {
        try holdingLedger { booked in
            var used = try recount()
            return (try body(&used, booked), used)
        }
    }

    private func holdingLedger<Result>(
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
        try makeFolders()
        if let lock = try LockFile.acquire(CacheLayout.lock, in: fileSystem, wait: true) { return lock }
        throw FileError("lock", fileSystem.root.pushing(CacheLayout.lock), .resourceTemporarilyUnavailable)
    }
}
