import Disk
import SystemPackage

/// The files of a folder that a snapshot saves: those that refer to others first.
struct FolderListing {
    private let files: any FileSystem
    private let excluded: FolderSnapshot.Exclusions
    private var folders: [String] = []
    /// The files of the folder itself, sorted.
    private(set) var own: [FilePath] = []
    /// The files of its folders.
    private(set) var paths: [FilePath] = []
    /// Paths of what is no regular file, or too deep.
    private(set) var leftOut: [String] = []

    init(of files: any FileSystem, _ excluded: FolderSnapshot.Exclusions) throws {
        self.files = files
        self.excluded = excluded
        (own, folders) = try list(FilePath())
    }

    /// Lists the folders, by name after those that refer to others.
    mutating func listFolders() throws {
        let first = excluded.referring.filter(folders.contains)
        for name in first + folders.filter({ !first.contains($0) }) { try add(FilePath(name)) }
    }

    private mutating func add(_ folder: FilePath) throws {
        let (files, folders) = try list(folder)
        paths += files
        for name in folders { try add(folder.appending(name: name)) }
    }

    private mutating func list(_ folder: FilePath) throws -> (files: [FilePath], folders: [String]) {
        var (names, folders): ([String], [String]) = ([], [])
        for entry in try files.list(folder) where FolderSnapshot.Exclusions.isName(entry.name) {
            if folder.isEmpty, excluded.names.contains(entry.name) { continue }
            let path = folder.appending(name: entry.name)
            switch entry.kind {
            case .folder where excluded.path(path.string) != nil: folders.append(entry.name)
            case .regular where excluded.path(path.string) != nil: names.append(entry.name)
            default: leftOut.append("\(path): it is no regular file, or too deep in the folder")
            }
        }
        return (names.sorted().map { folder.appending(name: $0) }, folders.sorted())
    }
}
