import Disk
import HTTPCaching
import Model
import SystemPackage

/// Copies entries with their content to another store.
extension Cache {
    /// The files in the folder of entries, sorted.
    package func entryPaths() throws -> [FilePath] {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return [] }
        return try fileSystem.list(CacheLayout.entries)
            .filter { $0.kind == .regular && CacheLayout.isEntryName($0.name) }
            .map(\.name).sorted().map { CacheLayout.entryPath(name: $0) }
    }

    /// The entry in a file, as `entry(url:)` gives it.
    package func entry(in path: FilePath) throws -> CacheEntry? { try entry(at: path).value }

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

    /// Stores an entry of another store with its content, unless an entry for that URL exists.
    ///
    /// - Parameters:
    ///   - outdated: the digest of an earlier version of the entry, as `DocumentCoding` writes it: that one is replaced.
    ///   - isNeeded: a test, a pin or a favourite refers to it: other content is evicted for it.
    ///   - read: returns the content from an offset on; empty at the end.
    /// - Throws: `FileError` and the errors of `read`.
    package func restore(
        _ entry: CacheEntry, isNeeded: Bool, replacing outdated: Digest? = nil, reading read: (Int64) throws -> [UInt8]
    ) throws -> Restoration {
        if case .hit(let known) = try self.entry(url: entry.url) {
            var former = known
            former.variants = []
            guard let outdated, Digest(sha256Of: try DocumentCoding.encode(former)) == outdated else {
                return known.digest == entry.digest && known.edited == entry.edited ? .known : .different
            }
        }
        do throws(any Error) {
            guard try write(entry, isNeeded ? .leastRecentlyUsed : .nothing, reading: read) else { return .noRoom }
        } catch let error as CacheError {
            guard case .quotaExceeded = error else { throw error }
            return .noRoom
        }
        return .restored
    }

    /// - Returns: whether there was room.
    private func write(
        _ entry: CacheEntry, _ eviction: EvictionPolicy, reading read: (Int64) throws -> [UInt8]
    ) throws -> Bool {
        if entry.document != nil || entry.sizeBytes <= ArrivingContent.longestInMemory {
            var bytes: [UInt8] = []
            while case let piece = try read(Int64(bytes.count)), !piece.isEmpty { bytes += piece }
            try store(entry, bytes, eviction: eviction)
            return true
        }
        guard let arriving = try arrival(entry.url, entry.sizeBytes, eviction, reading: read) else { return false }
        _ = try finish(arriving, mediaType: entry.mediaType, isPulled: true) { responses, blob, count in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(count), mediaType: entry.mediaType, response: entry.response)
            ]
        }
        // Without room for the change, a pull finds out again that the server no longer lists it.
        if entry.goneSince != nil { try update(url: entry.url) { $0.goneSince = entry.goneSince } }
        return true
    }

    /// - Returns: `nil` if there is no room.
    private func arrival(
        _ url: String, _ sizeBytes: Int, _ eviction: EvictionPolicy, reading read: (Int64) throws -> [UInt8]
    ) throws -> ArrivingContent? {
        guard let arriving = begin(url: url, expectedBytes: Int64(sizeBytes), eviction: eviction) else { return nil }
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
                folders.insert(path.removingLastComponent())
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
        guard case .intact(let bytes, _) = try readBlob(blob) else { return nil }
        return bytes
    }

    /// Stores content that a test refers to; other content is evicted for it.
    ///
    /// - Parameter read: returns the content from an offset on; empty at the end.
    package func restore(
        _ blob: CacheLayout.BlobName, sizeBytes: Int, reading read: (Int64) throws -> [UInt8]
    ) throws -> Restoration {
        if blob.isCompressed || sizeBytes <= ArrivingContent.longestInMemory {
            if case .intact = try readBlob(blob) { return .known }
            var bytes: [UInt8] = []
            while case let piece = try read(Int64(bytes.count)), !piece.isEmpty { bytes += piece }
            do throws(any Error) {
                try restore(bytes, as: blob)
            } catch CacheError.quotaExceeded {
                return .noRoom
            }
            return .restored
        }
        if try fileSystem.status(at: blob.path)?.sizeBytes == Int64(sizeBytes) { return .known }
        guard let arriving = try arrival(blob.relativePath, sizeBytes, .leastRecentlyUsed, reading: read),
            let finished = arriving.takeFinished(), let file = finished.file
        else { return .noRoom }
        var isPlaced = false
        defer { if !isPlaced { discard(file) } }
        do throws(any Error) {
            try withSpace { used in
                try place(file, blob, of: finished.count, for: arriving, used: &used)
                isPlaced = true
            }
        } catch CacheError.quotaExceeded {
            return .noRoom
        }
        return .restored
    }
}
