import Disk
import HTTPCaching
import Model
import SystemPackage

/// Stores content and entries in the cache.
extension Cache {
    /// A pulled response.
    package struct Arrival: Sendable {
        package var url: String
        package var bytes: [UInt8]
        package var mediaType: String
        package var response: StoredResponse
        package var document: DocumentSummary?
        /// The folded search text of a document; `nil` to read it from the bytes when needed.
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

    /// Stores a pulled response: its content as a blob, unless one with the same bytes exists, and its entry.
    ///
    /// Room is made first, as `eviction` allows; protected content stays. The entry is written after the blob, so that
    /// a reader that sees the entry finds the content.
    ///
    /// - Parameter replacingEdit: whether it replaces a local edit.
    /// - Throws: `CacheError.quotaExceeded` if it does not fit, and `.editedHere`; nothing is evicted then.
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
            // The texts of an index can be recreated, so they must not take a document's room.
            newRecords.end()
            try store(entry, stored, arrival, eviction, replacingEdit)
        }
        return entry
    }

    private func store(
        _ entry: CacheEntry, _ stored: [UInt8], _ arrival: Arrival, _ eviction: EvictionPolicy, _ replacingEdit: Bool
    ) throws {
        try space.withSpace { used in
            let path = CacheLayout.entryPath(url: arrival.url)
            // Most are new: a failing lookup is quicker than opening a file.
            if !replacingEdit, try lock.held.status(at: path) != nil,
                try self.entry(url: arrival.url).value?.edited != nil
            {
                throw CacheError.editedHere(arrival.url)
            }
            let isContentNew = try commit(entry, at: path, stored: stored, used: &used, eviction: eviction)
            // Existing content was indexed earlier.
            if isContentNew, let text = arrival.searchText {
                catalog.note(entry, storedBytes: stored.count, text: text)
            }
        }
    }

    /// Stores an entry of another store as it is, with its content; it replaces the entry of its URL, an edited one, too.
    /// The bytes of an edit are durable then, and its names once their folders are.
    func store(_ other: CacheEntry, _ bytes: [UInt8], eviction: EvictionPolicy) throws {
        let blob = CacheLayout.blobName(digest: Digest(sha256Of: bytes), mediaType: other.mediaType)
        let entry = CacheEntry(
            url: other.url, blob: blob, sizeBytes: bytes.count, mediaType: other.mediaType, response: other.response,
            document: other.document, edited: other.edited, goneSince: other.goneSince, isPulled: true)
        let isDurable = other.edited != nil
        let stored = try isDurable ? rewrittenForm(bytes, blob) : storedForm(bytes, blob)
        try space.withSpace { used in
            _ = try commit(
                entry, at: CacheLayout.entryPath(url: entry.url), stored: stored, used: &used, eviction: eviction,
                isDurable: isDurable)
        }
    }

    /// Changes the entry of a URL whose content stays: after a 304, or when the server no longer lists it. The time of
    /// last use stays, too.
    ///
    /// The change applies to the current entry on disk, under the lock: a concurrent edit is not undone.
    ///
    /// - Returns: the current entry; `nil` if it no longer exists.
    @discardableResult
    package func update(url: String, _ change: (inout CacheEntry) -> Void) throws -> CacheEntry? {
        try space.withSpace { used in
            guard var entry = try entry(url: url).value else { return nil }
            let path = CacheLayout.entryPath(url: url)
            let before = try fileSystem.status(at: path)
            let former = entry
            change(&entry)
            precondition(entry.url == url && entry.blob == former.blob, "an update keeps the content")
            // The old file and the new one exist together for a moment.
            let bytes = try DocumentCoding.encode(entry)
            let needed = files.roomForEntry(bytes)
            if let quotaBytes, used + needed > quotaBytes {
                used = try space.recount()
                // If even that does not fit, the entry stays unchanged: nothing is evicted for it.
                if used + needed > quotaBytes { return former }
            }
            try index.book(used + needed)
            try files.replaceEntry(at: path, bytes, used: &used)
            // A nanosecond later than before: no listing may mistake the new file for the former one, whose inode
            // number and length it may have.
            if let before { try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds) }
            return entry
        }
    }

    /// Removes the entry of a URL, and its content unless something else refers to it.
    package func remove(url: String) throws {
        try space.withSpace { used in
            let records = try catalog.records(.trusting)
            guard let record = records.first(where: { $0.url == url }) else { return }
            var references = BlobReferences(records)
            used -= try eviction.evict([record], references: &references, protectedDigests: try priority.keptContent())
                .bytes
        }
    }

    /// Stores new content for an entry from this machine: a local edit. A pull does not overwrite it silently.
    ///
    /// All entries that shared the former content get the new one.
    @discardableResult
    package func adopt(_ bytes: [UInt8], editOf entry: CacheEntry, summary: DocumentSummary) throws -> CacheEntry {
        let digest = Digest(sha256Of: bytes)
        guard digest != entry.digest else { return try confirmEdit(entry) }
        let blob = CacheLayout.BlobName(digest: digest, fileExtension: entry.blob.fileExtension, isCompressed: true)
        let stored = try rewrittenForm(bytes, blob)
        let now = clock.now
        return try space.withSpace { used in
            // Another process has done it already.
            if case .hit(let current) = try self.entry(url: entry.url), current.digest != entry.digest {
                return try confirmEdit(current)
            }
            var adopted = entry
            for record in try catalog.records(.trusting) where record.digest == entry.digest || record.url == entry.url
            {
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
            // Before its only other copy is removed.
            try makeDurable(adopted)
            if try !isNeededAsItWas(entry.blob) { used -= try space.removeBlob(entry.blob) }
            return adopted
        }
    }

    /// Restores the content of a document where it is missing or wrong: for readers by digest (``content(digest:)``),
    /// whatever its entry names. An edit in its place is adopted first.
    ///
    /// - Throws: `CacheError.quotaExceeded` if it does not fit.
    package func restore(_ bytes: [UInt8]) throws {
        let digest = Digest(sha256Of: bytes)
        try restore(bytes, as: CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true))
    }

    /// The same for any content in memory.
    ///
    /// - Parameter isDurable: whether the bytes are durable then, and the name once its folders are.
    func restore(_ bytes: [UInt8], as blob: CacheLayout.BlobName, isDurable: Bool = false) throws {
        if !isDurable, case .intact = try readBlob(blob) { return }
        let stored = try isDurable ? rewrittenForm(bytes, blob) : storedForm(bytes, blob)
        try space.withSpace { used in
            let former = try fileSystem.status(at: blob.path)
            if !isDurable, former != nil { return }
            let needed = QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes
            try space.makeRoom(
                for: needed, url: blob.relativePath, keeping: [blob.digest], used: &used, eviction: .leastRecentlyUsed)
            try index.book(used + needed)
            try files.place(stored, blob, over: former, used: &used, isDurable: isDurable)
        }
    }

    /// Whether a test refers to this content and the blob is intact; an edited one is not.
    private func isNeededAsItWas(_ blob: CacheLayout.BlobName) throws -> Bool {
        guard try priority.keptContent().contains(blob.digest), case .intact = try readBlob(blob) else { return false }
        return true
    }

    // MARK: Under the lock

    func storedForm(_ bytes: [UInt8], _ blob: CacheLayout.BlobName) throws -> [UInt8] {
        guard try fileSystem.status(at: blob.path) != nil else {
            return blob.isCompressed ? try Gzip.compress(bytes) : bytes
        }
        switch try readBlob(blob) {
        // Another URL already has the same content: nothing to write.
        case .intact: return []
        case .missing, .unreadable, .tooLong: break
        case .differs(_, let reason): try makeWay(for: blob, reason: reason)
        }
        return blob.isCompressed ? try Gzip.compress(bytes) : bytes
    }

    /// The stored form of content that must become durable. An existing blob is rewritten: an earlier flush of it may have
    /// failed, which the next flush would not report.
    private func rewrittenForm(_ bytes: [UInt8], _ blob: CacheLayout.BlobName) throws -> [UInt8] {
        _ = try storedForm(bytes, blob)
        return blob.isCompressed ? try Gzip.compress(bytes) : bytes
    }

    /// Resolves a blob whose bytes do not match its name (torn by a power cut, edited by hand) before its content is
    /// stored.
    private func makeWay(for blob: CacheLayout.BlobName, reason: String) throws {
        for record in try catalog.records(.trusting) where record.blob == blob {
            if let entry = try entry(url: record.url).value { _ = try content(of: entry) }
        }
        if case .differs = try readBlob(blob) { try quarantine.take(blob.path, reason: reason) }
    }

    /// The writer of an edit may have failed, or been killed, before it was durable.
    private func confirmEdit(_ entry: CacheEntry) throws -> CacheEntry {
        if entry.edited != nil { try makeDurable(entry) }
        return entry
    }

    /// Content that can be fetched again is not flushed; an edit made here exists nowhere else.
    private func makeDurable(_ entry: CacheEntry) throws {
        // The bytes of both files are durable already, since before the rename.
        for folder in [entry.blob.shard, CacheLayout.blobs, CacheLayout.entries, CacheLayout.root, FilePath()] {
            try fileSystem.makeDurable(folder: folder)
        }
    }

    /// - Parameter path: the entry's.
    /// - Returns: whether the content was written, and did not exist already.
    @discardableResult
    private func commit(
        _ entry: CacheEntry, at path: FilePath, stored: [UInt8], used: inout Int64, eviction: EvictionPolicy,
        isDurable: Bool = false
    ) throws -> Bool {
        let former = try lock.held.status(at: entry.blob.path)
        let isNew = isDurable || former?.kind != .regular
        // The blob that made compressing unnecessary was evicted in the meantime.
        if isNew, stored.isEmpty, entry.sizeBytes > 0 { throw CacheError.notCached(entry.url) }
        let bytes = try DocumentCoding.encode(entry)
        // The shard's folder is always counted: an eviction may remove the existing one.
        let needed =
            (isNew ? QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes : 0)
            + files.roomForEntry(bytes)
        try space.makeRoom(
            for: needed, url: entry.url, keeping: [entry.digest], used: &used, eviction: eviction)
        // Booked before the first byte is written: a crash leaves the ledger too high, never too low.
        try index.book(used + needed)
        if isNew { try files.place(stored, entry.blob, over: former, used: &used, isDurable: isDurable) }
        try files.replaceEntry(at: path, bytes, used: &used, isDurable: isDurable)
        return isNew
    }
}
