import Disk
import SystemPackage

/// Direct access for tests, past every process: not counted, not logged, without planned faults, durable at once.
extension SimulatedDisk {
    /// Puts a file there, as another program would have long ago; the folders above are made.
    ///
    /// - Parameter modifiedNanoseconds: the clock's time when `nil`.
    package func put(_ path: FilePath, _ bytes: [UInt8], modifiedNanoseconds: Int64? = nil) throws(Errno) {
        let time = modifiedNanoseconds ?? now
        try place(path, Node(kind: .regular, modified: time, permissions: .ownerReadWrite, bytes: bytes))
    }

    package func put(_ path: FilePath, _ text: String) throws(Errno) { try put(path, Array(text.utf8)) }

    package func makeFolders(_ path: FilePath) throws(Errno) {
        try edit { (image, now) throws(Errno) in _ = try image.folders(path, now: now) }
    }

    package func makeSymbolicLink(_ path: FilePath, to target: String) throws(Errno) {
        let permissions: FilePermissions = [.ownerReadWriteExecute, .groupReadWriteExecute, .otherReadWriteExecute]
        let link = Node(kind: .symbolicLink, modified: now, permissions: permissions, bytes: Array(target.utf8))
        try place(path, link)
    }

    /// A named pipe, for all that is neither file, folder nor link.
    package func makePipe(_ path: FilePath) throws(Errno) {
        try place(path, Node(kind: .other, modified: now, permissions: .ownerReadWrite))
    }

    /// A second name of a file.
    package func makeHardLink(_ path: FilePath, to existing: FilePath) throws(Errno) {
        try edit { (image, now) throws(Errno) in
            let id = try image.existing(existing)
            _ = try image.folders(path.folder, now: now)
            try image.put(id, at: path, now: now)
        }
    }

    /// Changes a file's bytes in their place, as a failing disk or an editor would; its time stays.
    package func damage(_ path: FilePath, _ body: (inout [UInt8]) -> Void) throws(Errno) {
        try edit { (image, _) throws(Errno) in
            let id = try image.existing(path)
            image.nodes[id]?.change { body(&$0.bytes) }
            image.nodes[id]?.fillBlocks()
            image.nodes[id]?.durable = nil
        }
    }

    /// Removes a file.
    package func remove(_ path: FilePath) throws(Errno) {
        try edit { (image, now) throws(Errno) in
            let slot = try image.resolve(path).slot
            try image.remove(path, now: now)
            if let slot { image.makeDurable([slot]) }
        }
    }

    /// The bytes of a file as programs see them; `nil` when there is none.
    package func contents(_ path: FilePath) -> [UInt8]? {
        state.withLock { state in
            guard let id = try? state.image.existing(path), state.image[id].kind == .regular else { return nil }
            return state.image[id].content.bytes
        }
    }

    /// All that programs see, sorted by path: to compare two disks, or to print one.
    package func dump() -> [FileDump] { state.withLock { $0.image.dump } }

    /// The space of these folders, as `du` counts it.
    package func chargedBytes(_ folders: [FilePath]) -> Int64 {
        state.withLock { state in
            folders.reduce(0) { total, folder in
                total + ((try? state.image.existing(folder)).map { state.image.chargedBytes($0) } ?? 0)
            }
        }
    }

    /// The paths of all that is not a folder, sorted.
    package var filePaths: [String] { dump().filter { $0.kind != .folder }.map(\.path) }

    private var now: Int64 { clock.now.nanosecondsSinceEpoch }

    private func place(_ path: FilePath, _ node: Node) throws(Errno) {
        try edit { (image, now) throws(Errno) in
            var node = node
            node.fillBlocks()
            _ = try image.folders(path.folder, now: now)
            try image.put(image.add(node), at: path, now: now)
        }
    }

    private func edit(_ body: (inout DiskImage, Int64) throws(Errno) -> Void) throws(Errno) {
        let now = now
        try state.withLock { (state) throws(Errno) in try body(&state.image, now) }
    }
}

/// One file, folder or link of a dump.
package struct FileDump: Hashable, Sendable, CustomStringConvertible {
    package let path: String
    package let kind: FileKind
    /// For a link, its target.
    package let bytes: [UInt8]
    package let modifiedNanoseconds: Int64
    package let permissions: FilePermissions

    package var description: String { kind == .folder ? path + "/" : "\(path) (\(kind), \(bytes.count) bytes)" }
}

extension DiskImage {
    fileprivate func chargedBytes(_ id: NodeID) -> Int64 {
        let node = self[id]
        return node.entries.values.reduce(max(node.allocatedBytes, Int64(node.content.bytes.count))) {
            $0 + chargedBytes($1)
        }
    }

    var dump: [FileDump] {
        var result: [FileDump] = []
        var pending: [(path: String, id: NodeID)] = [("", DiskImage.rootID)]
        while let (path, id) = pending.popLast() {
            for (name, id) in self[id].entries {
                let node = self[id]
                let full = path.isEmpty ? name.text : path + "/" + name.text
                result.append(
                    FileDump(
                        path: full, kind: node.kind, bytes: node.content.bytes,
                        modifiedNanoseconds: node.kind == .folder ? 0 : node.content.modifiedNanoseconds,
                        permissions: node.content.permissions))
                if node.kind == .folder { pending.append((full, id)) }
            }
        }
        return result.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Makes the folders of a path that are missing, durably.
    fileprivate mutating func folders(_ path: FilePath, now: Int64) throws(Errno) -> NodeID {
        var current = FilePath()
        for component in path.components {
            current.append(component)
            let place = try resolve(current)
            if let id = place.node {
                guard self[id].kind == .folder else { throw .notDirectory }
            } else {
                _ = try make(
                    Node(kind: .folder, modified: now, permissions: .ownerReadWriteExecute), at: current, now: now)
            }
            if let slot = place.slot { makeDurable([slot]) }
        }
        return try folder(path)
    }

    /// Gives a file a name, in the place of another, durably.
    fileprivate mutating func put(_ id: NodeID, at path: FilePath, now: Int64) throws(Errno) {
        guard let slot = try resolve(path).slot else { throw .fileExists }
        set(slot, to: id, change: beginChange(), now: now)
        makeDurable([slot])
    }
}

extension Node {
    fileprivate mutating func fillBlocks() {
        blocks = content.bytes.isEmpty ? [] : Set(Self.blocks(0..<content.bytes.count))
    }
}
