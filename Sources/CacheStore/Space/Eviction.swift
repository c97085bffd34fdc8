import Disk
import Model
import SystemPackage

/// Evicts content, under the cache's lock: entries first, then unreferenced content.
struct Eviction {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }

    /// The number removed together, so that each folder is looked up once. A crash in between leaves content without an
    /// entry, which is evicted first the next time.
    private static let evictedTogether = 1024

    /// Removes entries, then their blobs if no other entry refers to them.
    ///
    /// - Parameter enoughBytes: stops once this many bytes are free.
    func evict(
        _ records: [CatalogRecord], references: inout BlobReferences, protectedDigests: Set<Digest>,
        until enoughBytes: Int64 = .max
    ) throws -> CacheSpace.Removal {
        var removal = CacheSpace.Removal()
        var rest = records[...]
        while removal.bytes < enoughBytes, !rest.isEmpty {
            let batch = rest.prefix(Self.evictedTogether)
            let charges = try charges(of: batch)
            var victims: [Victim] = []
            // Includes the folders that are expected to become empty.
            var expectedBytes = removal.bytes
            for (place, record) in batch.enumerated() where expectedBytes < enoughBytes {
                var victim = Victim(entryName: record.entryName, bytes: charges.entries[place])
                expectedBytes += victim.bytes
                for blob in references.release(record) where !protectedDigests.contains(blob.digest) {
                    let isLast = references.isLastOfShard(blob)
                    guard let bytes = charges.blobs[blob] else { continue }
                    victim.blobs.append((blob, bytes, isLast))
                    expectedBytes += bytes + (isLast ? QuotaLedger.blockBytes : 0)
                }
                victims.append(victim)
            }
            rest = rest.dropFirst(victims.count)
            try remove(victims, &removal)
        }
        return removal
    }

    /// An entry to evict, with the blobs that only it refers to.
    private struct Victim {
        var entryName: String
        var bytes: Int64
        var blobs: [(name: CacheLayout.BlobName, bytes: Int64, isLastOfShard: Bool)] = []
    }

    /// Continues after a failure and throws at the end: the caller may need the space of the others.
    private func remove(_ victims: [Victim], _ removal: inout CacheSpace.Removal) throws {
        var failure: FileError?
        var gone = victims
        do throws(FileError) {
            try fileSystem.remove(victims.map(\.entryName), in: CacheLayout.entries)
        } catch {
            failure = error
            // Content whose entry remains is kept.
            let left = try fileSystem.statuses(of: victims.map(\.entryName), in: CacheLayout.entries)
            gone = zip(victims, left).compactMap { $1 == nil ? $0 : nil }
        }
        let blobs = gone.flatMap(\.blobs)
        do throws(FileError) {
            try fileSystem.remove(blobs.map(\.name.relativePath).sorted(), in: CacheLayout.blobs)
        } catch {
            failure = failure ?? error
        }
        removal.entries += gone.count
        removal.bytes += gone.reduce(0) { $0 + $1.bytes } + blobs.reduce(0) { $0 + $1.bytes }
        for blob in blobs where blob.isLastOfShard { removal.bytes += try cache.space.removeShardIfEmpty(blob.name) }
        if let failure { throw failure }
    }

    /// The space of entries' files and of their existing blobs.
    private func charges(
        of records: ArraySlice<CatalogRecord>
    ) throws -> (entries: [Int64], blobs: [CacheLayout.BlobName: Int64]) {
        let entries = try fileSystem.statuses(of: records.map(\.entryName), in: CacheLayout.entries)
        let names = records.flatMap(\.distinctBlobs)
        let statuses = try fileSystem.statuses(of: names.map(\.relativePath), in: CacheLayout.blobs)
        var blobs: [CacheLayout.BlobName: Int64] = [:]
        blobs.reserveCapacity(names.count)
        for (name, status) in zip(names, statuses) { blobs[name] = status?.chargedBytes }
        return (entries.map { $0?.chargedBytes ?? 0 }, blobs)
    }

    func evictLeastRecentlyUsed(
        down goal: Int64, used: inout Int64, policy: EvictionPolicy, _ kept: Protection
    ) throws -> CacheSpace.Removal {
        var removal = CacheSpace.Removal()
        let records = try cache.catalog.records(.trusting)
        var references = BlobReferences(records)
        let referenced = Set(records.flatMap(\.blobs))
        let required = kept.allContent
        // Positions in the order of eviction.
        let retained = Dictionary(try cache.priority.retained().enumerated().map { ($1, $0) }, uniquingKeysWith: max)
        func remove(_ names: [CacheLayout.BlobName]) throws {
            for name in names where used > goal {
                let freed = try cache.space.removeBlob(name)
                used -= freed
                removal.bytes += freed
            }
        }
        func isSpare(_ name: CacheLayout.BlobName) -> Bool {
            !required.contains(name.digest) && retained[name.digest] == nil
        }
        // Unreferenced content is evicted before anything that may be requested.
        try remove(try cache.space.blobNames().filter { !referenced.contains($0) && isSpare($0) })
        let candidates = candidates(of: policy, records, kept)
        let evicted = try evict(
            candidates, references: &references, protectedDigests: required.union(retained.keys), until: used - goal)
        used -= evicted.bytes
        removal.bytes += evicted.bytes
        removal.entries += evicted.entries
        guard used > goal, !retained.isEmpty, policy.atEnd != .onlyPassing else { return removal }
        // Content of delivered tests last, that of the oldest first.
        let stillReferenced = Set(try cache.catalog.records(.trusting).flatMap(\.blobs))
        let places = try cache.space.blobNames().filter {
            !stillReferenced.contains($0) && !required.contains($0.digest)
        }
        .map { (name: $0, place: retained[$0.digest] ?? -1) }
        try remove(places.sorted { $0.place < $1.place }.map(\.name))
        return removal
    }

    /// The entries that may be evicted, in order.
    private func candidates(
        of policy: EvictionPolicy, _ records: [CatalogRecord], _ kept: Protection
    ) -> [CatalogRecord] {
        let oldestFirst = policy.candidates(records, kept)
            .sorted { $0.entryStamp.modifiedNanoseconds < $1.entryStamp.modifiedNanoseconds }
        let favoured = oldestFirst.filter { cache.priority.standing(of: $0.url) == .favoured }
        if favoured.isEmpty { return oldestFirst }
        let others = oldestFirst.filter { cache.priority.standing(of: $0.url) != .favoured }
        return policy.atEnd == .onlyPassing ? others : others + favoured
    }

    func evictableBytes(_ policy: EvictionPolicy, _ kept: Protection) throws -> Int64 {
        let records = try cache.catalog.records(.trusting)
        var references = BlobReferences(records)
        let candidates = candidates(of: policy, records, kept)
        let charges = try charges(of: candidates[...])
        let required = kept.allContent
        var total = charges.entries.reduce(0, +)
        for record in candidates {
            for blob in references.release(record) where !required.contains(blob.digest) {
                total += charges.blobs[blob] ?? 0
            }
        }
        let known = Set(records.flatMap(\.blobs))
        for name in try cache.space.blobNames() where !known.contains(name) && !required.contains(name.digest) {
            total += try fileSystem.status(at: name.path)?.chargedBytes ?? 0
        }
        return total
    }
}

extension Cache {
    /// Evicts content.
    var eviction: Eviction { Eviction(cache: self) }
}

/// The number of entries that refer to each blob, and of blobs in each folder.
struct BlobReferences {
    private var counts: [CacheLayout.BlobName: Int] = [:]
    /// By the first byte of the digests.
    private var shards = [Int](repeating: 0, count: 256)

    init(_ records: [CatalogRecord]) {
        counts.reserveCapacity(records.count)
        for record in records {
            for blob in record.distinctBlobs {
                let count = counts[blob, default: 0]
                // Too few in the sum costs a look at a folder, too many would leave an empty one behind.
                if count == 0, blob == record.blob, record.isPresent { shards[blob.place] += 1 }
                counts[blob] = count + 1
            }
        }
    }

    /// Whether a blob to be removed is the last known one in its folder. It is counted as removed.
    mutating func isLastOfShard(_ blob: CacheLayout.BlobName) -> Bool {
        shards[blob.place] -= 1
        return shards[blob.place] <= 0
    }

    /// Removes one entry from the count; returns the blobs without other references.
    mutating func release(_ record: CatalogRecord) -> [CacheLayout.BlobName] {
        record.distinctBlobs.filter { blob in
            let count = counts[blob, default: 1] - 1
            counts[blob] = count
            return count <= 0
        }
    }
}

extension CatalogRecord {
    /// Most have one blob, for which no set is needed.
    fileprivate var distinctBlobs: [CacheLayout.BlobName] { otherBlobs.isEmpty ? [blob] : Array(Set(blobs)) }
}

extension CacheLayout.BlobName {
    fileprivate var place: Int { Int(digest.firstByte) }
}

extension EvictionPolicy {
    /// The entries that may be evicted.
    fileprivate func candidates(_ records: [CatalogRecord], _ kept: Protection) -> [CatalogRecord] {
        if self == .nothing { return [] }
        var keptURLs = kept.urls(among: records)
        if self == .onlyResponses {
            for record in records where record.isDocument {
                keptURLs.insert(record.url)
                keptURLs.formUnion(record.document?.media ?? [])
            }
        }
        // An edit made here exists nowhere else.
        return records.filter { record in
            !record.isEdited && !keptURLs.contains(record.url) && (self != .onlyGone || record.isGone)
        }
    }
}
