import Disk
import Dispatch
import SystemPackage

/// The view that one process has of a `SimulatedDisk`.
///
///     let disk = SimulatedDisk()
///     let first = disk.process()
///     let second = disk.process()     // another process: its own open files and locks, the same files
///     first.kill()                    // kill -9: locks are free, what it wrote is seen, every call of `first` throws
///
/// Names are listed in an order of no meaning. A time of modification is the clock's, which stands still.
package final class SimulatedFileSystem: FileSystem {
    package let disk: SimulatedDisk
    /// From 1 on.
    package let processNumber: Int
    package var root: FilePath { disk.root }

    init(disk: SimulatedDisk, processNumber: Int) {
        self.disk = disk
        self.processNumber = processNumber
    }

    /// kill -9: open files and locks are gone, every later call throws; written data stays, and is as durable as
    /// before.
    package func kill() { disk.state.withLock { $0.kill(processNumber) } }

    /// Neither killed nor without power.
    package var isAlive: Bool { disk.state.withLock { $0.isAlive(processNumber) } }

    /// Files that this process has open: none when a task is done, or it leaks.
    package var openFileCount: Int { disk.state.withLock { $0.openCount(of: processNumber) } }

    // MARK: - Open files

    package func open(_ path: FilePath, _ mode: OpenMode) throws(FileError) -> OpenFile {
        let kind: Operation.Kind =
            switch mode {
            case .read: .open
            case .create: .create
            case .update: .update
            }
        disk.playInterlude()
        return try run(kind.rawValue, path) { (state) throws(Errno) in
            let late = try state.begin(kind, process: self.processNumber, path)
            let file = try self.open(path, mode, in: &state)
            if let late {
                // A failed open gives no descriptor, though the file may have been made.
                try state.close(file, process: self.processNumber)
                throw late
            }
            return file
        }
    }

    private func open(_ path: FilePath, _ mode: OpenMode, in state: inout SimulationState) throws(Errno) -> OpenFile {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        let found = try state.image.resolve(path).node
        if mode == .read, found == nil { throw .noSuchFileOrDirectory }
        if mode == .create, found != nil { throw .fileExists }
        if let found {
            switch state.image[found].kind {
            case .symbolicLink: throw .tooManySymbolicLinkLevels
            case .folder where mode == .update: throw .isDirectory
            default: break
            }
        }
        if mode != .read, state.isReadOnly { throw .readOnlyFileSystem }
        if let found { return state.open(found, path, process: processNumber, isWritable: mode != .read) }
        let now = nanoseconds
        let file = Node(kind: .regular, modified: now, permissions: .ownerReadWrite)
        let id = try state.image.make(file, at: path, now: now)
        return state.open(id, path, process: processNumber, isWritable: true)
    }

    package func close(_ file: OpenFile) throws(FileError) {
        try perform(.close, file) { (state) throws(Errno) in try state.close(file, process: self.processNumber) }
    }

    package func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(FileError) -> Int {
        try perform(.read, file) { (state) throws(Errno) in
            let open = try state.description(file, process: self.processNumber)
            switch state.image[open.node].kind {
            case .regular: break
            case .folder: throw .isDirectory
            default: throw .illegalSeek
            }
            guard offset >= 0 else { throw .invalidArgument }
            let bytes = state.image[open.node].content.bytes
            let piece = bytes[min(bytes.count, Int(clamping: offset))...].prefix(buffer.count)
            buffer.copyBytes(from: piece)
            return piece.count
        }
    }

    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FileError) -> Int {
        let now = nanoseconds
        return try perform(.write, file) { (state) throws(Errno) in
            try state.write(file, bytes, at: offset, process: self.processNumber, now: now)
        }
    }

    package func resize(_ file: OpenFile, to sizeBytes: Int64) throws(FileError) {
        let now = nanoseconds
        try perform(.resize, file) { (state) throws(Errno) in
            try state.resize(file, to: sizeBytes, process: self.processNumber, now: now)
        }
    }

    package func allocate(_ file: OpenFile, sizeBytes: Int64) throws(FileError) {
        let now = nanoseconds
        try perform(.allocate, file) { (state) throws(Errno) in
            try state.allocate(file, sizeBytes: sizeBytes, process: self.processNumber, now: now)
        }
    }

    package func sync(_ file: OpenFile) throws(FileError) {
        try perform(.sync, file) { (state) throws(Errno) in
            let open = try state.description(file, process: self.processNumber)
            if !state.isIgnored(.sync) { state.image.sync(open.node) }
        }
    }

    package func status(_ file: OpenFile) throws(FileError) -> FileStatus {
        try perform(.status, file) { (state) throws(Errno) in
            let open = try state.description(file, process: self.processNumber)
            return state.image[open.node].status(owner: self.disk.owner)
        }
    }

    package func lock(_ file: OpenFile, wait: Bool) throws(FileError) -> Bool {
        let process = processNumber
        var isTaken = try perform(.lock, file) { (state) throws(Errno) in try state.tryLock(file, process: process) }
        while wait, !isTaken {
            let waiter: DispatchSemaphore? = try run("lock", file) { (state) throws(Errno) in
                try state.tryLock(file, process: process) ? nil : state.addWaiter()
            }
            if let waiter { waiter.wait() } else { isTaken = true }
        }
        return isTaken
    }

    // MARK: - Paths

    package func status(at path: FilePath) throws(FileError) -> FileStatus? {
        try perform(.status, path) { (state) throws(Errno) in
            do throws(Errno) {
                guard let id = try state.image.resolve(path, followsFolders: true).node else { return nil }
                return state.image[id].status(owner: self.disk.owner)
            } catch {
                if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
                throw error
            }
        }
    }

    package func list(_ folder: FilePath) throws(FileError) -> [FolderEntry] {
        try perform(.list, folder) { (state) throws(Errno) in
            let id = try state.image.folder(folder)
            return state.image[id].entries
                .map {
                    (order: Self.mix($0.value), entry: FolderEntry(name: $0.key.text, kind: state.image[$0.value].kind))
                }
                .sorted { ($0.order, $0.entry.name) < ($1.order, $1.entry.name) }
                .map(\.entry)
        }
    }

    package func makeFolder(_ path: FilePath) throws(FileError) {
        let now = nanoseconds
        try perform(.makeFolder, path) { (state) throws(Errno) in
            if let free = state.freeBlocks, free < 1 { throw .noSpace }
            let folder = Node(kind: .folder, modified: now, permissions: .ownerReadWriteExecute)
            _ = try state.image.make(folder, at: path, now: now)
        }
    }

    package func removeFolder(_ path: FilePath) throws(FileError) {
        let now = nanoseconds
        try perform(.removeFolder, path) { (state) throws(Errno) in try state.image.removeFolder(path, now: now) }
    }

    package func rename(_ source: FilePath, to target: FilePath, replacing: Bool) throws(FileError) {
        let now = nanoseconds
        try perform(.rename, source, target: target) { (state) throws(Errno) in
            try state.image.rename(source, to: target, replacing: replacing, now: now)
        }
    }

    package func remove(_ path: FilePath) throws(FileError) {
        let now = nanoseconds
        try perform(.remove, path) { (state) throws(Errno) in try state.image.remove(path, now: now) }
    }

    package func setModified(_ path: FilePath, nanoseconds: Int64) throws(FileError) {
        try perform(.setModified, path) { (state) throws(Errno) in
            let id = try state.image.existing(path)
            state.image.nodes[id]?.change { $0.modifiedNanoseconds = nanoseconds }
        }
    }

    package func setPermissions(_ path: FilePath, _ permissions: FilePermissions) throws(FileError) {
        try perform(.setPermissions, path) { (state) throws(Errno) in
            let id = try state.image.existing(path)
            if state.image[id].kind == .symbolicLink { throw .notSupportedOnSocket }
            state.image.nodes[id]?.change { $0.permissions = permissions }
        }
    }

    package func syncFolder(_ path: FilePath) throws(FileError) {
        try perform(.syncFolder, path) { (state) throws(Errno) in
            let id = try state.image.folder(path)
            if !state.isIgnored(.syncFolder) { state.image.syncFolder(id) }
        }
    }

    package func freeBytes() throws(FileError) -> Int64 {
        try perform(.freeBytes, FilePath()) { (state) throws(Errno) in state.freeBytes }
    }

    /// A local volume of this disk's owner; no call that is counted.
    package func volume() throws(FileError) -> Volume {
        Volume(
            typeName: "simulated", kind: .local, place: root, user: disk.owner,
            freeBytes: disk.state.withLock { $0.freeBytes })
    }

    // MARK: - The call

    private var nanoseconds: Int64 { disk.clock.now.nanosecondsSinceEpoch }

    /// An arbitrary order, the same in each run, whatever the names.
    private static func mix(_ node: DiskImage.NodeID) -> UInt64 {
        var generator = SeededGenerator(seed: UInt64(node))
        return generator.next()
    }

    private func perform<Result: Sendable>(
        _ kind: Operation.Kind, _ path: FilePath, target: FilePath? = nil,
        _ body: (inout SimulationState) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        disk.playInterlude()
        return try run(kind.rawValue, path) { (state) throws(Errno) in
            let late = try state.begin(kind, process: self.processNumber, path, target: target)
            let result = try body(&state)
            if let late { throw late }
            return result
        }
    }

    private func perform<Result: Sendable>(
        _ kind: Operation.Kind, _ file: OpenFile, _ body: (inout SimulationState) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        disk.playInterlude()
        return try run(kind.rawValue, file) { (state) throws(Errno) in
            let late = try state.begin(kind, process: self.processNumber, state.path(of: file), file: file)
            let result = try body(&state)
            if let late { throw late }
            return result
        }
    }

    private func run<Result: Sendable>(
        _ operation: String, _ file: OpenFile, _ body: (inout SimulationState) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        try run(operation, disk.state.withLock { $0.path(of: file) }, body)
    }

    private func run<Result: Sendable>(
        _ operation: String, _ path: FilePath, _ body: (inout SimulationState) throws(Errno) -> Result
    ) throws(FileError) -> Result {
        do throws(Errno) {
            return try disk.state.withLock { (state) throws(Errno) in try body(&state) }
        } catch {
            throw FileError(operation, path.placed(in: root), error)
        }
    }
}
