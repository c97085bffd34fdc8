import Disk
import Model
import SystemPackage

/// A fault of the cache.
package struct CacheFault: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// A file that does not belong there.
        case stranger
        case damagedEntry(reason: String)
        case damagedContent(url: String, reason: String)
        case missingContent(url: String)
        /// Content without a reference.
        case orphan
        /// The ledger states less than the actual size, so the quota would be exceeded.
        case ledger(reason: String)
        /// The index differs from the entries and the content.
        case index(reason: String)
        /// The tag by which backup programs recognise a cache.
        case tag
    }

    package var path: FilePath
    package var kind: Kind
}

/// Examines everything without changing it.
package struct CacheSurvey: Sendable {
    let cache: Cache

    var fileSystem: any FileSystem { cache.fileSystem }
    var ledger: QuotaLedger { cache.ledger }

    /// Checks every entry, every blob, the ledger, the index and the tag. A concurrent change is checked again before
    /// it counts as a fault.
    ///
    /// - Parameter isNeeded: whether something outside the cache refers to content without an entry.
    package func faults(isNeeded: (Digest) -> Bool) throws -> [CacheFault] {
        var faults: [CacheFault] = []
        var referenced: Set<Digest> = try cache.priority.keptContent()
        for item in try list(CacheLayout.entries) {
            let path = CacheLayout.entryPath(name: item.name)
            guard item.kind == .regular, CacheLayout.isEntryName(item.name) else {
                faults.append(CacheFault(path: path, kind: .stranger))
                continue
            }
            switch try peek(path) {
            case nil: continue
            case .failure(let fault):
                faults.append(CacheFault(path: path, kind: .damagedEntry(reason: fault.description)))
            case .success(let entry):
                referenced.formUnion(entry.blobs.map(\.digest))
                if CacheLayout.entryName(url: entry.url) != item.name {
                    faults.append(CacheFault(path: path, kind: .stranger))
                } else if let fault = try contentFault(entry), try isUnchanged(entry, path) {
                    faults.append(fault)
                }
            }
        }
        for shard in try list(CacheLayout.blobs) {
            let folder = CacheLayout.blobs.appending(name: shard.name)
            guard shard.kind == .folder, CacheLayout.isShardName(shard.name) else {
                faults.append(CacheFault(path: folder, kind: .stranger))
                continue
            }
            for file in try list(folder) {
                let path = folder.appending(name: file.name)
                guard file.kind == .regular, let name = CacheLayout.BlobName(fileName: file.name),
                    name.digest.hex.hasPrefix(shard.name)
                else {
                    faults.append(CacheFault(path: path, kind: .stranger))
                    continue
                }
                if !referenced.contains(name.digest), !isNeeded(name.digest), try isOrphan(name) {
                    faults.append(CacheFault(path: path, kind: .orphan))
                }
            }
        }
        return try faults + ownFaults() + cache.catalog.faults()
    }

    /// Recounts the space of the cache.
    package func renewLedger() throws { try cache.space.withCountedSpace { _, _ in } }

    /// Rebuilds the index.
    package func renewIndex() throws {
        for path in [CacheLayout.catalog, CacheLayout.texts] { try fileSystem.removeIfPresent(path) }
        try cache.makeFolders()
        _ = try cache.catalog.records()
    }

    /// Rewrites the tag.
    package func renewTag() throws {
        try fileSystem.removeIfPresent(CacheLayout.tag)
        try cache.makeFolders()
    }

    // MARK: Parts

    private func list(_ folder: FilePath) throws -> [FolderEntry] {
        do throws(FileError) {
            return try fileSystem.list(folder)
        } catch {
            // Removed meanwhile, or never made: a missing cache is an empty one.
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Reads an entry without moving it; `nil` if it is gone.
    private func peek(_ path: FilePath) throws -> Result<CacheEntry, DocumentFault>? {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try fileSystem.readFile(path, maximumBytes: 1 << 20).bytes
        } catch {
            if error.isMissing { return nil }
            return .failure(DocumentFault(field: nil, reason: error.description))
        }
        do throws(DocumentFault) {
            return .success(try DocumentCoding.decode(CacheEntry.self, from: bytes))
        } catch {
            return .failure(error)
        }
    }

    private func isUnchanged(_ entry: CacheEntry, _ path: FilePath) throws -> Bool {
        if case .success(let now) = try peek(path) { now == entry } else { false }
    }

    /// For content too long for memory, and for parts: it is stored uncompressed, and compared piece by piece.
    ///
    /// - Parameter partBytes: the length of a part.
    private func longContentFault(
        _ blob: CacheLayout.BlobName, url: String, partBytes: Int64? = nil
    ) throws -> CacheFault? {
        let path = blob.path
        do throws(FileError) {
            let found: Digest?
            if let partBytes {
                found = try cache.parts.digest(ofFirst: partBytes, in: blob)
            } else {
                found = try OpenContent(path, in: fileSystem).digest()
            }
            if found == blob.digest { return nil }
            return CacheFault(
                path: path, kind: .damagedContent(url: url, reason: "its bytes are not those of its name"))
        } catch {
            if error.isMissing { return CacheFault(path: path, kind: .missingContent(url: url)) }
            throw error
        }
    }

    private func contentFault(_ entry: CacheEntry) throws -> CacheFault? {
        func fault(_ blob: CacheLayout.BlobName, _ sizeBytes: Int64, of response: CacheVariant) throws -> CacheFault? {
            if response.isPartial, !blob.isCompressed {
                return try longContentFault(blob, url: entry.url, partBytes: sizeBytes)
            }
            return try contentFault(entry, blob, sizeBytes: sizeBytes)
        }
        if let fault = try fault(entry.blob, Int64(entry.sizeBytes), of: entry.primary) { return fault }
        // Files of other responses, and of further parts.
        for response in entry.responses {
            for (blob, sizeBytes) in response.files where blob != entry.blob && sizeBytes > 0 {
                if let fault = try fault(blob, sizeBytes, of: response) { return fault }
            }
        }
        return nil
    }

    private func contentFault(
        _ entry: CacheEntry, _ blob: CacheLayout.BlobName, sizeBytes: Int64
    ) throws -> CacheFault? {
        let path = blob.path
        if entry.document == nil || blob != entry.blob, sizeBytes > Cache.maximumContentBytes, !blob.isCompressed {
            return try longContentFault(blob, url: entry.url)
        }
        switch try cache.readBlob(blob) {
        case .intact: return nil
        case .missing: return CacheFault(path: path, kind: .missingContent(url: entry.url))
        case .unreadable(let reason), .tooLong(let reason):
            // Anything but a file is reported as a stranger.
            guard try fileSystem.status(at: path)?.kind == .regular else { return nil }
            return CacheFault(path: path, kind: .damagedContent(url: entry.url, reason: reason))
        case .differs(let bytes, let reason):
            // A person's edit, which the next read adopts.
            if blob == entry.blob, let bytes, let document = entry.document,
                (try? Questionnaire(json: bytes))?.id == document.id
            {
                return nil
            }
            return CacheFault(path: path, kind: .damagedContent(url: entry.url, reason: reason))
        }
    }

    /// Checked under the lock: writers add the entry after the content.
    private func isOrphan(_ name: CacheLayout.BlobName) throws -> Bool {
        try withExtendedLifetime(try lockForLooking()) {
            guard try fileSystem.status(at: name.path) != nil else { return false }
            return try !list(CacheLayout.entries).contains { item in
                if case .success(let entry) = try peek(CacheLayout.entryPath(name: item.name)) {
                    entry.blobs.contains { $0.digest == name.digest }
                } else {
                    false
                }
            }
        }
    }

    /// The cache's lock; `nil` on a read-only disk, where nothing changes.
    private func lockForLooking() throws -> LockFile? {
        do throws(FileError) {
            return try LockFile.acquire(CacheLayout.lock, in: fileSystem, wait: true)
        } catch {
            if error.code == .readOnlyFileSystem || error.code == .permissionDenied || error.isMissing { return nil }
            throw error
        }
    }

    private func ownFaults() throws -> [CacheFault] {
        var faults: [CacheFault] = []
        if try fileSystem.status(at: CacheLayout.root)?.kind == .folder {
            for item in try list(CacheLayout.root) where !CacheLayout.ownNames.contains(item.name) {
                faults.append(CacheFault(path: CacheLayout.root.appending(name: item.name), kind: .stranger))
            }
            let tag = try? fileSystem.readFile(CacheLayout.tag, maximumBytes: 4096).bytes
            let signature = CacheLayout.tagContent.utf8.prefix { $0 != UInt8(ascii: "\n") }
            if tag?.starts(with: signature) != true { faults.append(CacheFault(path: CacheLayout.tag, kind: .tag)) }
        }
        for item in try list(CacheLayout.index)
        where !CacheLayout.indexNames.contains(item.name) && !fileSystem.isTemporaryName(item.name) {
            faults.append(CacheFault(path: CacheLayout.index.appending(name: item.name), kind: .stranger))
        }
        if let reason = try ledgerFault() {
            faults.append(CacheFault(path: CacheLayout.ledger, kind: .ledger(reason: reason)))
        }
        return faults
    }

    /// Checked under the lock, where the ledger matches the files.
    private func ledgerFault() throws -> String? {
        guard try fileSystem.status(at: CacheLayout.ledger)?.kind == .regular else { return nil }
        return try withExtendedLifetime(try lockForLooking()) {
            guard ledger.isReadable() else { return "it is not a ledger" }
            // A ledger of another boot is recounted when needed.
            guard let booked = ledger.statedBytes() else { return nil }
            guard (0...1 << 60).contains(booked) else { return "\(booked) bytes are no amount" }
            let counted = try ledger.count()
            if booked >= counted { return nil }
            return "\(ByteCount.format(booked)) are booked, \(ByteCount.format(counted)) are there"
        }
    }
}

extension Cache {
    /// Checks for doctor.
    package var survey: CacheSurvey { CacheSurvey(cache: self) }
}
