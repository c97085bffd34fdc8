import Disk
import HTTPCaching
import HTTPTypes
import Model
import SystemPackage

/// Incomplete content (RFC 9111 section 3.3): keeps what has arrived, and resumes later.
package struct PartialContent: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var index: IndexSpace { cache.index }
    var quotaBytes: Int64? { cache.quotaBytes }

    /// Keeps incomplete content that has an origin as a partial response (RFC 9111 section 3.3). Content that never
    /// left the memory is not worth a file.
    ///
    /// - Returns: whether it is kept; if not, it is removed completely.
    /// - Throws: as `finish`.
    @discardableResult
    package func keep(_ arriving: ArrivingContent) throws -> Bool {
        guard let origin = arriving.origin, !arriving.isInMemory, arriving.count < origin.completeBytes else {
            arriving.abandon()
            return false
        }
        // The next steps need a little room, and this may be the only free space.
        try arriving.cut()
        var kept: CacheLayout.BlobName?
        let entry = try cache.responses.finish(arriving, mediaType: origin.mediaType) { responses, blob, count in
            kept = blob
            if let part = origin.part(count, blob.digest) { Self.join(part, to: &responses) }
        }
        return kept.map { entry?.blobs.contains($0) == true } ?? false
    }

    /// Removes the stored part of a URL's content in order to resume it: it becomes an arriving file, owned by the
    /// caller. Its digest has been compared. The caller ends with `finish`, `keep` or `abandon`; a crash leaves a
    /// part again.
    ///
    /// - Returns: `nil` if there is none, or it is damaged.
    /// - Throws: `CacheError.quotaExceeded` if the complete content exceeds the quota: the part is then removed;
    ///   `FileError` if the disk has no room.
    package func take(url: String, eviction: EvictionPolicy = .leastRecentlyUsed) throws -> ArrivingContent? {
        guard try cache.entry(url: url).value?.resumablePart != nil else { return nil }
        var refusal: CacheError?
        let taken = try cache.space.withSpace { used in
            do {
                return try take(url, eviction, used: &used)
            } catch let error as CacheError {
                try dropPart(url, used: &used)
                refusal = error
                return nil
            }
        }
        if let refusal { throw refusal }
        guard let (arriving, digest) = taken else { return nil }
        // A power cut or an edit may have changed the bytes.
        if try arriving.recall(digest) { return arriving }
        arriving.abandon()
        return nil
    }

    /// The stored and the complete length of a URL's partial content. In bytes.
    package func arrivedBytes(url: String) throws -> (held: Int64, complete: Int64)? {
        guard let part = try cache.entry(url: url).value?.resumablePart, let complete = part.completeBytes else {
            return nil
        }
        return (part.parts[0].range.count, complete)
    }

    /// Recovers the files of killed processes: resumable content becomes a part, all else is removed.
    package func settleAbandonedFiles() throws {
        guard try fileSystem.status(at: CacheLayout.temporary) != nil,
            try !fileSystem.list(CacheLayout.temporary).isEmpty
        else { return }
        try cache.space.withSpace { used in used += try cache.space.removeAbandonedFiles() }
    }

    // MARK: Under the lock

    /// Adds a part to the responses of its URL. It replaces shorter parts and those of other versions; a complete
    /// response stays the primary one.
    private static func join(_ part: CacheVariant, to responses: inout [CacheVariant]) {
        let version = StoredVariant(part.response, policy: .device)
        for one in responses where StoredVariant(one.response, policy: .device).isSameVersion(as: version) {
            guard let first = one.parts.first else { return }
            // The same file may be gone: it was arriving when its process died.
            if first.blob != part.blob, one.isResumable, first.range.count >= part.parts[0].range.count { return }
        }
        responses.removeAll { one in
            one.isPartial && VaryMatch.matches(one.response, request: part.response.varyingFields)
        }
        responses.insert(part, at: min(1, responses.count))
    }

    private func take(
        _ url: String, _ eviction: EvictionPolicy, used: inout Int64
    ) throws -> (ArrivingContent, Digest)? {
        guard let former = try cache.entry(url: url).value, former.edited == nil, let part = former.resumablePart,
            let completeBytes = part.completeBytes, let held = part.parts.first,
            let status = try fileSystem.status(at: held.blob.path), status.kind == .regular,
            status.sizeBytes >= held.range.count, try isAlone(held.blob, in: former)
        else { return nil }
        let origin = PartOrigin(mediaType: part.mediaType, response: part.response, completeBytes: completeBytes)
        let bytes = try former.bytes(without: part)
        let growth = max(0, PartNote.fileBytes(completeBytes: completeBytes) - status.chargedBytes)
        let needed = growth + 2 * QuotaLedger.blockBytes + (bytes.map(cache.files.roomForEntry) ?? 0)
        try cache.space.makeRoom(
            for: needed, url: url, keeping: Set(former.blobs.map(\.digest)), used: &used, eviction: eviction)
        // The disk may have room later.
        if cache.space.isDiskFull(for: growth) { throw FileError("write", CacheLayout.temporary, .noSpace) }
        try index.book(used + needed)
        var taken: SpooledFile?
        used += try cache.files.charge(of: CacheLayout.temporary, held.blob.path) {
            taken = try reopen(held, completeBytes, PartNote.encode(url: url, part))
        }
        guard let taken else {
            // The note says under which name it is now.
            used = try cache.space.recount()
            return nil
        }
        used += try fileSystem.status(taken.file).chargedBytes
        used -= try cache.space.removeShardIfEmpty(held.blob)
        try reduceEntry(url: url, to: bytes, used: &used)
        let arriving = ArrivingContent(
            cache: cache, url: url, origin: origin, eviction: eviction, file: taken, count: held.range.count)
        return (arriving, held.blob.digest)
    }

    /// Removes a part whose complete content has no room. The blob goes first: a full quota has no place for another
    /// entry.
    private func dropPart(_ url: String, used: inout Int64) throws {
        guard let former = try cache.entry(url: url).value, let part = former.resumablePart else { return }
        for blob in part.blobs where try isAlone(blob, in: former) { used -= try cache.space.removeBlob(blob) }
        try reduceEntry(url: url, to: former.bytes(without: part), used: &used)
    }

    /// - Parameter bytes: the entry as written; `nil` if nothing is left of it.
    private func reduceEntry(url: String, to bytes: [UInt8]?, used: inout Int64) throws {
        let path = CacheLayout.entryPath(url: url)
        guard let bytes, let before = try fileSystem.status(at: path) else {
            return try cache.files.removeEntry(url: url, used: &used)
        }
        try cache.files.replaceEntry(at: path, bytes, used: &used)
        try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds)
    }

    /// The digest of the first bytes of a part's blob. After a crash between the note and the rename, the note follows
    /// them (`reopen`).
    func digest(ofFirst count: Int64, in blob: CacheLayout.BlobName) throws(FileError) -> Digest? {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(blob.path, .read) }
        return try SpooledFile(blob.path, file, fileSystem).digest(ofFirst: count)?.copyFinished()
    }

    /// Whether no other response needs the blob, which is about to change.
    private func isAlone(_ blob: CacheLayout.BlobName, in entry: CacheEntry) throws -> Bool {
        guard entry.blobs.count(where: { $0 == blob }) == 1 else { return false }
        return try !cache.catalog.records(.trusting).contains { $0.url != entry.url && $0.blobs.contains(blob) }
    }

    /// Makes a temporary file of a part's blob, with the space for the complete content.
    ///
    /// The note comes first: a crash leaves the file resumable under either of its names.
    ///
    /// - Returns: `nil` if another process has it, or the disk is full.
    private func reopen(_ held: ContentPart, _ completeBytes: Int64, _ note: [UInt8]?) throws -> SpooledFile? {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(held.blob.path, .update) }
        let path = CacheLayout.temporary.appending(name: fileSystem.temporaryName())
        let spooled = SpooledFile(path, file, fileSystem)
        guard try fileSystem.continuing({ () throws(FileError) in try fileSystem.lock(file, wait: false) }) else {
            return nil
        }
        do throws(FileError) {
            if let note { try spooled.write(note, at: PartNote.place(completeBytes: completeBytes)) }
            try fileSystem.move(held.blob.path, to: path, replacing: false)
            try cache.responses.allocate(spooled, PartNote.fileBytes(completeBytes: completeBytes))
        } catch {
            if error.isFull { return nil }
            throw error
        }
        return spooled
    }

    /// Makes parts of the files of killed processes, according to their notes.
    ///
    /// - Returns: the growth of the cache.
    func adoptAbandonedParts() throws -> Int64 {
        var change: Int64 = 0
        for path in try fileSystem.abandonedTemporaryFiles(in: CacheLayout.temporary, removing: false) {
            do {
                try adopt(path, &change)
            } catch is FileError {
                // Files that cannot become parts are removed with the others.
            }
        }
        return change
    }

    private func adopt(_ path: FilePath, _ change: inout Int64) throws {
        guard let status = try fileSystem.status(at: path), status.kind == .regular,
            status.sizeBytes > PartNote.sizeBytes
        else { return }
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .update) }
        // Held open until the rename.
        let spooled = SpooledFile(path, file, fileSystem)
        guard try fileSystem.continuing({ () throws(FileError) in try fileSystem.lock(file, wait: false) }) else {
            return
        }
        let last = try spooled.read(at: status.sizeBytes - PartNote.sizeBytes, count: Int(PartNote.sizeBytes))
        guard let (url, part) = PartNote.decode(last, fileBytes: status.sizeBytes) else { return }
        let former = try cache.entry(url: url).value
        guard former?.edited == nil else { return }
        var responses = former?.responses ?? []
        Self.join(part, to: &responses)
        guard let entry = former?.with(responses, sparesPulled: true) ?? CacheEntry(url: url, responses: responses),
            entry.blobs.contains(part.blob)
        else { return }
        let bytes = try DocumentCoding.encode(entry)
        guard bytes.count <= ResponseStore.longestEntry else { return }
        // Truncated first: the space for the rest makes room for the entry.
        change += try cache.files.charge(of: path) {
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: part.heldBytes) }
        }
        if let quotaBytes,
            try cache.ledger.count() + cache.files.roomForEntry(bytes) + 2 * QuotaLedger.blockBytes > quotaBytes
        {
            return
        }
        try cache.files.checkShard(part.blob)
        change += try cache.files.charge(
            of: CacheLayout.temporary, CacheLayout.blobs, part.blob.shard, part.blob.path, path
        ) {
            try fileSystem.makeFolderIfMissing(part.blob.shard)
            try fileSystem.move(path, to: part.blob.path, replacing: true)
        }
        try cache.files.replaceEntry(at: CacheLayout.entryPath(url: url), bytes, used: &change)
    }
}

extension Cache {
    /// Incomplete content.
    package var parts: PartialContent { PartialContent(cache: self) }
}

extension CacheEntry {
    /// The first resumable part.
    var resumablePart: CacheVariant? { responses.first(where: \.isResumable) }

    /// As written without one of its responses; `nil` if nothing is left.
    fileprivate func bytes(without one: CacheVariant) throws -> [UInt8]? {
        try with(responses.filter { $0 != one }, sparesPulled: true).map { try DocumentCoding.encode($0) }
    }
}
