import Disk
import Dispatch
import SystemPackage

/// Files and folders in memory, with those who have them open: the value behind a `MemoryFileSystem`.
struct MemoryTree: Sendable {
    typealias NodeID = UInt64

    struct Node: Sendable {
        var kind: FileKind
        /// A file's bytes; a symbolic link's target.
        var bytes: [UInt8] = []
        /// The entries of a folder.
        var entries: [FileName: NodeID] = [:]
        /// The folder that a folder is in.
        var parent: NodeID?
        var modifiedNanoseconds: Int64
        var permissions: FilePermissions
        /// Written or reserved, in complete blocks.
        var allocatedBytes: Int64 = 0
        var links = 0
        var openCount = 0
    }

    /// The bytes of a name: two spellings of one letter are two names.
    struct FileName: Hashable, Sendable {
        let bytes: [UInt8]

        init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    struct Description: Sendable {
        var node: NodeID
        var path: FilePath
        var isWritable: Bool
    }

    /// A subscription to changes.
    struct Watcher: Sendable {
        var folders: Set<FilePath>
        var shelves: Set<FilePath>
        var continuation: AsyncStream<Void>.Continuation

        func concerns(_ path: FilePath) -> Bool {
            let folder = path.folder
            return folders.contains(folder) || shelves.contains(folder)
                || shelves.contains(folder.folder)
                || folders.union(shelves).contains { $0.isWithin(path) }
        }
    }

    static let rootID: NodeID = 2
    static let blockBytes: Int64 = 4096
    /// Bytes in memory have a bound of their own.
    static let maximumFileBytes: Int64 = 1 << 32

    private var nodes: [NodeID: Node]
    private var nextID = MemoryTree.rootID + 1
    private var descriptions: [Int32: Description] = [:]
    private var unusedDescriptors: [Int32] = []
    private var lockHolders: [NodeID: Int32] = [:]
    private var waiters: [DispatchSemaphore] = []
    var watchers: [Int: Watcher] = [:]
    private var watcherCount = 0

    init(now: Int64) {
        nodes = [
            Self.rootID: Node(
                kind: .folder, modifiedNanoseconds: now, permissions: .ownerReadWriteExecute, links: 1)
        ]
    }

    subscript(_ id: NodeID) -> Node {
        // Proof of the default: ids come from entries and open files, whose nodes are kept.
        nodes[id] ?? Node(kind: .other, modifiedNanoseconds: 0, permissions: [])
    }

    mutating func change(_ id: NodeID, _ body: (inout Node) -> Void) {
        guard var node = nodes.removeValue(forKey: id) else { return }
        body(&node)
        nodes[id] = node
    }

    func status(_ id: NodeID) -> FileStatus {
        let node = self[id]
        let isFolder = node.kind == .folder
        return FileStatus(
            kind: node.kind, sizeBytes: isFolder ? Self.blockBytes : Int64(node.bytes.count),
            allocatedBytes: isFolder ? Self.blockBytes : node.allocatedBytes,
            modifiedNanoseconds: node.modifiedNanoseconds, inode: id, links: UInt64(isFolder ? 2 : node.links),
            permissions: node.permissions)
    }

    // MARK: - Names

    /// Puts something under a free name in a folder.
    mutating func add(_ node: Node, _ name: FileName, in folder: NodeID, now: Int64) -> NodeID {
        let id = nextID
        nextID += 1
        nodes[id] = node
        link(id, name, in: folder, now: now)
        return id
    }

    mutating func link(_ id: NodeID, _ name: FileName, in folder: NodeID, now: Int64) {
        nodes[folder]?.entries[name] = id
        nodes[folder]?.modifiedNanoseconds = now
        nodes[id]?.links += 1
        if self[id].kind == .folder { nodes[id]?.parent = folder }
    }

    mutating func unlink(_ name: FileName, in folder: NodeID, now: Int64) {
        guard let id = nodes[folder]?.entries.removeValue(forKey: name) else { return }
        nodes[folder]?.modifiedNanoseconds = now
        nodes[id]?.links -= 1
        forgetIfUnused(id)
    }

    private mutating func forgetIfUnused(_ id: NodeID) {
        if self[id].links == 0, self[id].openCount == 0 { nodes[id] = nil }
    }

    // MARK: - Open files

    var openCount: Int { descriptions.count }

    func path(of file: OpenFile) -> FilePath { descriptions[file.descriptor]?.path ?? FilePath() }

    mutating func open(_ id: NodeID, _ path: FilePath, isWritable: Bool) -> OpenFile {
        let descriptor = unusedDescriptors.popLast() ?? Int32(descriptions.count) + 3
        nodes[id]?.openCount += 1
        descriptions[descriptor] = Description(node: id, path: path, isWritable: isWritable)
        return OpenFile(descriptor: descriptor)
    }

    mutating func close(_ file: OpenFile) throws(Errno) {
        let open = try description(file)
        descriptions[file.descriptor] = nil
        unusedDescriptors.append(file.descriptor)
        if lockHolders[open.node] == file.descriptor { lockHolders[open.node] = nil }
        nodes[open.node]?.openCount -= 1
        forgetIfUnused(open.node)
        for waiter in waiters { waiter.signal() }
        waiters = []
    }

    func description(_ file: OpenFile) throws(Errno) -> Description {
        guard let open = descriptions[file.descriptor] else { throw .badFileDescriptor }
        return open
    }

    /// Takes the lock of the file's inode for this open file, unless another open file holds it.
    mutating func tryLock(_ file: OpenFile) throws(Errno) -> Bool {
        let node = try description(file).node
        if let holder = lockHolders[node], holder != file.descriptor { return false }
        lockHolders[node] = file.descriptor
        return true
    }

    /// Is signalled when a file is closed, so that a lock may be free.
    mutating func addWaiter() -> DispatchSemaphore {
        let waiter = DispatchSemaphore(value: 0)
        waiters.append(waiter)
        return waiter
    }

    // MARK: - Bytes

    func read(
        _ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int {
        let open = try description(file)
        switch self[open.node].kind {
        case .regular: break
        case .folder: throw .isDirectory
        default: throw .illegalSeek
        }
        guard offset >= 0 else { throw .invalidArgument }
        let bytes = self[open.node].bytes
        let piece = bytes[min(bytes.count, Int(clamping: offset))...].prefix(buffer.count)
        buffer.copyBytes(from: piece)
        return piece.count
    }

    mutating func write(
        _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int64, now: Int64
    ) throws(Errno) {
        let open = try writable(file, offset, bytes.count)
        if bytes.isEmpty { return }
        let start = Int(offset)
        let end = start + bytes.count
        if end > self[open.node].bytes.count { resize(open.node, to: end) }
        nodes[open.node]?.bytes.withUnsafeMutableBytes { buffer in
            UnsafeMutableRawBufferPointer(rebasing: buffer[start..<end]).copyMemory(from: bytes)
        }
        reserve(open.node, Int64(end))
        noteWritten(open, now)
    }

    mutating func resize(_ file: OpenFile, to sizeBytes: Int64, now: Int64) throws(Errno) {
        let open = try writable(file, sizeBytes, 0)
        resize(open.node, to: Int(sizeBytes))
        change(open.node) { $0.allocatedBytes = min($0.allocatedBytes, Self.inBlocks(sizeBytes)) }
        noteWritten(open, now)
    }

    mutating func allocate(_ file: OpenFile, sizeBytes: Int64, now: Int64) throws(Errno) {
        guard sizeBytes > 0 else { throw .invalidArgument }
        let open = try writable(file, sizeBytes, 0)
        if Int(sizeBytes) > self[open.node].bytes.count { resize(open.node, to: Int(sizeBytes)) }
        reserve(open.node, sizeBytes)
        noteWritten(open, now)
    }

    private func writable(_ file: OpenFile, _ offset: Int64, _ count: Int) throws(Errno) -> Description {
        let open = try description(file)
        guard open.isWritable else { throw .badFileDescriptor }
        guard self[open.node].kind == .regular else { throw .illegalSeek }
        guard offset >= 0 else { throw .invalidArgument }
        guard offset <= Self.maximumFileBytes - Int64(count) else { throw .fileTooLarge }
        return open
    }

    private mutating func resize(_ id: NodeID, to size: Int) {
        let excess = self[id].bytes.count - size
        if excess > 0 {
            nodes[id]?.bytes.removeLast(excess)
        } else {
            nodes[id]?.bytes.append(contentsOf: repeatElement(0, count: -excess))
        }
    }

    private mutating func reserve(_ id: NodeID, _ bytes: Int64) {
        change(id) { $0.allocatedBytes = max($0.allocatedBytes, Self.inBlocks(bytes)) }
    }

    private mutating func noteWritten(_ open: Description, _ now: Int64) {
        nodes[open.node]?.modifiedNanoseconds = now
        report(open.path)
    }

    private static func inBlocks(_ bytes: Int64) -> Int64 { (bytes + blockBytes - 1) / blockBytes * blockBytes }

    // MARK: - Changes

    mutating func watch(_ watcher: Watcher) -> Int {
        watcherCount += 1
        watchers[watcherCount] = watcher
        return watcherCount
    }

    /// Wakes those who watch the folder that this path is in.
    func report(_ path: FilePath) {
        for watcher in watchers.values where watcher.concerns(path) { watcher.continuation.yield() }
    }
}
