import Disk
import FoundationEssentials
import Model
import SystemPackage

/// A folder of temporary files that goes away with its owner.
final class ScratchFolder: Sendable {
    let fileSystem: any FileSystem
    private let parent: any FileSystem
    private let name: FilePath

    /// - Parameter folder: where it is made, if not where temporary files are.
    init(in folder: FilePath? = nil) throws(FileError) {
        let temporary = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        parent = try POSIXFileSystem(root: folder ?? FilePath(temporary))
        name = FilePath("quire-host-\(TestID.random())")
        try POSIXFileSystem.makeRoot(parent.root.pushing(name))
        fileSystem = try POSIXFileSystem(root: parent.root.pushing(name))
    }

    deinit {
        do throws(FileError) {
            try Self.empty("", fileSystem)
            try parent.removeFolder(name)
        } catch {
            // Files that stay there are copies: they may be deleted.
        }
    }

    private static func empty(_ folder: FilePath, _ files: any FileSystem) throws(FileError) {
        for entry in try files.list(folder) {
            let path = folder.appending(name: entry.name)
            guard entry.kind == .folder else {
                try files.removeIfPresent(path)
                continue
            }
            try empty(path, files)
            try files.removeFolder(path)
        }
    }
}
