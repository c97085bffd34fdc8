import Disk
import HTTPCaching
import HTTPTypes
import Model
import SystemPackage

/// Content that did not come to its end: its beginning is kept, and gone on with later.
extension Cache {
    /// Keeps what came of content that has an origin, as a part of it (RFC 9111 section 3.3). What never left the memory
    /// is not worth a file.
    ///
    /// - Returns: whether it is kept; where not, nothing of it is.
    /// - Throws: as `finish`.
    @discardableResult
    package func keepPart(_ arriving: ArrivingContent) throws -> Bool {
        guard let origin = arriving.origin, !arriving.isInMemory, arriving.count < origin.completeBytes else {
            arriving.abandon()
            return false
        }
        // What follows needs a little room, and there may be none but this.
        try arriving.cut()
        var kept: CacheLayout.BlobName?
        let entry = try finish(arriving, mediaType: origin.mediaType) { responses, blob, count in
            kept = blob
            if let part = origin.part(count, blob.digest) { Self.join(part, to: &responses) }
        }
        return kept.map { entry?.blobs.contains($0) == true } ?? false
    }

    /// Takes the beginning of a URL's content that is stored as a part, to go on with it: it is a file on its way again,
    /// and nobody else's. It has been compared with its digest. What takes it ends with `finish`, `keepPart` or `abandon`;
    /// what a kill leaves of it is a part again.
    ///
    /// - Returns: `nil` where there is none, and where it is damaged.
    /// - Throws: `CacheError.quotaExceeded` where the quota has no room for the whole: the part is gone then, and its place is
    ///   for what fits; `FileError` where the disk has none.
    package func takePart(url: String, eviction: EvictionPolicy = .leastRecentlyUsed) throws -> ArrivingContent? {
        guard try entry(url: url).value?.resumablePart != nil else { return nil }
        var refusal: CacheError?
        let taken = try withSpace { used in
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
        // A power cut, or somebody's hand, may have made other bytes of it.
        if try arriving.recall(digest) { return arriving }
        arriving.abandon()
        return nil
    }

    /// How much of a URL's content is here where it is not all, and how much that would be. In bytes.
    package func arrivedBytes(url: String) throws -> (held: Int64, complete: Int64)? {
        guard let part = try entry(url: url).value?.resumablePart, let complete = part.completeBytes else { return nil }
        return (part.parts[0].range.count, complete)
    }

    /// Settles what processes that were killed have left: the beginning of something that can be gone on with becomes
    /// a part, all else goes.
    package func settleAbandonedFiles() throws {
        guard try fileSystem.status(at: CacheLayout.temporary) != nil,
            try !fileSystem.list(CacheLayout.temporary).isEmpty
        else { return }
        try withSpace { used in used += try removeAbandonedFiles() }
    }

    // MARK: Under the lock

    /// Puts a part among the responses of its URL. It takes the place of shorter ones, and of those of other versions; what
    /// is whole stays what is shown.
    private static func join(_ part: CacheVariant, to responses: inout [CacheVariant]) {
        let version = StoredVariant(part.response, policy: .device)
        for one in responses where StoredVariant(one.response, policy: .device).isSameVersion(as: version) {
            guard let first = one.parts.first else { return }
            // The same file may be gone from its place: it was on its way when its process died.
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
        guard let former = try entry(url: url).value, former.edited == nil, let part = former.resumablePart,
            let completeBytes = part.completeBytes, let held = part.parts.first,
            let status = try fileSystem.status(at: held.blob.path), status.kind == .regular,
            status.sizeBytes >= held.range.count, try isAlone(held.blob, in: former)
        else { return nil }
        let origin = PartOrigin(mediaType: part.mediaType, response: part.response, completeBytes: completeBytes)
        let bytes = try former.bytes(without: part)
        let growth = max(0, PartNote.fileBytes(completeBytes: completeBytes) - status.chargedBytes)
        let needed = growth + 2 * QuotaLedger.blockBytes + (bytes.map(roomForEntry) ?? 0)
        try makeRoom(
            for: needed, url: url, keeping: Set(former.blobs.map(\.digest)), used: &used, eviction: eviction)
        // The disk may have room another time.
        if isDiskFull(for: growth) { throw FileError("write", CacheLayout.temporary, .noSpace) }
        try index.book(used + needed)
        var taken: SpooledFile?
        used += try charge(of: CacheLayout.temporary, held.blob.path) {
            taken = try reopen(held, completeBytes, PartNote.encode(url: url, part))
        }
        guard let taken else {
            // Under which name it is now, the note tells.
            used = try recount()
            return nil
        }
        used += try fileSystem.status(taken.file).chargedBytes
        used -= try removeShardIfEmpty(held.blob)
        try reduceEntry(url: url, to: bytes, used: &used)
        let arriving = ArrivingContent(
            cache: self, url: url, origin: origin, eviction: eviction, file: taken, count: held.range.count)
        return (arriving, held.blob.digest)
    }

    /// Lets go of a part whose whole has no room. The blob goes first: a full quota has no place for another entry.
    private func dropPart(_ url: String, used: inout Int64) throws {
        guard let former = try entry(url: url).value, let part = former.resumablePart else { return }
        for blob in part.blobs where try isAlone(blob, in: former) { used -= try removeBlob(blob) }
        try reduceEntry(url: url, to: former.bytes(without: part), used: &used)
    }

    /// - Parameter bytes: the entry as it is written; `nil` where nothing is left of it.
    private func reduceEntry(url: String, to bytes: [UInt8]?, used: inout Int64) throws {
        let path = CacheLayout.entryPath(url: url)
        guard let bytes, let before = try fileSystem.status(at: path) else {
            return try removeEntry(url: url, used: &used)
        }
        try replaceEntry(at: path, bytes, used: &used)
        try fileSystem.setModified(path, nanoseconds: before.nextModifiedNanoseconds)
    }

    /// The digest of the first bytes of a part's blob. Where a kill came between the note and the file's new name, the note
    /// lies behind them (`reopen`).
    func digest(ofFirst count: Int64, in blob: CacheLayout.BlobName) throws(FileError) -> Digest? {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(blob.path, .read) }
        return try SpooledFile(blob.path, file, fileSystem).digest(ofFirst: count)?.copyFinished()
    }

    /// Whether no other response needs the blob, which is going to be another.
    private func isAlone(_ blob: CacheLayout.BlobName, in entry: CacheEntry) throws -> Bool {
        guard entry.blobs.count(where: { $0 == blob }) == 1 else { return false }
        return try !records(.trusting).contains { $0.url != entry.url && $0.blobs.contains(blob) }
    }

    /// Makes a temporary file of a part's blob, with all the space that the whole will take.
    ///
    /// The note comes first: under whichever of its two names a kill leaves the file, it can be gone on with.
    ///
    /// - Returns: `nil` where somebody has it, or the disk is full.
    private func reopen(_ held: ContentPart, _ completeBytes: Int64, _ note: [UInt8]?) throws -> SpooledFile? {
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(held.blob.path, .update) }
        let path = CacheLayout.temporary.appending(fileSystem.temporaryName())
        let spooled = SpooledFile(path, file, fileSystem)
        guard try fileSystem.continuing({ () throws(FileError) in try fileSystem.lock(file, wait: false) }) else {
            return nil
        }
        do throws(FileError) {
            if let note { try spooled.write(note, at: PartNote.place(completeBytes: completeBytes)) }
            try fileSystem.move(held.blob.path, to: path, replacing: false)
            try allocate(spooled, PartNote.fileBytes(completeBytes: completeBytes))
        } catch {
            if error.isFull { return nil }
            throw error
        }
        return spooled
    }

    /// Makes parts of the files that killed processes left and whose notes say what they are.
    ///
    /// - Returns: how much more the cache takes by that.
    func adoptAbandonedParts() throws -> Int64 {
        var change: Int64 = 0
        for path in try fileSystem.abandonedTemporaryFiles(in: CacheLayout.temporary, removing: false) {
            do {
                try adopt(path, &change)
            } catch is FileError {
                // Who cannot be a part is removed with the others.
            }
        }
        return change
    }

    private func adopt(_ path: FilePath, _ change: inout Int64) throws {
        guard let status = try fileSystem.status(at: path), status.kind == .regular,
            status.sizeBytes > PartNote.sizeBytes
        else { return }
        let file = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(path, .update) }
        // Held until it has its name.
        let spooled = SpooledFile(path, file, fileSystem)
        guard try fileSystem.continuing({ () throws(FileError) in try fileSystem.lock(file, wait: false) }) else {
            return
        }
        let last = try spooled.read(at: status.sizeBytes - PartNote.sizeBytes, count: Int(PartNote.sizeBytes))
        guard let (url, part) = PartNote.decode(last, fileBytes: status.sizeBytes) else { return }
        let former = try entry(url: url).value
        guard former?.edited == nil else { return }
        var responses = former?.responses ?? []
        Self.join(part, to: &responses)
        guard let entry = former?.with(responses, sparesPulled: true) ?? CacheEntry(url: url, responses: responses),
            entry.blobs.contains(part.blob)
        else { return }
        let bytes = try DocumentCoding.encode(entry)
        guard bytes.count <= Self.longestEntry else { return }
        // Cut first: what is booked for the rest is the room for the entry.
        change += try charge(of: path) {
            try fileSystem.continuing { () throws(FileError) in try fileSystem.resize(file, to: part.heldBytes) }
        }
        if let quotaBytes, try ledger.count() + roomForEntry(bytes) + 2 * QuotaLedger.blockBytes > quotaBytes {
            return
        }
        try checkShard(part.blob)
        change += try charge(of: CacheLayout.temporary, CacheLayout.blobs, part.blob.shard, part.blob.path, path) {
            try fileSystem.makeFolderIfMissing(part.blob.shard)
            try fileSystem.move(path, to: part.blob.path, replacing: true)
        }
        try replaceEntry(at: CacheLayout.entryPath(url: url), bytes, used: &change)
    }
}

extension CacheEntry {
    /// The first part that can be gone on with.
    var resumablePart: CacheVariant? { responses.first(where: \.isResumable) }

    /// As it is written without one of its responses; `nil` where nothing is left.
    fileprivate func bytes(without one: CacheVariant) throws -> [UInt8]? {
        try with(responses.filter { $0 != one }, sparesPulled: true).map { try DocumentCoding.encode($0) }
    }
}
