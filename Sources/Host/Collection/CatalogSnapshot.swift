import Model

/// The whole collection of questionnaires at one moment.
package struct CatalogSnapshot: Sendable {
    /// The result of reading one file of the folder.
    enum FileRecord: Sendable {
        case questionnaire(CatalogEntry)
        /// It cannot be used, and why; with the last version that could.
        case broken(FileStamp?, reason: String, formerVersion: FormerVersion?)
    }

    /// The version of an unusable file that stays published.
    struct FormerVersion: Sendable {
        var entry: CatalogEntry
        var publishedAt: Timestamp
    }

    /// Two looks that found the same have the same snapshot, and so the same identity.
    final class Identity: Equatable, Sendable {
        static func == (left: Identity, right: Identity) -> Bool { left === right }
    }

    let identity = Identity()
    /// By file name.
    let files: [String: FileRecord]
    /// Sorted by the bytes of the id; of two files with one id the first by file name is here.
    package let entries: [CatalogEntry]
    /// Names of the files whose id another file has, with the name of that file.
    let shadowed: [String: String]
    /// The faults in the folder's files, by file name.
    package let faults: [CatalogFault]
    /// Changes whenever anything that is published does.
    package let digest: Digest
    let folderModified: Timestamp
    /// When the folder or a file in it was last changed.
    package let modified: Timestamp
    // By bytes: to String é composed and é decomposed are one, and here they are two ids.
    private let places: [[UInt8]: Int]
    /// By the ids that devices gave them.
    private let localPlaces: [String: Int]
    private let mediaTypes: [MediaPath: (path: MediaPath, type: String?)]

    static let empty = CatalogSnapshot(files: [:], folderModified: .epoch)

    init(files: [String: FileRecord], folderModified: Timestamp) {
        self.files = files
        self.folderModified = folderModified
        var owners: [[UInt8]: String] = [:]
        var shadowed: [String: String] = [:]
        var found: [(key: [UInt8], entry: CatalogEntry)] = []
        var modified = folderModified
        let sorted = files.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        func publish(_ entry: CatalogEntry) -> Bool {
            let key = Array(entry.id.utf8)
            guard owners[key] == nil else { return false }
            owners[key] = entry.fileName
            found.append((key, entry))
            modified = max(modified, entry.modified)
            return true
        }
        var faults: [CatalogFault] = []
        for case (let name, .questionnaire(let entry)) in sorted where !publish(entry) {
            let owner = owners[Array(entry.id.utf8)] ?? ""
            shadowed[name] = owner
            faults.append(
                CatalogFault(fileName: name, reason: "its id is taken", consequence: .shadowed(by: owner)))
        }
        // A file that is right counts before one that was.
        for case (let name, .broken(_, let reason, let former)) in sorted {
            var fault = CatalogFault(fileName: name, reason: reason, consequence: .leftOut)
            if let former, publish(former.entry) {
                fault.consequence = .formerVersion(id: former.entry.id, publishedAt: former.publishedAt)
            }
            faults.append(fault)
        }
        self.faults = faults.sorted { $0.fileName.utf8.lexicographicallyPrecedes($1.fileName.utf8) }
        found.sort { $0.key.lexicographicallyPrecedes($1.key) }
        entries = found.map(\.entry)
        places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1.key, $0) })
        localPlaces = Dictionary(
            entries.enumerated().compactMap { index, entry in entry.localId.map { ($0, index) } },
            uniquingKeysWith: { first, _ in first })
        self.shadowed = shadowed
        self.modified = modified
        digest = Digest(sha256Of: found.flatMap { $0.key + [0] + $0.entry.digest.bytes })
        mediaTypes = CatalogSnapshot.collectMedia(entries)
    }

    /// The questionnaire with this very id.
    package func entry(id: String) -> CatalogEntry? { places[Array(id.utf8)].map { entries[$0] } }

    /// The questionnaire that a device made under this id.
    func entry(localId: String) -> CatalogEntry? { localPlaces[localId].map { entries[$0] } }

    /// A media file that some questionnaire names: its path as written there, and the type stated for it.
    func media(_ path: MediaPath) -> (path: MediaPath, type: String?)? { mediaTypes[path] }

    /// All media files that questionnaires name, each once, in their order.
    var mediaPaths: [MediaPath] {
        var seen: Set<MediaPath> = []
        return entries.flatMap(\.media).filter { seen.insert($0).inserted }
    }

    /// At most `limit` entries whose ids come after `id`, and whether more follow.
    func page(after id: String?, limit: Int) -> (entries: ArraySlice<CatalogEntry>, hasMore: Bool) {
        let start = id.map(firstPlace(after:)) ?? 0
        let end = min(start + limit, entries.count)
        return (entries[start..<end], end < entries.count)
    }

    private func firstPlace(after id: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if id.utf8.lexicographicallyPrecedes(entries[middle].id.utf8) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func collectMedia(_ entries: [CatalogEntry]) -> [MediaPath: (path: MediaPath, type: String?)] {
        var media: [MediaPath: (path: MediaPath, type: String?)] = [:]
        for entry in entries {
            for path in entry.media where media[path]?.type == nil { media[path] = (path, entry.mediaTypes[path]) }
        }
        return media
    }
}
