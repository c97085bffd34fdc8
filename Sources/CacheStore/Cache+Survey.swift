import Disk
import Model
import SystemPackage

/// Something in the cache that is not as it should be.
package struct CacheFault: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// It does not belong there.
        case stranger
        case damagedEntry(reason: String)
        case damagedContent(url: String, reason: String)
        case missingContent(url: String)
        /// Content that nothing refers to.
        case orphan
        /// The ledger tells less than there is, so the quota would be exceeded.
        case ledger(reason: String)
        /// The index tells something else than the entries and the content.
        case index(reason: String)
        /// The mark by which backup programs know a cache.
        case tag
    }

    package var path: FilePath
    package var kind: Kind
}

/// Looking at everything and changing nothing.
extension Cache {
    /// Checks every entry, every blob, the ledger, the index and the tag. What others change meanwhile is looked at
    /// twice before it is called a fault.
    ///
    /// - Parameter isNeeded: whether something outside the cache refers to content that no entry names.
    package func survey(isNeeded: (Digest) -> Bool) throws -> [CacheFault] {
        var faults: [CacheFault] = []
        var referenced: Set<Digest> = try keptContent()
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
            let folder = CacheLayout.blobs.appending(shard.name)
            guard shard.kind == .folder, CacheLayout.isShardName(shard.name) else {
                faults.append(CacheFault(path: folder, kind: .stranger))
                continue
            }
            for file in try list(folder) {
                let path = folder.appending(file.name)
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
        return try faults + ownFaults() + indexFaults()
    }

    /// Counts anew what the cache takes.
    package func renewLedger() throws { try withCountedSpace { _, _ in } }

    /// Makes the index from nothing.
    package func renewIndex() throws {
        for path in [CacheLayout.catalog, CacheLayout.texts] { try fileSystem.removeIfPresent(path) }
        try makeFolders()
        _ = try records()
    }

    /// Writes the tag as it should be.
    package func renewTag() throws {
        try fileSystem.removeIfPresent(CacheLayout.tag)
        try makeFolders()
    }

    /// Whether content is here that a test was begun with; it is not read.
    package func isPresent(digest: Digest) throws -> Bool {
        let name = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        return try fileSystem.status(at: name.path)?.kind == .regular
    }

    // MARK: Parts

    private func list(_ folder: FilePath) throws -> [FolderEntry] {
        do throws(FileError) {
            return try fileSystem.list(folder)
        } catch {
            // Removed meanwhile, or never made: no cache is a cache with nothing in it.
            if error.isMissing { return [] }
            throw error
        }
    }

    /// Reads an entry and leaves it where it is; `nil` when it is gone.
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

    /// Of what is too long to be held in memory, and of parts: it is stored as it is, and compared piece by piece.
    ///
    /// - Parameter partBytes: the length of a part.
    private func longContentFault(
        _ blob: CacheLayout.BlobName, url: String, partBytes: Int64? = nil
    ) throws -> CacheFault? {
        let path = blob.path
        do throws(FileError) {
            let found: Digest?
            if let partBytes {
                found = try digest(ofFirst: partBytes, in: blob)
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
        // Of other responses, and of further parts.
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
        if entry.document == nil || blob != entry.blob, sizeBytes > Self.maximumContentBytes, !blob.isCompressed {
            return try longContentFault(blob, url: entry.url)
        }
        switch try readBlob(blob) {
        case .intact: return nil
        case .missing: return CacheFault(path: path, kind: .missingContent(url: entry.url))
        case .unreadable(let reason), .tooLong(let reason):
            // What is no file is named as a stranger.
            guard try fileSystem.status(at: path)?.kind == .regular else { return nil }
            return CacheFault(path: path, kind: .damagedContent(url: entry.url, reason: reason))
        case .differs(let bytes, let reason):
            // Somebody's edit, which the next look adopts.
            if blob == entry.blob, let bytes, let document = entry.document,
                (try? Questionnaire(json: bytes))?.id == document.id
            {
                return nil
            }
            return CacheFault(path: path, kind: .damagedContent(url: entry.url, reason: reason))
        }
    }

    /// Told under the lock: whoever brings content writes its entry after it.
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

    /// The cache's lock; `nil` on a disk that cannot be written to, where nobody changes anything.
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
                faults.append(CacheFault(path: CacheLayout.root.appending(item.name), kind: .stranger))
            }
            let tag = try? fileSystem.readFile(CacheLayout.tag, maximumBytes: 4096).bytes
            let signature = CacheLayout.tagContent.utf8.prefix { $0 != UInt8(ascii: "\n") }
            if tag?.starts(with: signature) != true { faults.append(CacheFault(path: CacheLayout.tag, kind: .tag)) }
        }
        for item in try list(CacheLayout.index)
        where !CacheLayout.indexNames.contains(item.name) && !fileSystem.isTemporaryName(item.name) {
            faults.append(CacheFault(path: CacheLayout.index.appending(item.name), kind: .stranger))
        }
        if let reason = try ledgerFault() {
            faults.append(CacheFault(path: CacheLayout.ledger, kind: .ledger(reason: reason)))
        }
        return faults
    }

    /// Told under the lock, where the ledger and what is there agree.
    private func ledgerFault() throws -> String? {
        guard try fileSystem.status(at: CacheLayout.ledger)?.kind == .regular else { return nil }
        return try withExtendedLifetime(try lockForLooking()) {
            guard ledger.isReadable() else { return "it is not a ledger" }
            // That of another boot is counted anew by whoever needs it.
            guard let booked = ledger.statedBytes() else { return nil }
            guard (0...1 << 60).contains(booked) else { return "\(booked) bytes are no amount" }
            let counted = try ledger.count()
            if booked >= counted { return nil }
            return "\(ByteCount.format(booked)) are booked, \(ByteCount.format(counted)) are there"
        }
    }
}
