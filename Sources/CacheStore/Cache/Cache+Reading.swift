import Disk
import Model
import SystemPackage

/// Reads content: of an entry, by its digest, and of any length.
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

    /// The content of an entry, checked against its digest, with the current entry (an edit made by hand is adopted).
    package func content(of entry: CacheEntry) throws -> Lookup<(entry: CacheEntry, bytes: [UInt8])> {
        if entry.primary.isPartial { return .miss("only a part of it is on this device") }
        if let memoryTier, let status = try fileSystem.status(at: entry.blob.path),
            let bytes = memoryTier.bytes(entry.digest, stamp: FileStamp(status))
        {
            return .hit((entry, bytes))
        }
        switch try readBlob(entry.blob) {
        case .intact(let bytes, let stamp):
            memoryTier?.keep(bytes, digest: entry.digest, stamp: stamp)
            return .hit((entry, bytes))
        case .missing:
            // Another process may have adopted an edit in the meantime.
            if case .hit(let current) = try self.entry(url: entry.url), current.digest != entry.digest {
                return try content(of: current)
            }
            return .miss("its content is not on this device")
        case .tooLong(let reason) where entry.document != nil:
            return try settle(entry, found: nil, reason: reason)
        case .unreadable(let reason), .tooLong(let reason):
            return .miss(reason)
        case .differs(let bytes, let reason):
            return try settle(entry, found: bytes, reason: reason)
        }
    }

    /// Content by digest, with or without an entry: the version that a draft was started with.
    package func content(digest: Digest) throws -> [UInt8]? {
        let name = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        guard case .intact(let bytes, _) = try readBlob(name) else { return nil }
        return bytes
    }

    /// Whether the file of an entry's content exists; it is not read.
    package func isPresent(_ entry: CacheEntry) throws -> Bool {
        try fileSystem.status(at: entry.blob.path)?.kind == .regular
    }

    /// Whether a test's content is here; it is not read.
    package func isPresent(digest: Digest) throws -> Bool {
        let name = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        return try fileSystem.status(at: name.path)?.kind == .regular
    }

    enum BlobReading {
        case intact([UInt8], FileStamp)
        case missing
        case unreadable(String)
        /// Too long for a document.
        case tooLong(String)
        /// It does not match its name; the bytes are the decompressed content, if it decompresses.
        case differs([UInt8]?, String)
    }

    func readBlob(_ name: CacheLayout.BlobName) throws -> BlobReading {
        let stored: [UInt8]
        let status: FileStatus
        let maximumBytes = name.fileExtension == "json" ? Questionnaire.maximumBytes : Self.maximumContentBytes
        do throws(FileError) {
            // Compressed incompressible content is a little longer.
            (stored, status) = try fileSystem.readFile(name.path, maximumBytes: Int64(maximumBytes) + 65_536)
        } catch {
            if error.code == .fileTooLarge { return .tooLong(error.description) }
            return error.isMissing ? .missing : .unreadable(error.description)
        }
        var bytes = stored
        if name.isCompressed {
            do throws(GzipFault) {
                bytes = try Gzip.decompress(stored, maximumBytes: maximumBytes)
            } catch {
                // Plain text under a .gz name may be a person's edit.
                return .differs(error == .notGzip ? stored : nil, error.description)
            }
        }
        if Digest(sha256Of: bytes) == name.digest { return .intact(bytes, FileStamp(status)) }
        return .differs(bytes, "its content does not match its name")
    }

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

    /// Resolves a blob that does not match its name: a valid document is a person's edit and is adopted, anything else
    /// goes to quarantine.
    func settle(
        _ entry: CacheEntry, found: [UInt8]?, reason: String
    ) throws -> Lookup<(entry: CacheEntry, bytes: [UInt8])> {
        var fault = reason
        if let found, let document = entry.document {
            let questionnaire: Questionnaire?
            do throws(DocumentFault) {
                questionnaire = try Questionnaire(json: found)
            } catch {
                questionnaire = nil
                fault += "; as a document: \(error)"
            }
            if let questionnaire, questionnaire.id == document.id {
                let summary = DocumentSummary(questionnaire, media: document.media)
                do {
                    return .hit((try adopt(found, editOf: entry, summary: summary), found))
                } catch let error as FileError where error.isUnwritable {
                    return .miss("its content was edited, which cannot be noted down (\(error))")
                }
            }
            if let questionnaire { fault += "; its id was changed to “\(questionnaire.id)”" }
        }
        guard try quarantineIfWritable(entry.blob.path, reason: fault) else {
            return .miss("its content is damaged (\(fault))")
        }
        return .miss("its content was damaged (\(fault)) and is in quarantine; the next pull fetches it again")
    }
}
