import Disk
import Model
import SystemPackage

/// Room for what is written, under the cache's lock.
extension CacheSpace {
    /// Runs `body` while no other process or thread changes the cache; it gets the booked bytes and sets them to the
    /// used ones. After a failure, the ledger stays too high until the next count.
    func withSpace<Result>(_ body: (inout Int64) throws -> Result) throws -> Result {
        try cache.lock.holdingLedger { booked in
            var used = try booked ?? recount()
            return (try body(&used), used)
        }
    }

    /// The same with the bytes counted now.
    ///
    /// - Parameter body: gets the booked bytes as well; `nil` if the ledger was not valid.
    func withCountedSpace<Result>(_ body: (inout Int64, _ booked: Int64?) throws -> Result) throws -> Result {
        try cache.lock.holdingLedger { booked in
            var used = try recount()
            return (try body(&used, booked), used)
        }
    }

    /// Ensures that `needed` more bytes fit into the quota.
    ///
    /// - Parameters:
    ///   - url: for the error.
    ///   - keeping: content that must not be evicted: the new content itself.
    func makeRoom(
        for needed: Int64, url: String, keeping: Set<Digest>, used: inout Int64, eviction: EvictionPolicy
    ) throws {
        // One block more than needed, so that an entry can be replaced when the cache is full.
        let needed = needed + QuotaLedger.blockBytes
        guard let quotaBytes, used + needed > quotaBytes else { return }
        let refusal = CacheError.quotaExceeded(url: url, neededBytes: needed, quotaBytes: quotaBytes)
        used = try recount()
        if used + needed <= quotaBytes { return }
        let isGentle = eviction == .nothing || eviction == .onlyGone
        if try needed > quotaBytes || isGentle && cache.lock.isFull(at: used) { throw refusal }
        var kept = try cache.priority.protection()
        kept.content.formUnion(keeping)
        let evictable = try cache.eviction.evictableBytes(eviction, kept)
        guard used - evictable + needed <= quotaBytes else {
            if isGentle, evictable == 0 { try cache.lock.noteFull(at: used) }
            throw refusal
        }
        // A tenth more than needed, so that filling a full cache does not search for the oldest each time.
        let goal = max(0, min(quotaBytes - needed, quotaBytes - quotaBytes / 10))
        _ = try cache.eviction.evictLeastRecentlyUsed(down: goal, used: &used, policy: eviction, kept)
        if used + needed > quotaBytes { throw refusal }
    }

    /// Resumable downloads are kept as partial content.
    ///
    /// - Returns: the growth of the cache.
    func removeAbandonedFiles() throws -> Int64 {
        let change = try cache.parts.adoptAbandonedParts()
        for folder in [CacheLayout.temporary, CacheLayout.index] {
            try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: folder == CacheLayout.index)
        }
        return change
    }

    /// Removes the files of killed writers; resumable content stays as a part, without the space allocated for its
    /// rest.
    ///
    /// - Returns: the bytes freed.
    func freeAbandonedSpace(_ used: inout Int64) throws -> Int64 {
        // Usually there are none, so nothing is counted.
        if try fileSystem.list(CacheLayout.temporary).isEmpty { return 0 }
        let before = try ledger.count()
        used = try recount()
        return max(0, before - used)
    }

    func recount() throws -> Int64 {
        _ = try removeAbandonedFiles()
        return try ledger.count()
    }

    func blobNames() throws -> [CacheLayout.BlobName] {
        var names: [CacheLayout.BlobName] = []
        guard try fileSystem.status(at: CacheLayout.blobs) != nil else { return [] }
        for shard in try fileSystem.list(CacheLayout.blobs) where shard.kind == .folder {
            guard CacheLayout.isShardName(shard.name) else { continue }
            for file in try fileSystem.list(CacheLayout.blobs.appending(name: shard.name)) where file.kind == .regular {
                if let name = CacheLayout.BlobName(fileName: file.name), name.digest.hex.hasPrefix(shard.name) {
                    names.append(name)
                }
            }
        }
        return names
    }

    /// - Returns: the bytes freed.
    func removeBlob(_ name: CacheLayout.BlobName) throws -> Int64 {
        guard let status = try fileSystem.status(at: name.path) else { return 0 }
        try fileSystem.removeIfPresent(name.path)
        return try status.chargedBytes + removeShardIfEmpty(name)
    }

    /// - Returns: the bytes freed.
    func removeShardIfEmpty(_ name: CacheLayout.BlobName) throws -> Int64 {
        let charged = try fileSystem.status(at: name.shard)?.chargedBytes ?? 0
        do throws(FileError) {
            try fileSystem.removeFolder(name.shard)
            return charged
        } catch {
            // Other blobs are in it.
            guard error.code == .directoryNotEmpty || error.code == .fileExists || error.isMissing else { throw error }
            return 0
        }
    }
}
