import Disk
import HTTPCaching
import Model
import SystemPackage

/// Copies entries with their content to another store.
package struct CacheTransfer: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }

    /// The files in the folder of entries, sorted.
    package func entryPaths() throws -> [FilePath] {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return [] }
        return try fileSystem.list(CacheLayout.entries)
            .filter { $0.kind == .regular && CacheLayout.isEntryName($0.name) }
            .map(\.name).sorted().map { CacheLayout.entryPath(name: $0) }
    }

    /// The entry in a file, as ``Cache/entry(url:)`` gives it.
    package func entry(in path: FilePath) throws -> CacheEntry? { try cache.entry(at: path).value }

    /// Opens the content of an entry's pulled response for reading, if it is stored uncompressed.
    package func open(_ entry: CacheEntry) throws(FileError) -> OpenContent {
        try OpenContent(entry.blob.path, in: fileSystem)
    }

    /// The result for an entry from another store.
    package enum Restoration: Sendable {
        case restored
        /// It exists already.
        case known
        /// Another entry for its URL exists, and stays.
        case different
        case noRoom
    }

    /// Stores an entry of another store with its content, unless an entry for that URL exists. An edit that is here already is
    /// written again: an earlier flush of it may have failed, which the next one would not report.
    ///
    /// - Parameters:
    ///   - outdated: the digest of an earlier version of the entry, as `DocumentCoding` writes it: that one is replaced.
    ///   - isNeeded: a test, a pin or a favourite refers to it: other content is evicted for it.
    ///   - read: returns the content from an offset on; empty at the end. What is longer than the entry says is not stored.
    /// - Throws: `FileError` and the errors of `read`.
    package func restore(
        _ entry: CacheEntry, isNeeded: Bool, replacing outdated: Digest? = nil, reading read: (Int64) throws -> [UInt8]
    ) throws -> Restoration {
        var isKnown = false
        if case .hit(let known) = try cache.entry(url: entry.url) {
            var former = known
            former.variants = []
            let isOutdated = try outdated == Digest(sha256Of: DocumentCoding.encode(former))
            isKnown = !isOutdated && known.digest == entry.digest && known.edited == entry.edited
            if !isOutdated, !isKnown { return .different }
            if isKnown, entry.edited == nil { return .known }
        }
        do throws(any Error) {
            if try write(entry, isNeeded ? .leastRecentlyUsed : .nothing, reading: read) {
                return isKnown ? .known : .restored
            }
        } catch CacheError.quotaExceeded {
            // As without room for the first piece.
        }
        return isKnown ? .known : .noRoom
    }

    /// - Returns: whether there was room.
    private func write(
        _ entry: CacheEntry, _ eviction: EvictionPolicy, reading read: (Int64) throws -> [UInt8]
    ) throws -> Bool {
        if entry.document != nil || entry.sizeBytes <= ArrivingContent.longestInMemory {
            let sizeBytes = min(entry.sizeBytes, Cache.maximumContentBytes)
            guard let bytes = try Self.content(of: sizeBytes, reading: read) else { return false }
            try cache.store(entry, bytes, eviction: eviction)
            return true
        }
        guard let arriving = try arrival(entry.url, entry.sizeBytes, eviction, reading: read) else { return false }
        _ = try cache.responses.finish(arriving, mediaType: entry.mediaType, isPulled: true) { responses, blob, count in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(count), mediaType: entry.mediaType, response: entry.response)
            ]
        }
        // Without room for the change, a pull finds out again that the server no longer lists it.
        if entry.goneSince != nil { try cache.update(url: entry.url) { $0.goneSince = entry.goneSince } }
        return true
    }

    /// All of short content in memory.
    ///
    /// - Returns: `nil` if it is longer.
    private static func content(of sizeBytes: Int, reading read: (Int64) throws -> [UInt8]) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count <= sizeBytes, case let piece = try read(Int64(bytes.count)), !piece.isEmpty { bytes += piece }
        return bytes.count <= sizeBytes ? bytes : nil
    }

    /// - Returns: `nil` if there is no room.
    private func arrival(
        _ url: String, _ sizeBytes: Int, _ eviction: EvictionPolicy, reading read: (Int64) throws -> [UInt8]
    ) throws -> ArrivingContent? {
        guard let arriving = cache.responses.begin(url: url, expectedBytes: Int64(sizeBytes), eviction: eviction) else {
            return nil
        }
        while case let piece = try read(arriving.count), !piece.isEmpty {
            guard arriving.append(piece) else {
                arriving.abandon()
                return nil
            }
        }
        return arriving
    }

    /// Makes files of the cache durable; one that was evicted meanwhile is none.
    package func makeDurable(_ paths: Set<FilePath>) throws {
        if paths.isEmpty { return }
        var folders: Set<FilePath> = [CacheLayout.blobs, CacheLayout.root, FilePath()]
        for path in paths {
            do throws(FileError) {
                try fileSystem.makeDurable(file: path)
                folders.insert(path.folder)
            } catch {
                guard error.isMissing else { throw error }
            }
        }
        for folder in folders { try fileSystem.makeDurable(folder: folder) }
    }

    // MARK: Content without an entry

    /// The decompressed content of a blob, compared with its name; `nil` if it is missing or differs. For compressed
    /// content, which fits into memory.
    package func content(of blob: CacheLayout.BlobName) throws -> [UInt8]? {
        guard case .intact(let bytes, _) = try cache.readBlob(blob) else { return nil }
        return bytes
    }

    /// Stores content that a test refers to; other content is evicted for it. What is here already is written again: an earlier
    /// flush of it may have failed, which the next one would not report.
    ///
    /// - Parameter read: returns the content from an offset on; empty at the end.
    package func restore(
        _ blob: CacheLayout.BlobName, sizeBytes: Int, reading read: (Int64) throws -> [UInt8]
    ) throws -> Restoration {
        let isSmall = blob.isCompressed || sizeBytes <= ArrivingContent.longestInMemory
        let isKnown =
            if isSmall, case .intact = try cache.readBlob(blob) {
                true
            } else {
                try !isSmall && fileSystem.status(at: blob.path)?.sizeBytes == Int64(sizeBytes)
            }
        do throws(any Error) {
            if isSmall {
                guard let bytes = try Self.content(of: sizeBytes, reading: read) else { return .noRoom }
                try cache.restore(bytes, as: blob, isDurable: true)
                return isKnown ? .known : .restored
            }
            if let arriving = try arrival(blob.relativePath, sizeBytes, .leastRecentlyUsed, reading: read),
                let finished = arriving.takeFinished(), let file = finished.file
            {
                var isPlaced = false
                defer { if !isPlaced { cache.responses.discard(file) } }
                try cache.space.withSpace { used in
                    try cache.responses.place(file, blob, of: finished.count, for: arriving, used: &used)
                    isPlaced = true
                }
                return isKnown ? .known : .restored
            }
        } catch CacheError.quotaExceeded {
            // As without room for the first piece.
        }
        return isKnown ? .known : .noRoom
    }
}

extension Cache {
    /// Entries on their way to or from another store.
    package var transfer: CacheTransfer { CacheTransfer(cache: self) }
}
