import Disk
import HTTPCaching
import Model
import SystemPackage

/// Checking what is on disk, and settling what is not as it should be.
extension Cache {
    /// What a full check of the cache found.
    public struct Verification: Sendable, Codable, Equatable {
        public var checked = 0
        /// URLs whose content was changed by hand and is now adopted.
        public var edited: [String] = []
        /// URLs whose content was damaged; it is in quarantine and is fetched again at the next chance.
        public var damaged: [String] = []
        /// URLs whose content is not there.
        public var missing: [String] = []
        /// Files that do not belong into the cache.
        public var strangers: [String] = []
        public init() {}

        public var isClean: Bool { edited.isEmpty && damaged.isEmpty && missing.isEmpty && strangers.isEmpty }
    }

    /// Reads every entry and every blob.
    public func verify() throws -> Verification {
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
            let lookup = try entry(at: path)
            guard let entry = lookup.value else {
                if try fileSystem.status(at: path) == nil { result.damaged.append(path.string) }
                continue
            }
            guard CacheLayout.entryName(url: entry.url) == item.name else {
                result.strangers.append(path.string)
                continue
            }
            result.checked += 1
            let isThere = try fileSystem.status(at: entry.blob.path) != nil
            switch try content(of: entry) {
            case .hit(let found):
                if found.entry.digest != entry.digest { result.edited.append(entry.url) }
            case .miss:
                if isThere { result.damaged.append(entry.url) } else { result.missing.append(entry.url) }
            }
        }
        for shard in try fileSystem.list(CacheLayout.blobs) {
            let folder = CacheLayout.blobs.appending(shard.name)
            guard shard.kind == .folder, CacheLayout.isShardName(shard.name) else {
                result.strangers.append(folder.string)
                continue
            }
            for file in try fileSystem.list(folder) {
                let name = CacheLayout.BlobName(fileName: file.name)
                if file.kind != .regular || name?.digest.hex.hasPrefix(shard.name) != true {
                    result.strangers.append(folder.appending(file.name).string)
                }
            }
        }
        return result
    }

    /// A blob that is not what its name says: a valid document is somebody's edit and is adopted, anything else goes
    /// to quarantine.
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
