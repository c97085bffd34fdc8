import Disk
import Model
import SystemPackage

/// Reads content of any length, complete or a range of it.
extension Cache {
    /// The content of a blob.
    package enum StoredContentSource: Sendable {
        /// Short content, compared with its digest.
        case bytes([UInt8])
        /// Long content, read piece by piece.
        case stream(ContentReader)
    }

    /// Content up to this length is read at once, and kept in the memory tier.
    package static let longestInMemory: Int64 = 128 << 10

    /// Content in memory, if its file is unchanged: costs one lookup on disk.
    package func contentInMemory(_ blob: CacheLayout.BlobName) throws -> [UInt8]? {
        guard let memoryTier, let status = try fileSystem.status(at: blob.path) else { return nil }
        return memoryTier.bytes(blob.digest, stamp: FileStamp(status))
    }

    /// Reads a blob, or a range of it. Blocks on the disk.
    ///
    /// Content that this process has not checked yet is compared with its digest first (a range, and short content) or
    /// during the read. Damaged content goes to quarantine.
    ///
    /// - Parameters:
    ///   - sizeBytes: the decompressed length of its content.
    ///   - range: within that length.
    /// - Returns: a miss if it is missing or damaged.
    package func read(
        _ blob: CacheLayout.BlobName, sizeBytes: Int64, range: Range<Int64>? = nil
    ) throws -> Lookup<StoredContentSource> {
        let range = range ?? 0..<sizeBytes
        if sizeBytes == 0 { return .hit(.bytes([])) }
        if sizeBytes <= Self.longestInMemory {
            guard let bytes = try shortContent(blob) else { return .miss("its content is not here, or damaged") }
            guard bytes.count == sizeBytes else { return .miss("its content has another length than its entry says") }
            return .hit(
                .bytes(range == 0..<sizeBytes ? bytes : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])))
        }
        do throws(FileError) {
            let opened = try fileSystem.continuing { () throws(FileError) in try fileSystem.open(blob.path, .read) }
            let file = BlobFile(opened, fileSystem)
            let status = try file.status()
            guard status.kind == .regular, blob.isCompressed || status.sizeBytes == sizeBytes else {
                return .miss("its content has another length than its entry says")
            }
            return try open(blob, file, FileStamp(status), sizeBytes: sizeBytes, range: range)
        } catch {
            return .miss(error.isMissing ? "its content is not on this device" : error.description)
        }
    }

    private func open(
        _ blob: CacheLayout.BlobName, _ file: BlobFile, _ stamp: FileStamp, sizeBytes: Int64, range: Range<Int64>
    ) throws(FileError) -> Lookup<StoredContentSource> {
        let isWhole = range == 0..<sizeBytes
        do {
            var isVerified = verified.contains(blob, stamp)
            // A range alone cannot be checked.
            if !isVerified, !isWhole {
                let whole = try ContentReader(
                    cache: self, name: blob, file: file, stamp: stamp, range: 0..<sizeBytes, isVerifying: true)
                while try whole.next() != nil {}
                isVerified = true
            }
            return .hit(
                .stream(
                    try ContentReader(
                        cache: self, name: blob, file: file, stamp: stamp, range: range, isVerifying: !isVerified)))
        } catch let error as FileError {
            throw error
        } catch {
            setAside(blob, reason: "\(error)")
            return .miss("its content was damaged")
        }
    }

    /// The storage of content that may have no entry any more: the media of the version that a test was taken with.
    ///
    /// - Returns: `nil` if it is not here.
    package func storedContent(_ digest: Digest, mediaType: String) throws -> CacheLayout.BlobName? {
        let names = [
            CacheLayout.arrivedName(digest: digest, mediaType: mediaType),
            CacheLayout.blobName(digest: digest, mediaType: mediaType),
        ]
        return try names.first { try fileSystem.status(at: $0.path)?.kind == .regular }
    }

    /// Moves damaged content to quarantine; if even that fails, it stays and is found again.
    package func setAside(_ blob: CacheLayout.BlobName, reason: String) {
        do throws(FileError) { try quarantine.take(blob.path, reason: reason) } catch {}
    }

    private func shortContent(_ blob: CacheLayout.BlobName) throws -> [UInt8]? {
        if let bytes = try contentInMemory(blob) { return bytes }
        switch try readBlob(blob) {
        case .intact(let bytes, let stamp):
            memoryTier?.keep(bytes, digest: blob.digest, stamp: stamp)
            return bytes
        case .missing, .unreadable, .tooLong: return nil
        case .differs(_, let reason):
            setAside(blob, reason: reason)
            return nil
        }
    }

    // MARK: Entries that are kept in memory

    /// The file of a URL's entry.
    package static func entryPath(url: String) -> FilePath { CacheLayout.entryPath(url: url) }

    /// The current stamp of an entry's file: while it is unchanged, so is the entry.
    package func stamp(ofEntryAt path: FilePath) throws -> FileStamp? {
        try fileSystem.status(at: path).map(FileStamp.init)
    }

    /// The entry of a URL with the stamp of the file that it was read from.
    package func stampedEntry(url: String, at path: FilePath) throws -> Lookup<(entry: CacheEntry, stamp: FileStamp)> {
        guard let stamp = try stamp(ofEntryAt: path) else { return .miss("not on this device") }
        switch try entry(url: url) {
        case .miss(let reason): return .miss(reason)
        case .hit(let entry):
            // Replaced meanwhile: the next lookup sees another stamp and reads it again.
            return .hit((entry, stamp))
        }
    }
}
