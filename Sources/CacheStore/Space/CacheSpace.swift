import Disk
import Model
import SystemPackage

/// The space of the cache: its quota is kept, and room is made by least recent use and by age.
package struct CacheSpace: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var index: IndexSpace { cache.index }
    var ledger: QuotaLedger { cache.ledger }
    var quotaBytes: Int64? { cache.quotaBytes }
    var clock: any StoreClock { cache.clock }

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
                removal = try cache.eviction.evictLeastRecentlyUsed(
                    down: quotaBytes, used: &used, policy: .leastRecentlyUsed, try cache.priority.protection())
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
                _ = try cache.eviction.evictLeastRecentlyUsed(
                    down: max(0, used - rest), used: &used, policy: .leastRecentlyUsed,
                    try cache.priority.ownersProtection())
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
            let records = try cache.catalog.records(.trusting)
            let kept = try cache.priority.protection()
            let keptURLs = kept.urls(among: records)
            var references = BlobReferences(records)
            let outdated = records.filter {
                !keptURLs.contains($0.url) && !$0.isEdited && rule.applies(to: $0, now: now)
            }
            var removal = try cache.eviction.evict(
                outdated, references: &references,
                protectedDigests: kept.allContent.union(try cache.priority.retained()))
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
            let referenced = Set(try cache.catalog.records(.trusting).flatMap(\.blobs))
            let kept = try cache.priority.protection().allContent
            let unneeded = try blobNames().filter { !referenced.contains($0) && !kept.contains($0.digest) }
            let retained = unneeded.isEmpty ? [] : try cache.priority.retained()
            for name in unneeded where !retained.contains(name.digest) { removal.bytes += try removeBlob(name) }
            used -= removal.bytes
            return removal
        }
    }

    /// Evicts the least recently used passing content, until so much of the disk is free or none of it is left.
    package func removePassing(leavingFree bytes: Int64) throws -> Removal {
        let missing = bytes - (try fileSystem.freeBytes())
        guard missing > 0 else { return Removal() }
        return try withSpace { used in
            try cache.eviction.evictLeastRecentlyUsed(
                down: max(0, used - missing), used: &used, policy: .onlyPassing, try cache.priority.protection())
        }
    }

    // MARK: Statistics

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
        let records = try cache.catalog.records(.trusting)
        return Statistics(
            bytes: try ledger.count(), indexBytes: try index.chargedBytes(), quota: cache.totalQuotaBytes,
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
}

extension Cache {
    /// The space of the cache.
    package var space: CacheSpace { CacheSpace(cache: self) }
}
