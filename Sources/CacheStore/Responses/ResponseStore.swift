import Disk
import HTTPCaching
import Model
import SystemPackage

/// Stores responses whose content arrives in pieces, several for one URL.
package struct ResponseStore: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var index: IndexSpace { cache.index }
    var quotaBytes: Int64? { cache.quotaBytes }

    /// Starts to store the content of a response.
    ///
    /// - Parameters:
    ///   - expectedBytes: its length, if known: content larger than the quota is rejected at once.
    ///   - eviction: what may be evicted for it.
    ///   - origin: if given, incomplete content is kept, too.
    /// - Returns: `nil` if it cannot fit, and for a length that no content has.
    package func begin(
        url: String, expectedBytes: Int64?, eviction: EvictionPolicy = .leastRecentlyUsed, origin: PartOrigin? = nil
    ) -> ArrivingContent? {
        if let quotaBytes, let expectedBytes, expectedBytes > quotaBytes { return nil }
        guard [expectedBytes, origin?.completeBytes].allSatisfy({ ContentPart.possibleLengths.contains($0 ?? 0) })
        else {
            return nil
        }
        return ArrivingContent(
            cache: cache, url: url, expectedBytes: origin?.completeBytes ?? expectedBytes, eviction: eviction,
            origin: origin)
    }

    /// Stores content that has arrived, with the URL's responses as `change` returns them.
    ///
    /// The order is room, blob, entry, all under the lock: a reader that sees the entry finds the content.
    ///
    /// - Parameters:
    ///   - isPulled: it was pulled: the first of the responses is the pull's from now on. If `false`, an earlier pulled
    ///     response stays (`CacheEntry.isPulled`), and the result of `change` is stored beside it.
    ///   - change: gets the responses of the URL (the most recent first) and the blob with its length, and changes the
    ///     former. It is called under the lock and must not call the cache. When nothing is left, the entry is removed.
    /// - Returns: the current entry.
    /// - Throws: `CacheError.quotaExceeded`, `.editedHere`, `FileError`; the content is then discarded.
    @discardableResult
    package func finish(
        _ arriving: ArrivingContent, mediaType: String, isPulled: Bool = false,
        _ change: (inout [CacheVariant], CacheLayout.BlobName, Int64) throws -> Void
    ) throws -> CacheEntry? {
        guard let finished = arriving.takeFinished() else { return nil }
        guard let file = finished.file else {
            let blob = CacheLayout.blobName(digest: finished.digest, mediaType: mediaType)
            let stored = try cache.storedForm(finished.memory, blob)
            return try cache.space.withSpace { used in
                try commit(
                    arriving, blob: blob, isPulled: isPulled, used: &used, { try change(&$0, blob, finished.count) },
                    placing: { used in try place(stored, blob, of: finished.count, for: arriving, used: &used) })
            }
        }
        // Long content is stored as it arrived: compressing would need a second file of its length.
        let blob = CacheLayout.arrivedName(digest: finished.digest, mediaType: mediaType)
        var isPlaced = false
        // After a failure, nothing of it is kept.
        defer { if !isPlaced { discard(file) } }
        return try cache.space.withSpace { used in
            try commit(
                arriving, blob: blob, isPulled: isPulled, used: &used, { try change(&$0, blob, finished.count) },
                placing: { used in
                    try place(file, blob, of: finished.count, for: arriving, used: &used)
                    isPlaced = true
                })
        }
    }

    /// Changes the responses of a URL whose content stays: after a 304, an invalidation, or the removal of a response.
    /// The time of last use stays.
    ///
    /// - Parameters:
    ///   - sparesPulled: a pulled response that `change` removes is only marked, and stays.
    ///   - change: gets the responses as they are now, under the lock. It may change and remove them; when none is left,
    ///     the entry is removed.
    /// - Returns: the current entry; `nil` if there is none.
    @discardableResult
    package func revise(
        url: String, sparesPulled: Bool = true, _ change: (inout [CacheVariant]) throws -> Void
    ) throws -> CacheEntry? {
        try cache.space.withSpace { used in
            let path = CacheLayout.entryPath(url: url)
            guard let former = try cache.entry(url: url).value, let before = try fileSystem.status(at: path) else {
                return nil
            }
            var responses = former.responses
            try change(&responses)
            if responses == former.responses { return former }
            guard former.edited == nil else { return former }
            guard let entry = former.with(responses, sparesPulled: sparesPulled) else {
                try cache.files.removeEntry(url: url, used: &used)
                return nil
            }
            let bytes = try DocumentCoding.encode(entry)
            let needed = cache.files.roomForEntry(bytes)
            if let quotaBytes, used + needed > quotaBytes {
                used = try cache.space.recount()
                if used + needed > quotaBytes, entry.isPulled { return former }
                if used + needed > quotaBytes {
                    // No room for the update: outdated information is not kept.
                    try cache.files.removeEntry(url: url, used: &used)
                    return nil
                }
            }
            try index.book(used + needed)
            try cache.files.replaceEntry(at: path, bytes, used: &used)
            try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds)
            return entry
        }
    }

    // MARK: Under the lock

    func commit(
        _ arriving: ArrivingContent, blob: CacheLayout.BlobName, isPulled: Bool, used: inout Int64,
        _ change: (inout [CacheVariant]) throws -> Void, placing: (inout Int64) throws -> Void
    ) throws -> CacheEntry? {
        let url = arriving.url
        let former = try cache.entry(url: url).value
        if former?.edited != nil { throw CacheError.editedHere(url) }
        var responses = former?.responses ?? []
        try change(&responses)
        guard
            var entry = former?.with(responses, sparesPulled: !isPulled) ?? CacheEntry(url: url, responses: responses)
        else {
            try cache.files.removeEntry(url: url, used: &used)
            return nil
        }
        if isPulled { entry.isPulled = true }
        // Another process was faster, or has a better response.
        guard entry.blobs.contains(blob) else { return former }
        let bytes = try limit(&entry)
        try placing(&used)
        let needed = cache.files.roomForEntry(bytes)
        try cache.space.makeRoom(
            for: needed, url: url, keeping: Set(entry.blobs.map(\.digest)), used: &used,
            eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try cache.files.replaceEntry(at: CacheLayout.entryPath(url: url), bytes, used: &used)
        return entry
    }

    /// Removes the oldest responses if there are too many, or their fields are too long.
    ///
    /// - Returns: the entry as written.
    func limit(_ entry: inout CacheEntry) throws -> [UInt8] {
        entry.variants = Array(entry.variants.prefix(Self.mostResponses - 1))
        while true {
            let bytes = try DocumentCoding.encode(entry)
            if bytes.count <= Self.longestEntry { return bytes }
            guard entry.variants.popLast() != nil else {
                throw CacheError.quotaExceeded(
                    url: entry.url, neededBytes: Int64(bytes.count), quotaBytes: Int64(Self.longestEntry))
            }
        }
    }

    /// The most responses kept for one URL: more are rarely requested again.
    static let mostResponses = 32
    /// Half of a reader's limit: an update may make the file longer.
    static let longestEntry = 512 << 10

    /// Writes short content.
    func place(
        _ stored: [UInt8], _ blob: CacheLayout.BlobName, of sizeBytes: Int64, for arriving: ArrivingContent,
        used: inout Int64
    ) throws {
        guard try fileSystem.status(at: blob.path)?.kind != .regular else { return }
        // The blob that made compressing unnecessary was evicted in the meantime.
        if stored.isEmpty, sizeBytes > 0 { throw CacheError.notCached(arriving.url) }
        let needed = QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes
        try cache.space.makeRoom(
            for: needed, url: arriving.url, keeping: [blob.digest], used: &used, eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try cache.files.checkShard(blob)
        used += try cache.files.charge(of: CacheLayout.blobs, blob.shard, blob.path) {
            try fileSystem.makeFolderIfMissing(blob.shard)
            try fileSystem.writeUnsynced(stored, to: blob.path, temporaryFolder: CacheLayout.temporary)
        }
    }

    /// Renames a temporary file to its blob's name.
    func place(
        _ file: SpooledFile, _ blob: CacheLayout.BlobName, of sizeBytes: Int64, for arriving: ArrivingContent,
        used: inout Int64
    ) throws {
        let needed = QuotaLedger.blockBytes
        try cache.space.makeRoom(
            for: needed, url: arriving.url, keeping: [blob.digest], used: &used, eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try cache.files.checkShard(blob)
        used += try cache.files.charge(of: CacheLayout.blobs, blob.shard, blob.path, CacheLayout.temporary, file.path) {
            // Allocated space that was not used is released.
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
            try fileSystem.makeFolderIfMissing(blob.shard)
            // Replaces a blob with the same content, if there is one: this one was just checked.
            try fileSystem.move(file.path, to: blob.path, replacing: true)
        }
        if let status = try fileSystem.status(at: blob.path) { cache.verified.note(blob, FileStamp(status)) }
    }
}

extension Cache {
    /// Responses whose content arrives in pieces.
    package var responses: ResponseStore { ResponseStore(cache: self) }
}

extension CacheEntry {
    /// The same URL with these responses; `nil` if none is left.
    func with(_ responses: [CacheVariant], sparesPulled: Bool) -> CacheEntry? {
        if isPulled, sparesPulled { return keepingPulled(responses) }
        guard var entry = CacheEntry(url: url, responses: responses) else { return nil }
        entry.goneSince = goneSince
        if entry.primary.blob == primary.blob { (entry.document, entry.isPulled) = (document, isPulled) }
        return entry
    }
}
