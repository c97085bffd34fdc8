import Disk
import Model
import SystemPackage

/// The files of a host in its data folder, as hosts have always had them.
package struct HostFolder: HostFiles {
    private let fileSystem: any FileSystem

    /// - Parameter fileSystem: rooted in the data folder.
    package init(_ fileSystem: any FileSystem) { self.fileSystem = fileSystem }

    package func place(of path: FilePath) -> FilePath { fileSystem.root.pushing(path) }

    package var isShared: Bool { false }

    package func bytes(ofEach paths: [FilePath], maximumBytes: Int64) throws(FileError) -> [[UInt8]?] {
        var found: [[UInt8]?] = []
        for path in paths { found.append(try bytes(of: path, maximumBytes: maximumBytes)) }
        return found
    }

    package func bytes(of path: FilePath, maximumBytes: Int64) throws(FileError) -> [UInt8]? {
        try fileSystem.readFileIfPresent(path, maximumBytes: maximumBytes)?.bytes
    }

    package func names(in folder: FilePath) throws(FileError) -> [String] {
        do throws(FileError) {
            return try fileSystem.list(folder).filter { $0.kind == .regular }.map(\.name)
        } catch {
            if error.isMissing { return [] }
            throw error
        }
    }

    package func putIfAbsent(_ bytes: [UInt8], as path: FilePath) throws(FileError) -> Bool {
        try makeFolders(of: path)
        if try fileSystem.status(at: path) == nil,
            try fileSystem.writeDurablyIfAbsent(bytes, to: path, temporaryFolder: HostLayout.temporary)
        {
            return true
        }
        // Its writer may have been killed before its name was durable.
        try fileSystem.makeDurable(folder: path.folder)
        return false
    }

    package func remove(_ path: FilePath) throws(FileError) {
        let folder = path.folder
        guard try fileSystem.status(at: folder) != nil else { return }
        try fileSystem.removeIfPresent(path)
        try fileSystem.makeDurable(folder: folder)
    }

    package func stamp(of folder: FilePath) throws(FileError) -> FileStamp? {
        try fileSystem.continuing { () throws(FileError) in try fileSystem.status(at: folder) }.map { FileStamp($0) }
    }

    package func current(_ path: FilePath, maximumBytes: Int64) throws(FileError) -> FileVersion? {
        try bytes(of: path, maximumBytes: maximumBytes).map { FileVersion(bytes: $0, number: 1) }
    }

    package func confirm(_ path: FilePath) throws(FileError) {
        try fileSystem.makeDurable(folder: path.folder)
    }

    package func replace(_ path: FilePath, _ bytes: [UInt8], former: FileVersion?) throws(FileError) -> Bool {
        guard former != nil else { return try putIfAbsent(bytes, as: path) }
        try makeFolders(of: path)
        try fileSystem.writeDurably(bytes, to: path, temporaryFolder: HostLayout.temporary)
        return true
    }

    package func locked<Result>(_ lock: FilePath, _ body: () throws -> Result) throws -> Result {
        let lock = try LockFile.acquire(lock, in: fileSystem, wait: true)
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    private func makeFolders(of path: FilePath) throws(FileError) {
        var folder = FilePath()
        for component in path.folder.components {
            folder.append(component)
            try fileSystem.makeDurableFolder(folder)
        }
        try fileSystem.makeFolderIfMissing(HostLayout.temporary)
    }
}
