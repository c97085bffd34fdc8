import Disk
import Model
import SystemPackage

/// Makes room: trims by least recent use, purges by age.
extension Cache {
    /// The result of a trim or a purge.
    package struct Removal: Sendable, Codable, Equatable {
        package var entries = 0
        package var bytes: Int64 = 0
        package init() {}
    }

    /// Evicts the least recently used content until the cache takes at most `quotaBytes`.
    ///
    /// - Throws: `CacheError.protectedContentExceedsQuota` if the protected content alone is larger.
    package func trim(toBytes quotaBytes: Int64) throws -> Removal {
        let (removal, used) = try withCountedSpace { used, booked in
            var removal = Removal()
            if used > quotaBytes {
                removal = try evictLeastRecentlyUsed(
                    down: quotaBytes, used: &used, policy: .leastRecentlyUsed, try protection())
            }
            // Includes the files of killed writers.
            if let booked { removal.bytes = max(removal.bytes, booked - used) }
            return (removal, used)
        }
        _ = try index.fit()
        if used > quotaBytes {
            throw CacheError.protectedContentExceedsQuota(protectedBytes: used, quotaBytes: quotaBytes)
        }
        return removal
    }

    /// Frees disk space for something more important, as far as it can: the cache is never the reason why an answer is
    /// not saved.
    package func giveWay(bytes: Int64) {
        do {
            try withSpace { used in
                let rest = max(0, bytes - (try freeAbandonedSpace(&used)))
                // Prefetched content can be fetched again, an answer cannot.
                _ = try evictLeastRecentlyUsed(
                    down: max(0, used - rest), used: &used, policy: .leastRecentlyUsed, try ownersProtection())
            }
        } catch {
            // On a full disk even the ledger may be unwritable; the files are gone anyway.
        }
    }

    /// The bytes that fit before an eviction is needed; `nil` without a quota.
    package func freeQuotaBytes() throws -> Int64? {
        guard let quotaBytes else { return nil }
        return try max(0, quotaBytes - (ledger.usedBytes() ?? ledger.count()))
    }

    /// The disk space that long content leaves free: for answers, which cannot wait for an eviction.
    static let spareBytes: Int64 = 1 << 20

    /// Whether the disk, and not the quota, has no room for so many bytes of long content.
    package func isDiskFull(for neededBytes: Int64) -> Bool {
        // A disk that does not report its free space does not limit the quota.
        ((try? fileSystem.freeBytes()) ?? .max) < neededBytes + Self.spareBytes
    }

    /// The entries that a purge removes: those that match any of the given rules.
    package struct PurgeRule: Sendable {
        /// No longer fresh according to the server.
        package var isStale: Bool
        /// Fetched, or last used, longer ago than this.
        package var olderThanSeconds: Double?

        package init(isStale: Bool = false, olderThanSeconds: Double? = nil) {
            self.isStale = isStale
            self.olderThanSeconds = olderThanSeconds
        }

        func applies(to record: CatalogRecord, now: Timestamp) -> Bool {
            if isStale, record.freshUntil <= now { return true }
            guard let olderThanSeconds else { return false }
            return now.seconds(since: min(record.responseTime, record.lastUsed)) > olderThanSeconds
        }
    }

    /// Removes entries by their age, and the files of killed writers. Protected content and local edits stay.
    package func purge(_ rule: PurgeRule) throws -> Removal {
        try withSpace { used in
            let abandonedBytes = try freeAbandonedSpace(&used)
            let now = clock.now
            let records = try records(.trusting)
            let kept = try protection()
            let keptURLs = kept.urls(among: records)
            var references = BlobReferences(records)
            let outdated = records.filter {
                !keptURLs.contains($0.url) && !$0.isEdited && rule.applies(to: $0, now: now)
            }
            var removal = try evict(
                outdated, references: &references, protectedDigests: kept.allContent.union(try retained()))
            used -= removal.bytes
            removal.bytes += abandonedBytes
            return removal
        }
    }

    /// Removes blobs that no entry and no draft refers to: former versions of documents that were fetched again.
    package func removeUnreferencedBlobs() throws -> Removal {
        try withSpace { used in
            // Files of killed writers are equally unused.
            used += try removeAbandonedFiles()
            var removal = Removal()
            let referenced = Set(try records(.trusting).flatMap(\.blobs))
            let kept = try protection().allContent
            let unneeded = try blobNames().filter { !referenced.contains($0) && !kept.contains($0.digest) }
            let retained = unneeded.isEmpty ? [] : try self.retained()
            for name in unneeded where !retained.contains(name.digest) { removal.bytes += try removeBlob(name) }
            used -= removal.bytes
            return removal
        }
    }

    /// The content of the cache, counted now.
    package struct Statistics: Sendable, Codable, Equatable {
        /// Blobs, entries and temporary files with their folders, as `du` counts them.
        package var bytes: Int64
        /// The space of the derived index, counted the same way.
        package var indexBytes: Int64
        package var quota: Int64?
        package var entries: Int
        package var documents: Int
        package var stale: Int
        package var edited: Int
        package var missing: Int
    }

    package func statistics() throws -> Statistics {
        let now = clock.now
        let records = try records(.trusting)
        return Statistics(
            bytes: try ledger.count(), indexBytes: try index.chargedBytes(), quota: totalQuotaBytes,
            entries: records.count,
            documents: records.count { $0.document != nil }, stale: records.count { $0.freshUntil <= now },
            edited: records.count(where: \.isEdited), missing: records.count { !$0.isPresent })
    }

    /// The booked bytes and the number of entries, without reading any file but the ledger.
    package func briefStatistics() throws -> (bytes: Int64, indexBytes: Int64, entries: Int) {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return (0, 0, 0) }
        var entries = 0
        try fileSystem.eachEntry(of: CacheLayout.entries) { if CacheLayout.isEntryName($0.name) { entries += 1 } }
        return (try ledger.usedBytes() ?? ledger.count(), try index.chargedBytes(), entries)
    }

    /// All content that is referenced from outside the cache.
    func keptContent() throws -> Set<Digest> { try protection().allContent.union(try retained()) }

    // MARK: Under the lock

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
        if try needed > quotaBytes || isGentle && isFull(at: used) { throw refusal }
        var kept = try protection()
        kept.content.formUnion(keeping)
        let evictable = try evictableBytes(eviction, kept)
        guard used - evictable + needed <= quotaBytes else {
            if isGentle, evictable == 0 { try noteFull(at: used) }
            throw refusal
        }
        // A tenth more than needed, so that filling a full cache does not search for the oldest each time.
        let goal = max(0, min(quotaBytes - needed, quotaBytes - quotaBytes / 10))
        _ = try evictLeastRecentlyUsed(down: goal, used: &used, policy: eviction, kept)
        if used + needed > quotaBytes { throw refusal }
    }

    /// Resumable downloads are kept as partial content.
    ///
    /// - Returns: the growth of the cache.
    func removeAbandonedFiles() throws -> Int64 {
        let change = try adoptAbandonedParts()
        for folder in [CacheLayout.temporary, CacheLayout.index] {
            try fileSystem.removeAbandonedTemporaryFiles(in: folder, isShared: folder == CacheLayout.index)
        }
        return change
    }

    /// Removes the files of killed writers; resumable content stays as a part, without the space allocated for its
    /// rest.
    ///
    /// - Returns: the bytes freed.
    private func freeAbandonedSpace(_ used: inout Int64) throws -> Int64 {
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
            for file in try fileSystem.list(CacheLayout.blobs.appending(shard.name)) where file.kind == .regular {
                if let name = CacheLayout.BlobName(fileName: file.name), name.digest.hex.hasPrefix(shard.name) {
                    names.append(name)
                }
            }
        }
        return names
    }
}
