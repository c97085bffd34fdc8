import OutboxStore
import SystemPackage

extension OutboxLayout {
    /// Whether a path of a snapshot is below the outbox.
    static func holds(_ path: String) -> Bool { path.hasPrefix(root.string + "/") }
}

/// Names of the files of a store in a snapshot, beside those that the outbox and the cache have.
enum StoreSnapshotLayout {
    static let settings: FilePath = "store.json"
    static let pageKey: FilePath = "page.key"
    static let token: FilePath = "token"
    static let marks: FilePath = "marks"
    static let people: FilePath = "people"
    /// Who uses the device now.
    static let currentPerson: FilePath = "people/current.json"
    static let quarantine: FilePath = "quarantine"
    static let log: FilePath = "log"
    /// Folders of plain files that are copied as they are.
    static let copiedFolders = [marks, people, quarantine, log]
    /// Those whose files a snapshot that continues another removes.
    static let continuedFolders = [marks, people]

    /// A file's folder and its name there; `nil` for a path that no file of these folders has.
    static func placeInFolder(_ path: String) -> (folder: FilePath, name: String)? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let name = parts.last, !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
            name.utf8.count <= 255, let folder = copiedFolders.first(where: { $0.string == parts[0] })
        else { return nil }
        return (folder, name)
    }
}
