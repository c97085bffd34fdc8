import Disk
import HTTPCaching
import Model
import SystemPackage

/// Putting content and entries into the cache.
extension Cache {
    /// A response that a pull has brought.
    package struct Arrival: Sendable {
        package var url: String
        package var bytes: [UInt8]
        package var mediaType: String
        package var response: StoredResponse
        package var document: DocumentSummary?
        /// Of a document, what search looks into, folded; `nil` where it is to be read from the bytes when it is needed.
        package var searchText: String?

        package init(
            url: String, bytes: [UInt8], mediaType: String, response: StoredResponse, document: DocumentSummary? = nil,
            searchText: String? = nil
        ) {
            self.url = url
            self.bytes = bytes
            self.mediaType = mediaType
            self.response = response
            self.document = document
            self.searchText = searchText
        }
    }

    /// Keeps what a pull has brought: its content as a blob, unless there is one with the same bytes, and its entry.
    ///
    /// Room is made first, as `eviction` allows; what is protected stays. The entry is written after the blob,
    /// so that a reader who sees the entry finds the content.
    ///
    /// - Parameter replacingEdit: takes the place of an edit made here, too.
    /// - Throws: `CacheError.quotaExceeded` when it does not fit, and `.editedHere`; nothing is evicted then.
    @discardableResult
    package func store(
        _ arrival: Arrival, eviction: EvictionPolicy = .leastRecentlyUsed, replacingEdit: Bool = false
    ) throws -> CacheEntry {
        let digest = Digest(sha256Of: arrival.bytes)
        let blob = CacheLayout.blobName(digest: digest, mediaType: arrival.mediaType)
        let entry = CacheEntry(
            url: arrival.url, blob: blob, sizeBytes: arrival.bytes.count, mediaType: arrival.mediaType,
            response: arrival.response, document: arrival.document, isPulled: true)
        let stored = try storedForm(arrival.bytes, blob)
        do {
            try store(entry, stored, arrival, eviction, replacingEdit)
        } catch let error as FileError where error.isFull && newRecords.isNoting {
            // The texts of an index, which can be made again, take no document's room.
            newRecords.end()
            try store(entry, stored, arrival, eviction, replacingEdit)
        }
        return entry
    }

    private func store(
        _ entry: CacheEntry, _ stored: [UInt8], _ arrival: Arrival, _ eviction: EvictionPolicy, _ replacingEdit: Bool
    ) throws {
        try withSpace { used in
            let path = CacheLayout.entryPath(url: arrival.url)
            // Most are new: a look that finds nothing is quicker than an open that does.
            if !replacingEdit, try held.status(at: path) != nil,
                try self.entry(url: arrival.url).value?.edited != nil
            {
                throw CacheError.editedHere(arrival.url)
            }
            let isContentNew = try commit(entry, at: path, stored: stored, used: &used, eviction: eviction)
            // What lay there already was read a while ago.
            if isContentNew, let text = arrival.searchText { note(entry, storedBytes: stored.count, text: text) }
        }
    }

    /// Changes the entry of a URL whose content stays: after a 304, or when the server stopped to list it. The time of
    /// last use stays too.
    ///
    /// The change is made to the entry as it is on the disk at that moment, under the lock: an edit that somebody made
    /// in the meantime is not undone.
    ///
    /// - Returns: the entry as it is now; `nil` when there is none any more.
    @discardableResult
    package func update(url: String, _ change: (inout CacheEntry) -> Void) throws -> CacheEntry? {
        try withSpace { used in
            guard var entry = try entry(url: url).value else { return nil }
            let path = CacheLayout.entryPath(url: url)
            let before = try fileSystem.status(at: path)
            let former = entry
            change(&entry)
            precondition(entry.url == url && entry.blob == former.blob, "an update keeps the content")
            // The old file and the new one are there together for a moment.
            let bytes = try DocumentCoding.encode(entry)
            let needed = roomForEntry(bytes)
            if let quotaBytes, used + needed > quotaBytes {
                used = try recount()
                // Where even that does not fit, what is known stays as it was: nothing is evicted for it.
                if used + needed > quotaBytes { return former }
            }
            try index.book(used + needed)
            try replaceEntry(at: path, bytes, used: &used)
            // A nanosecond later than it was: no listing is to take the new file for the former one, whose inode number
            // and length it may have.
            if let before { try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds) }
            return entry
        }
    }

    /// Removes the entry of a URL, and its content unless something else refers to it.
    package func remove(url: String) throws {
        try withSpace { used in
            let records = try records(.trusting)
            guard let record = records.first(where: { $0.url == url }) else { return }
            var references = BlobReferences(records)
            used -= try evict([record], references: &references, protectedDigests: try keptContent()).bytes
        }
    }

    /// Takes new content for an entry from this machine: a local edit. A pull will not overwrite it without a word.
    ///
    /// All entries that shared the former content get the new one.
    @discardableResult
    package func adopt(_ bytes: [UInt8], editOf entry: CacheEntry, summary: DocumentSummary) throws -> CacheEntry {
        let digest = Digest(sha256Of: bytes)
        guard digest != entry.digest else { return try confirmEdit(entry) }
        let blob = CacheLayout.BlobName(digest: digest, fileExtension: entry.blob.fileExtension, isCompressed: true)
        // A blob that another URL has brought is written anew all the same: nobody can tell whether a flush of it has failed
        // before, which the next flush would not say.
        _ = try storedForm(bytes, blob)
        let stored = try Gzip.compress(bytes)
        let now = clock.now
        return try withSpace { used in
            // Whoever was first has done it.
            if case .hit(let current) = try self.entry(url: entry.url), current.digest != entry.digest {
                return try confirmEdit(current)
            }
            var adopted = entry
            for record in try records(.trusting) where record.digest == entry.digest || record.url == entry.url {
                let found = record.url == entry.url ? entry : try self.entry(url: record.url).value
                guard var changed = found, changed.digest == entry.digest else { continue }
                changed.blob = blob
                changed.sizeBytes = bytes.count
                changed.edited = .init(from: entry.edited?.from ?? entry.digest, at: now)
                changed.document = summary
                try commit(
                    changed, at: CacheLayout.entryPath(url: changed.url), stored: stored, used: &used,
                    eviction: .leastRecentlyUsed, isDurable: true)
                if changed.url == entry.url { adopted = changed }
            }
            // Before its only other copy goes.
            try makeDurable(adopted)
            if try !isNeededAsItWas(entry.blob) { used -= try removeBlob(entry.blob) }
            return adopted
        }
    }

    /// Puts the content of a document into its place, where it is missing or what lies there is something else: for
    /// who needs it by its digest (``content(digest:)``), whatever its entry names. An edit that lies in its place is
    /// adopted first.
    ///
    /// - Throws: `CacheError.quotaExceeded` when it does not fit.
    package func restore(_ bytes: [UInt8]) throws {
        let digest = Digest(sha256Of: bytes)
        try restore(bytes, as: CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true))
    }

    /// The same for any content that is held in memory.
    func restore(_ bytes: [UInt8], as blob: CacheLayout.BlobName) throws {
        if case .intact = try readBlob(blob) { return }
        let stored = try storedForm(bytes, blob)
        try withSpace { used in
            if try fileSystem.status(at: blob.path) != nil { return }
            let needed = QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes
            try makeRoom(
                for: needed, url: blob.relativePath, keeping: [blob.digest], used: &used, eviction: .leastRecentlyUsed)
            try index.book(used + needed)
            try place(stored, blob, over: nil, used: &used, isDurable: false)
        }
    }

    /// Whether a test was begun with this content, and it is still what its name says: what was edited in its place is not.
    private func isNeededAsItWas(_ blob: CacheLayout.BlobName) throws -> Bool {
        guard try keptContent().contains(blob.digest), case .intact = try readBlob(blob) else { return false }
        return true
    }

    // MARK: Under the lock

    func storedForm(_ bytes: [UInt8], _ blob: CacheLayout.BlobName) throws -> [UInt8] {
        guard try fileSystem.status(at: blob.path) != nil else {
            return blob.isCompressed ? try Gzip.compress(bytes) : bytes
        }
        switch try readBlob(blob) {
        // Another URL has brought the same content: then there is nothing to write.
        case .intact: return []
        case .missing, .unreadable, .tooLong: break
        case .differs(_, let reason): try makeWay(for: blob, reason: reason)
        }
        return blob.isCompressed ? try Gzip.compress(bytes) : bytes
    }

    /// What lies under a blob's name and is not its content (torn by a power cut, edited by hand) is settled before the
    /// content comes: what is stored is there.
    private func makeWay(for blob: CacheLayout.BlobName, reason: String) throws {
        for record in try records(.trusting) where record.blob == blob {
            if let entry = try entry(url: record.url).value { _ = try content(of: entry) }
        }
        if case .differs = try readBlob(blob) { try quarantine.take(blob.path, reason: reason) }
    }

    /// Whoever wrote an edit may have failed, or been killed, before it was durable.
    private func confirmEdit(_ entry: CacheEntry) throws -> CacheEntry {
        if entry.edited != nil { try makeDurable(entry) }
        return entry
    }

    /// What the network can bring again is not flushed; an edit made here exists nowhere else.
    private func makeDurable(_ entry: CacheEntry) throws {
        // The bytes of both files are, since before they had their names.
        for folder in [entry.blob.shard, CacheLayout.blobs, CacheLayout.entries, CacheLayout.root, FilePath()] {
            try fileSystem.makeDurable(folder: folder)
        }
    }

    /// - Parameter path: the entry's.
    /// - Returns: whether the content was written, and did not lie there already.
    @discardableResult
    private func commit(
        _ entry: CacheEntry, at path: FilePath, stored: [UInt8], used: inout Int64, eviction: EvictionPolicy,
        isDurable: Bool = false
    ) throws -> Bool {
        let former = try held.status(at: entry.blob.path)
        let isNew = isDurable || former?.kind != .regular
        // The blob that made compressing needless was evicted in the meantime.
        if isNew, stored.isEmpty, entry.sizeBytes > 0 { throw CacheError.notCached(entry.url) }
        let bytes = try DocumentCoding.encode(entry)
        // The shard's folder is always counted: making room may remove the one that is there.
        let needed =
            (isNew ? QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes : 0)
            + roomForEntry(bytes)
        try makeRoom(
            for: needed, url: entry.url, keeping: [entry.digest], used: &used, eviction: eviction)
        // Booked before the first byte is written: whoever dies here leaves the ledger too high, never too low.
        try index.book(used + needed)
        if isNew { try place(stored, entry.blob, over: former, used: &used, isDurable: isDurable) }
        try replaceEntry(at: path, bytes, used: &used, isDurable: isDurable)
        return isNew
    }

    /// Writes content under its name.
    ///
    /// - Parameter former: what lies there.
    private func place(
        _ stored: [UInt8], _ blob: CacheLayout.BlobName, over former: FileStatus?, used: inout Int64, isDurable: Bool
    ) throws {
        let (shard, path) = (blob.shard, blob.path)
        let folder = try checkShard(blob)
        if folder == nil {
            used += try charge(of: CacheLayout.blobs) { try held.makeFolderIfMissing(shard) }
        }
        try write(stored, to: path, isDurable: isDurable)
        used += try chargedBytes(of: [shard, path]) - (folder?.chargedBytes ?? 0) - (former?.chargedBytes ?? 0)
    }

    /// - Parameter isDurable: flushes the bytes before they get their name.
    private func write(_ bytes: [UInt8], to path: FilePath, isDurable: Bool) throws(FileError) {
        if isDurable {
            try held.stage(bytes, to: path, temporaryFolder: CacheLayout.temporary)
        } else {
            try held.writeUnsynced(bytes, to: path, temporaryFolder: CacheLayout.temporary)
        }
    }

    /// What an entry takes at most, with what a later change may add.
    func roomForEntry(_ bytes: [UInt8]) -> Int64 { QuotaLedger.charge(forFileOf: 2048 + bytes.count) }

    /// - Parameter bytes: the entry as it is written.
    func replaceEntry(at path: FilePath, _ bytes: [UInt8], used: inout Int64, isDurable: Bool = false) throws {
        used += try charge(of: CacheLayout.entries, path) { try write(bytes, to: path, isDurable: isDurable) }
    }

    /// How much more these paths take after `change` than before it.
    func charge(of paths: FilePath..., by change: () throws -> Void) throws -> Int64 {
        let before = try chargedBytes(of: paths)
        try change()
        return try chargedBytes(of: paths) - before
    }

    private func chargedBytes(of paths: [FilePath]) throws -> Int64 {
        let files = held
        return try paths.reduce(0) { try $0 + (files.status(at: $1)?.chargedBytes ?? 0) }
    }
}
