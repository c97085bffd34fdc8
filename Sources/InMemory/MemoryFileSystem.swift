import Disk
import Dispatch
import Model
import Synchronization
import SystemPackage

/// A file system in memory: what is on it lasts as long as the value.
///
///     let disk = MemoryFileSystem()
///     let store = try QuireStore.inMemory(on: disk)       // of QuireTesting
///     let again = try QuireStore.inMemory(on: disk)       // as another process sees it
///
/// It keeps the contract of `FileSystem`, locks and changes included; a sync has nothing to do. Each store that is opened
/// on it acts as a process of its own does on a disk. Paths that a store reports lie below `root`, where no other program
/// finds anything.
public final class MemoryFileSystem: FileSystem {
    package let root: FilePath = "/in-memory"
    private let clock: any StoreClock
    private let tree: Mutex<MemoryTree>

    /// - Parameter clock: gives the times of modification.
    public init(clock: any StoreClock = SystemClock()) {
        self.clock = clock
        tree = Mutex(MemoryTree(now: clock.now.nanosecondsSinceEpoch))
    }

    /// Files that are open: none when a task is done, or it leaks.
    package var openFileCount: Int { tree.withLock { $0.openCount } }

    // MARK: - Open files

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile {
        try run("open", path) { (tree, now) throws(Errno) in try tree.open(path, mode, now: now) }
    }

    package func close(_ file: OpenFile) throws(FileError) {
        try run("close", file) { (tree, _) throws(Errno) in try tree.close(file) }
    }

    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        try run("read", file) { (tree, _) throws(Errno) in try tree.read(file, into: buffer, at: offset) }
    }

    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        try run("write", file) { (tree, now) throws(Errno) in
            try tree.write(file, bytes, at: offset, now: now)
            return bytes.count
        }
    }

    package func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError) {
        try run("resize", file) { (tree, now) throws(Errno) in try tree.resize(file, to: sizeBytes, now: now) }
    }

    package func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError) {
        try run("allocate", file) { (tree, now) throws(Errno) in
            try tree.allocate(file, sizeBytes: sizeBytes, now: now)
        }
    }

    package func sync(_ file: OpenFile) throws(FileError) {
        try run("sync", file) { (tree, _) throws(Errno) in _ = try tree.description(file) }
    }

    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        try run("look at", file) { (tree, _) throws(Errno) in tree.status(try tree.description(file).node) }
    }

    package func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool {
        var isTaken = try run("lock", file) { (tree, _) throws(Errno) in try tree.tryLock(file) }
        while wait, !isTaken {
            let waiter: DispatchSemaphore? = try run("lock", file) { (tree, _) throws(Errno) in
                try tree.tryLock(file) ? nil : tree.addWaiter()
            }
            if let waiter { waiter.wait() } else { isTaken = true }
        }
        return isTaken
    }

    // MARK: - Paths

    package func status(at path: FilePath) throws(FileError) -> FileStatus? {
        try run("look at", path) { (tree, _) throws(Errno) in try tree.status(at: path) }
    }

    package func list(_ folder: FilePath) throws(FileError) -> [FolderEntry] {
        try run("list", folder) { (tree, _) throws(Errno) in try tree.list(folder) }
    }

    package func makeFolder(_ path: FilePath) throws(FileError) {
        try run("make", path) { (tree, now) throws(Errno) in
            try tree.make(
                .init(kind: .folder, modifiedNanoseconds: now, permissions: .ownerReadWriteExecute), at: path, now: now)
            return
        }
    }

    package func removeFolder(_ path: FilePath) throws(FileError) {
        try run("remove", path) { (tree, now) throws(Errno) in try tree.removeFolder(path, now: now) }
    }

    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        try run("rename", source) { (tree, now) throws(Errno) in
            try tree.rename(source, to: target, replacing: replacing, now: now)
        }
    }

    package func remove(_ path: FilePath) throws(FileError) {
        try run("remove", path) { (tree, now) throws(Errno) in try tree.remove(path, now: now) }
    }

    package func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError) {
        try run("set the time of", path) { (tree, _) throws(Errno) in
            tree.change(try tree.existing(path)) { $0.modifiedNanoseconds = nanoseconds }
            tree.report(path)
        }
    }

    package func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError) {
        try run("set the permissions of", path) { (tree, _) throws(Errno) in
            let id = try tree.existing(path)
            if tree[id].kind == .symbolicLink { throw .notSupportedOnSocket }
            tree.change(id) { $0.permissions = permissions }
            tree.report(path)
        }
    }

    package func syncFolder(_ path: FilePath) throws(FileError) {
        try run("sync", path) { (tree, _) throws(Errno) in _ = try tree.folder(path) }
    }

    package func freeBytes() throws(FileError) -> Int64 { Self.freeBytes }

    package func volume() throws(FileError) -> Volume {
        // Not `.memory`: the program chose that the store ends with it, so there is nothing to warn of.
        Volume(typeName: "in memory", kind: .local, place: root, user: 0, freeBytes: Self.freeBytes)
    }

    package func changes(in folders: [FilePath], andBelow shelves: [FilePath]) throws(FileError) -> FolderChanges {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = tree.withLock {
            $0.watch(.init(folders: Set(folders), shelves: Set(shelves), continuation: continuation))
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.tree.withLock { $0.watchers.removeValue(forKey: number) }
        }
        return FolderChanges(stream)
    }

    // MARK: - What the contract has no call for

    package func makeSymbolicLink(_ path: FilePath, to target: String) throws(FileError) {
        let permissions: FilePermissions = [.ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute]
        try run("link", path) { (tree, now) throws(Errno) in
            try tree.make(
                .init(
                    kind: .symbolicLink, bytes: Array(target.utf8), modifiedNanoseconds: now, permissions: permissions),
                at: path, now: now)
            return
        }
    }

    package func makeHardLink(_ path: FilePath, to existing: FilePath) throws(FileError) {
        try run("link", path) { (tree, now) throws(Errno) in
            let place = try tree.resolve(path)
            guard place.node == nil, let name = place.name else { throw .fileExists }
            tree.link(try tree.existing(existing), name, in: place.folder, now: now)
            tree.report(path)
        }
    }

    /// A named pipe, for all that is neither file, folder nor link.
    package func makePipe(_ path: FilePath) throws(FileError) {
        try run("make", path) { (tree, now) throws(Errno) in
            try tree.make(
                .init(kind: .other, modifiedNanoseconds: now, permissions: .ownerReadWrite), at: path, now: now)
            return
        }
    }

    // MARK: - The call

    /// More than any store requests; the actual limit is the machine's memory.
    private static let freeBytes: Int64 = 1 << 40

    private func run<Result: Sendable>(
        _ operation: String, _ file: OpenFile, _ body: (inout MemoryTree, Int64) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        try run(operation, tree.withLock { $0.path(of: file) }, body)
    }

    private func run<Result: Sendable>(
        _ operation: String, _ path: FilePath, _ body: (inout MemoryTree, Int64) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        let now = clock.now.nanosecondsSinceEpoch
        do throws(Errno) {
            return try tree.withLock { (tree) throws(Errno) in try body(&tree, now) }
        } catch {
            throw FileError(operation, path.placed(in: root), error)
        }
    }
}
