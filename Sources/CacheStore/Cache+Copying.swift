import Disk
import HTTPCaching
import Model
import SystemPackage

/// Entries with their content, to be carried to another store.
extension Cache {
    /// What lies in the folder of entries, sorted.
    package func entryPaths() throws -> [FilePath] {
        guard try fileSystem.status(at: CacheLayout.entries) != nil else { return [] }
        return try fileSystem.list(CacheLayout.entries)
            .filter { $0.kind == .regular && CacheLayout.isEntryName($0.name) }
            .map(\.name).sorted().map { CacheLayout.entryPath(name: $0) }
    }

    /// The entry in a file, as `entry(url:)` gives it.
    package func entry(in path: FilePath) throws -> CacheEntry? { try entry(at: path).value }

    /// The content of an entry's pulled response, opened for reading, where it is stored as it came.
    package func open(_ entry: CacheEntry) throws(FileError) -> OpenContent {
        try OpenContent(entry.blob.path, in: fileSystem)
    }

    /// What became of an entry that came from another store.
    package enum Restoration: Sendable {
        case restored
        /// There is one of its URL.
        case known
        case noRoom
    }

    /// Puts an entry of another store and its content into their places, unless there is an entry of that URL. Nothing is
    /// evicted for it.
    ///
    /// - Parameter read: gives the content from an offset on; nothing at the end.
    /// - Throws: `FileError` and what `read` throws.
    package func restore(_ entry: CacheEntry, reading read: (Int64) throws -> [UInt8]) throws -> Restoration {
        if case .hit = try self.entry(url: entry.url) { return .known }
        do throws(any Error) {
            guard try write(entry, reading: read) else { return .noRoom }
        } catch let error as CacheError {
            guard case .quotaExceeded = error else { throw error }
            return .noRoom
        }
        if entry.edited != nil || entry.goneSince != nil {
            try update(url: entry.url) { restored in
                restored.edited = entry.edited
                restored.goneSince = entry.goneSince
            }
        }
        return .restored
    }

    /// - Returns: whether there was room.
    private func write(_ entry: CacheEntry, reading read: (Int64) throws -> [UInt8]) throws -> Bool {
        if entry.document != nil || entry.sizeBytes <= ArrivingContent.longestInMemory {
            var bytes: [UInt8] = []
            while case let piece = try read(Int64(bytes.count)), !piece.isEmpty { bytes += piece }
            try store(
                Arrival(
                    url: entry.url, bytes: bytes, mediaType: entry.mediaType, response: entry.response,
                    document: entry.document), eviction: .nothing)
            return true
        }
        guard
            let arriving = begin(url: entry.url, expectedBytes: Int64(entry.sizeBytes), eviction: .nothing)
        else { return false }
        while case let piece = try read(arriving.count), !piece.isEmpty {
            guard arriving.append(piece) else {
                arriving.abandon()
                return false
            }
        }
        _ = try finish(arriving, mediaType: entry.mediaType, isPulled: true) { responses, blob, count in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(count), mediaType: entry.mediaType, response: entry.response)
            ]
        }
        return true
    }
}
