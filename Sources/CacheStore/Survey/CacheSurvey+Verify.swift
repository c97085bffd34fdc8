import Disk
import HTTPCaching
import Model
import SystemPackage

/// Checks the files, and resolves faults.
extension CacheSurvey {
    /// The findings of a full check of the cache.
    package struct Verification: Sendable, Codable, Equatable {
        package var checked = 0
        /// URLs whose content was changed by hand and is now adopted.
        package var edited: [String] = []
        /// URLs whose content was damaged; it is in quarantine and is fetched again on the next pull.
        package var damaged: [String] = []
        /// URLs whose content is missing.
        package var missing: [String] = []
        /// Files that do not belong in the cache.
        package var strangers: [String] = []
        package init() {}

        package var isClean: Bool { edited.isEmpty && damaged.isEmpty && missing.isEmpty && strangers.isEmpty }
    }

    /// Reads every entry and every blob.
    package func verify() throws -> Verification {
        var result = Verification()
        for folder in CacheLayout.folders {
            if let status = try fileSystem.status(at: folder), status.kind != .folder {
                result.strangers.append(folder.string)
            }
        }
        guard result.strangers.isEmpty, try fileSystem.status(at: CacheLayout.entries) != nil,
            try fileSystem.status(at: CacheLayout.blobs) != nil
        else { return result }
        for item in try fileSystem.list(CacheLayout.entries) {
            let path = CacheLayout.entryPath(name: item.name)
            guard item.kind == .regular, CacheLayout.isEntryName(item.name) else {
                result.strangers.append(path.string)
                continue
            }
            let lookup = try cache.entry(at: path)
            guard let entry = lookup.value else {
                if try fileSystem.status(at: path) == nil { result.damaged.append(path.string) }
                continue
            }
            guard CacheLayout.entryName(url: entry.url) == item.name else {
                result.strangers.append(path.string)
                continue
            }
            result.checked += 1
            let isShortAndWhole =
                entry.blobs == [entry.blob] && !entry.primary.isPartial && entry.sizeBytes <= Cache.maximumContentBytes
            guard entry.document != nil || isShortAndWhole else {
                try verifyResponses(entry, &result)
                continue
            }
            let isThere = try fileSystem.status(at: entry.blob.path) != nil
            switch try cache.content(of: entry) {
            case .hit(let found):
                if found.entry.digest != entry.digest { result.edited.append(entry.url) }
            case .miss:
                if isThere { result.damaged.append(entry.url) } else { result.missing.append(entry.url) }
            }
        }
        for shard in try fileSystem.list(CacheLayout.blobs) {
            let folder = CacheLayout.blobs.appending(name: shard.name)
            guard shard.kind == .folder, CacheLayout.isShardName(shard.name) else {
                result.strangers.append(folder.string)
                continue
            }
            for file in try fileSystem.list(folder) {
                let name = CacheLayout.BlobName(fileName: file.name)
                if file.kind != .regular || name?.digest.hex.hasPrefix(shard.name) != true {
                    result.strangers.append(folder.appending(name: file.name).string)
                }
            }
        }
        return result
    }

    /// Reads the content of all responses of a URL, piece by piece; a response with damaged or missing content is
    /// removed.
    private func verifyResponses(_ entry: CacheEntry, _ result: inout Verification) throws {
        var lost: Set<CacheLayout.BlobName> = []
        for response in entry.responses {
            for (blob, sizeBytes) in response.files where sizeBytes > 0 && !lost.contains(blob) {
                if try fileSystem.status(at: blob.path) == nil {
                    lost.insert(blob)
                    if !result.missing.contains(entry.url) { result.missing.append(entry.url) }
                } else if try !isIntact(blob, sizeBytes: sizeBytes, isPart: response.isPartial) {
                    lost.insert(blob)
                    if !result.damaged.contains(entry.url) { result.damaged.append(entry.url) }
                }
            }
        }
        guard !lost.isEmpty else { return }
        try cache.responses.revise(url: entry.url, sparesPulled: false) { responses in
            responses.removeAll { !lost.isDisjoint(with: $0.blobs) }
        }
    }

    /// Compares a blob with its digest, whatever this process knows of it; a damaged one goes to quarantine.
    private func isIntact(_ blob: CacheLayout.BlobName, sizeBytes: Int64, isPart: Bool) throws -> Bool {
        cache.verified.forget(blob)
        if isPart, !blob.isCompressed {
            do throws(FileError) {
                if try cache.parts.digest(ofFirst: sizeBytes, in: blob) == blob.digest { return true }
                cache.setAside(blob, reason: "its bytes are not those of its name")
            } catch {
                if error.isOutOfFiles { throw error }
                // It counts as missing, and stops nothing else.
                cache.setAside(blob, reason: "it cannot be read: \(error)")
            }
            return false
        }
        guard case .hit(let source) = try cache.read(blob, sizeBytes: sizeBytes) else {
            cache.setAside(blob, reason: "it cannot be read, or is not as long as its entry says")
            return false
        }
        guard case .stream(let reader) = source else { return true }
        do {
            while try reader.next() != nil {}
            return true
        } catch let error as FileError where error.isOutOfFiles {
            throw error
        } catch {
            cache.setAside(blob, reason: "\(error)")
            return false
        }
    }
}
