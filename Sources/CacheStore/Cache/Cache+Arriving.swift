import Disk
import HTTPCaching
import Model
import SystemPackage

/// Stores content that arrives in pieces, and several responses for one URL.
extension Cache {
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
            cache: self, url: url, expectedBytes: origin?.completeBytes ?? expectedBytes, eviction: eviction,
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
            let stored = try storedForm(finished.memory, blob)
            return try withSpace { used in
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
        return try withSpace { used in
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
        try withSpace { used in
            let path = CacheLayout.entryPath(url: url)
            guard let former = try entry(url: url).value, let before = try fileSystem.status(at: path) else {
                return nil
            }
            var responses = former.responses
            try change(&responses)
            if responses == former.responses { return former }
            guard former.edited == nil else { return former }
            guard let entry = former.with(responses, sparesPulled: sparesPulled) else {
                try removeEntry(url: url, used: &used)
                return nil
            }
            let bytes = try DocumentCoding.encode(entry)
            let needed = roomForEntry(bytes)
            if let quotaBytes, used + needed > quotaBytes {
                used = try recount()
                if used + needed > quotaBytes, entry.isPulled { return former }
                if used + needed > quotaBytes {
                    // No room for the update: outdated information is not kept.
                    try removeEntry(url: url, used: &used)
                    return nil
                }
            }
            try index.book(used + needed)
            try replaceEntry(at: path, bytes, used: &used)
            try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds)
            return entry
        }
    }

    // MARK: Under the lock

    private func commit(
        _ arriving: ArrivingContent, blob: CacheLayout.BlobName, isPulled: Bool, used: inout Int64,
        _ change: (inout [CacheVariant]) throws -> Void, placing: (inout Int64) throws -> Void
    ) throws -> CacheEntry? {
        let url = arriving.url
        let former = try entry(url: url).value
        if former?.edited != nil { throw CacheError.editedHere(url) }
        var responses = former?.responses ?? []
        try change(&responses)
        guard
            var entry = former?.with(responses, sparesPulled: !isPulled) ?? CacheEntry(url: url, responses: responses)
        else {
            try removeEntry(url: url, used: &used)
            return nil
        }
        if isPulled { entry.isPulled = true }
        // Another process was faster, or has a better response.
        guard entry.blobs.contains(blob) else { return former }
        let bytes = try limit(&entry)
        try placing(&used)
        let needed = roomForEntry(bytes)
        try makeRoom(
            for: needed, url: url, keeping: Set(entry.blobs.map(\.digest)), used: &used,
            eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try replaceEntry(at: CacheLayout.entryPath(url: url), bytes, used: &used)
        return entry
    }

    /// Removes the oldest responses if there are too many, or their fields are too long.
    ///
    /// - Returns: the entry as written.
    private func limit(_ entry: inout CacheEntry) throws -> [UInt8] {
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

    func removeEntry(url: String, used: inout Int64) throws {
        let path = CacheLayout.entryPath(url: url)
        let charged = try fileSystem.status(at: path)?.chargedBytes ?? 0
        try fileSystem.removeIfPresent(path)
        used -= charged
    }

    /// Writes short content.
    private func place(
        _ stored: [UInt8], _ blob: CacheLayout.BlobName, of sizeBytes: Int64, for arriving: ArrivingContent,
        used: inout Int64
    ) throws {
        guard try fileSystem.status(at: blob.path)?.kind != .regular else { return }
        // The blob that made compressing unnecessary was evicted in the meantime.
        if stored.isEmpty, sizeBytes > 0 { throw CacheError.notCached(arriving.url) }
        let needed = QuotaLedger.charge(forFileOf: stored.count) + QuotaLedger.blockBytes
        try makeRoom(
            for: needed, url: arriving.url, keeping: [blob.digest], used: &used, eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try checkShard(blob)
        used += try charge(of: CacheLayout.blobs, blob.shard, blob.path) {
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
        try makeRoom(
            for: needed, url: arriving.url, keeping: [blob.digest], used: &used, eviction: arriving.evictionAtEnd)
        try index.book(used + needed)
        try checkShard(blob)
        used += try charge(of: CacheLayout.blobs, blob.shard, blob.path, CacheLayout.temporary, file.path) {
            // Allocated space that was not used is released.
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
            try fileSystem.makeFolderIfMissing(blob.shard)
            // Replaces a blob with the same content, if there is one: this one was just checked.
            try fileSystem.move(file.path, to: blob.path, replacing: true)
        }
        if let status = try fileSystem.status(at: blob.path) { verified.note(blob, FileStamp(status)) }
    }

    /// - Returns: the folder's status; `nil` if it does not exist.
    @discardableResult
    func checkShard(_ blob: CacheLayout.BlobName) throws -> FileStatus? {
        guard let shard = try held.status(at: blob.shard) else { return nil }
        guard shard.kind == .folder else {
            throw FileError("use", fileSystem.root.pushing(blob.shard), .tooManySymbolicLinkLevels)
        }
        return shard
    }

    // MARK: Space for what arrives

    /// Allocates `sizeBytes` for a temporary file (a new one if there is none), within the quota.
    ///
    /// - Returns: `nil` if there is no room.
    func book(
        _ sizeBytes: Int64, for file: SpooledFile?, url: String, eviction: EvictionPolicy
    ) throws -> SpooledFile? {
        try withSpace { used in
            let before = try file.map { try fileSystem.status($0.file).chargedBytes } ?? 0
            // Includes the folder and the entry that follow.
            let needed =
                (sizeBytes + QuotaLedger.blockBytes - 1) / QuotaLedger.blockBytes * QuotaLedger.blockBytes
                - before
            do {
                try makeRoom(
                    for: needed + 2 * QuotaLedger.blockBytes, url: url, keeping: [], used: &used, eviction: eviction)
            } catch is CacheError {
                return nil
            }
            if isDiskFull(for: needed) { return nil }
            try index.book(used + needed + QuotaLedger.blockBytes)
            var made: SpooledFile?
            var isBooked = false
            used += try charge(of: CacheLayout.temporary) {
                made = try file ?? makeSpooledFile()
            }
            guard let made else { return nil }
            do throws(FileError) {
                try allocate(made, sizeBytes)
                isBooked = true
            } catch {
                // The disk is full: the content is not stored, and the started file is removed.
                if !error.isFull { throw error }
            }
            let after = try fileSystem.status(made.file).chargedBytes
            used += after - before
            if isBooked { return made }
            if file == nil {
                try fileSystem.removeIfPresent(made.path)
                used -= after
            }
            return nil
        }
    }

    private func makeSpooledFile() throws(FileError) -> SpooledFile {
        let temporary = try fileSystem.makeTemporaryFile(in: CacheLayout.temporary)
        return SpooledFile(temporary.path, temporary.file, fileSystem)
    }

    func allocate(_ file: SpooledFile, _ sizeBytes: Int64) throws(FileError) {
        do throws(FileError) {
            try fileSystem.continuing { () throws(FileError) in
                try fileSystem.allocate(file.file, sizeBytes: sizeBytes)
            }
        } catch {
            guard error.code == .notSupported || error.code == .noFunction || error.code == .invalidArgument else {
                throw error
            }
            // A file system without allocation: the length alone reserves the space.
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
        }
    }

    /// Releases the space of a temporary file beyond its content.
    func cut(_ file: SpooledFile, to sizeBytes: Int64) throws {
        try withSpace { used in
            used += try charge(of: file.path) {
                try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file.file, to: sizeBytes) }
            }
        }
    }

    /// Removes a temporary file that is not to become a blob.
    func discard(_ file: SpooledFile) {
        do {
            try withSpace { used in
                // Its name may be gone: the complete cache was removed by hand, or the file is already a blob.
                let charged = try fileSystem.status(at: file.path)?.chargedBytes ?? 0
                try fileSystem.removeIfPresent(file.path)
                used -= charged
            }
        } catch {
            // Closing it makes it abandoned: the next eviction removes it.
        }
    }
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
