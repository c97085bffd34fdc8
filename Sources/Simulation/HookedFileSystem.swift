import Disk
import SystemPackage

/// A file system that does something before each call, and something else in the place of the sync of a folder.
package struct HookedFileSystem: FileSystem {
    private let base: any FileSystem
    private let beforeEach: @Sendable () -> Void
    private let onRename: @Sendable (FilePath, FilePath) -> Void
    private let onOpen: @Sendable (FilePath) -> Errno?
    private let onRemove: @Sendable (FilePath) -> Errno?
    private let onSetModified: @Sendable (FilePath) -> Void
    private let onSyncFolder: (@Sendable (any FileSystem, FilePath) throws -> Void)?
    /// Gives every lock to everybody, as some network file systems do.
    private let givesEveryLock: Bool
    private let onVolume: (@Sendable (Volume) -> Volume)?

    /// - Parameters:
    ///   - onRename: called before each rename.
    ///   - onOpen: says why a file cannot be opened; `nil` for one that can.
    ///   - onRemove: says why a file cannot be removed; `nil` for one that can.
    ///   - onSetModified: called before a file's time is set.
    package init(
        _ base: any FileSystem, onRename: @escaping @Sendable (FilePath, FilePath) -> Void = { _, _ in },
        onOpen: @escaping @Sendable (FilePath) -> Errno? = { _ in nil },
        onRemove: @escaping @Sendable (FilePath) -> Errno? = { _ in nil },
        onSetModified: @escaping @Sendable (FilePath) -> Void = { _ in },
        onSyncFolder: (@Sendable (any FileSystem, FilePath) throws -> Void)? = nil,
        givesEveryLock: Bool = false, onVolume: (@Sendable (Volume) -> Volume)? = nil,
        beforeEach: @escaping @Sendable () -> Void = {}
    ) {
        self.base = base
        self.onRename = onRename
        self.onOpen = onOpen
        self.onRemove = onRemove
        self.onSetModified = onSetModified
        self.givesEveryLock = givesEveryLock
        self.onVolume = onVolume
        self.onSyncFolder = onSyncFolder
        self.beforeEach = beforeEach
    }

    package var root: FilePath { base.root }

    private func taking<Result>(_ call: () throws(FileError) -> Result) throws(FileError) -> Result {
        beforeEach()
        return try call()
    }

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile {
        if let code = onOpen(path) { throw FileError("open", path.placed(in: root), code) }
        return try taking { () throws(FileError) in try base.open(path, mode) }
    }
    package func close(_ file: OpenFile) throws(FileError) {
        try taking { () throws(FileError) in try base.close(file) }
    }
    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        try taking { () throws(FileError) in try base.read(file, into: buffer, at: offset) }
    }
    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try taking { () throws(FileError) in try base.write(file, bytes, at: offset) }
    }
    package func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError) {
        try taking { () throws(FileError) in try base.resize(file, to: sizeBytes) }
    }
    package func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError) {
        try taking { () throws(FileError) in try base.allocate(file, sizeBytes: sizeBytes) }
    }
    package func sync(_ file: OpenFile) throws(FileError) { try taking { () throws(FileError) in try base.sync(file) } }
    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        try taking { () throws(FileError) in try base.status(file) }
    }
    package func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool {
        if givesEveryLock { return true }
        while true {
            if try taking({ () throws(FileError) in try base.lock(file, wait: false) }) { return true }
            if !wait { return false }
        }
    }
    package func status(at path: FilePath) throws(FileError) -> FileStatus? {
        try taking { () throws(FileError) in try base.status(at: path) }
    }
    package func list(_ folder: FilePath) throws(FileError) -> [FolderEntry] {
        try taking { () throws(FileError) in try base.list(folder) }
    }
    package func makeFolder(_ path: FilePath) throws(FileError) {
        try taking { () throws(FileError) in try base.makeFolder(path) }
    }
    package func removeFolder(_ path: FilePath) throws(FileError) {
        try taking { () throws(FileError) in try base.removeFolder(path) }
    }
    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        onRename(source, target)
        try taking { () throws(FileError) in try base.rename(source, to: target, replacing: replacing) }
    }
    package func remove(_ path: FilePath) throws(FileError) {
        if let code = onRemove(path) { throw FileError("remove", path.placed(in: root), code) }
        try taking { () throws(FileError) in try base.remove(path) }
    }
    package func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError) {
        onSetModified(path)
        try taking { () throws(FileError) in try base.setModified(path, nanoseconds: nanoseconds) }
    }
    package func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError) {
        try taking { () throws(FileError) in try base.setPermissions(path, permissions) }
    }
    package func syncFolder(_ path: FilePath) throws(FileError) {
        beforeEach()
        guard let onSyncFolder else { return try base.syncFolder(path) }
        do {
            try onSyncFolder(base, path)
        } catch {
            throw error as? FileError ?? FileError("sync", path, .ioError)
        }
    }
    package func freeBytes() throws(FileError) -> Int64 { try taking { () throws(FileError) in try base.freeBytes() } }
    package func volume() throws(FileError) -> Volume {
        let volume = try base.volume()
        return onVolume?(volume) ?? volume
    }
    package func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges {
        try base.changes(in: folders, andBelow: shelves)
    }
    package func nameChanges(in folders: [FilePath]) throws(FileError) -> NameChanges {
        try base.nameChanges(in: folders)
    }
}
