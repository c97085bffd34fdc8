import Model
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
    /// The questionnaires that are being written: a folder for each.
    static let authorDrafts: FilePath = "writing"
    /// Folders of plain files that are copied as they are.
    static let copiedFolders = [marks, people, quarantine, log]
    /// Those whose files a snapshot that continues another removes.
    private static let continuedFolders = [marks, people]

    static func isContinued(_ folder: FilePath) -> Bool {
        continuedFolders.contains(folder) || folder.isWithin(authorDrafts)
    }

    /// A file's folder and its name there; `nil` for a path that no file of these folders has.
    static func placeInFolder(_ path: String) -> (folder: FilePath, name: String)? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard 2...4 ~= parts.count, let name = parts.last, !name.isEmpty, !name.hasPrefix("."), !name.utf8.contains(0),
            name.utf8.count <= 255
        else { return nil }
        if parts.count > 2 {
            guard parts[0] == authorDrafts.string, let draft = TestID(parts[1]), draft.description == parts[1] else {
                return nil
            }
            let folder = authorDrafts.appending(name: parts[1])
            if parts.count == 3 { return (folder, name) }
            // Pictures and sounds of a draft.
            guard parts[2] == ContentPath.folder, ContentPath(parts[2] + "/" + name) != nil else { return nil }
            return (folder.appending(name: parts[2]), name)
        }
        return copiedFolders.first { $0.string == parts[0] }.map { ($0, name) }
    }
}
