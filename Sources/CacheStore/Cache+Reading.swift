import Disk
import Model
import SystemPackage

/// Reading content of any length, whole or a range of it.
extension Cache {
    /// What a blob gives.
    package enum StoredContentSource: Sendable {
        /// Short content, compared with its digest.
        case bytes([UInt8])
        /// Long content, to be read piece by piece.
        case stream(ContentReader)
    }

    /// Content up to this length is read in one piece, and kept in the memory tier.
    package static let longestInMemory: Int64 = 128 << 10

    /// Content that is in memory, if its file is still the one that it was read from: one look at the disk.
    package func contentInMemory(_ blob: CacheLayout.BlobName) throws -> [UInt8]? {
        guard let memoryTier, let status = try fileSystem.status(at: blob.path) else { return nil }
        return memoryTier.bytes(blob.digest, stamp: FileStamp(status))
    }

    /// Reads a blob, or a range of it. It blocks on the disk.
    ///
    /// What was not compared with its digest since this process started is compared first (a range, and what is short)
    /// or while it is read. Damaged content goes to quarantine.
    ///
    /// - Parameters:
    ///   - sizeBytes: the length of its content, unpacked.
    ///   - range: within that length.
    /// - Returns: a miss when it is not there, or damaged.
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
            // Of a range nobody could tell whether the bytes are right.
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

    /// How content is stored that no entry may name any more: the media of the version that a test was taken with.
    ///
    /// - Returns: `nil` where it is not here.
    package func storedContent(_ digest: Digest, mediaType: String) throws -> CacheLayout.BlobName? {
        let names = [
            CacheLayout.arrivedName(digest: digest, mediaType: mediaType),
            CacheLayout.blobName(digest: digest, mediaType: mediaType),
        ]
        return try names.first { try fileSystem.status(at: $0.path)?.kind == .regular }
    }

    /// Moves damaged content out of the way; where even that fails, it stays and is found again.
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

    /// What the file system says of an entry's file now: while that is the same, the entry is.
    package func stamp(ofEntryAt path: FilePath) throws -> FileStamp? {
        try fileSystem.status(at: path).map(FileStamp.init)
    }

    /// The entry of a URL with the stamp of the file that it was read from.
    package func stampedEntry(url: String, at path: FilePath) throws -> Lookup<(entry: CacheEntry, stamp: FileStamp)> {
        guard let stamp = try stamp(ofEntryAt: path) else { return .miss("not on this device") }
        switch try entry(url: url) {
        case .miss(let reason): return .miss(reason)
        case .hit(let entry):
            // Replaced meanwhile: the next look sees another stamp and reads it again.
            return .hit((entry, stamp))
        }
    }
}
