import Disk
import Model
import SystemPackage

/// One list of a folder's files, in the order of their names' bytes.
struct FolderWalk {
    let prefix: String
    let after: ObjectName?
    let limit: Int
    /// The folder of temporary files.
    let hidden: String
    private(set) var found: [ObjectStatus] = []

    init(prefix: String, after: ObjectName?, limit: Int, hidden: String) {
        self.prefix = prefix
        self.after = after
        self.limit = limit
        self.hidden = hidden
    }

    mutating func visit(_ files: any FileSystem) throws(FileError) { try visit(files, FilePath(), "") }

    /// - Parameter name: the folder's name with its slash; empty for the root.
    private mutating func visit(_ files: any FileSystem, _ folder: FilePath, _ name: String) throws(FileError) {
        var entries: [(text: String, kind: FileKind)] = []
        do throws(FileError) {
            let listed = try files.continuing { () throws(FileError) in try files.list(folder) }
            for entry in listed where ObjectName(entry.name) != nil {
                switch entry.kind {
                // A folder's names are ordered as if its slash belonged to it: “a-b”, “a/b”, “a0”.
                case .folder: if mayHold(name + entry.name + "/") { entries.append((entry.name + "/", .folder)) }
                case .regular: if isWanted(name + entry.name) { entries.append((entry.name, .regular)) }
                default: continue
                }
            }
        } catch {
            // It was removed meanwhile.
            if error.isMissing || error.code == .notDirectory { return }
            throw error
        }
        entries.sort { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
        for entry in entries {
            if found.count == limit { return }
            if entry.kind == .folder {
                let part = String(entry.text.dropLast())
                try visit(files, folder.appending(name: part), name + entry.text)
            } else if let status = try files.status(at: folder.appending(name: entry.text)), status.kind == .regular,
                let object = ObjectName(name + entry.text)
            {
                found.append(ObjectStatus(name: object, sizeBytes: status.sizeBytes, modified: status.modified))
            }
        }
    }

    private func isWanted(_ text: String) -> Bool {
        guard let name = ObjectName(text), name.hasPrefix(prefix) else { return false }
        return after.map { $0 < name } ?? true
    }

    /// Whether a folder may have names that are wanted.
    private func mayHold(_ folder: String) -> Bool {
        guard folder != hidden + "/", folder.utf8.starts(with: prefix.utf8) || prefix.utf8.starts(with: folder.utf8)
        else { return false }
        guard let after else { return true }
        return after.hasPrefix(folder) || after.text.utf8.lexicographicallyPrecedes(folder.utf8)
    }
}
