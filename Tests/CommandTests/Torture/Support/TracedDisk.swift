import Foundation

/// The model of a disk under a traced program: what is in the files now, what is durable, and what may come out of a
/// power cut in between. Bytes are durable after fsync of their file, names after fsync of their folder. Of the changes
/// of a folder that was not synced any subset may survive; a rename whose two folders were both not synced since does
/// whole or not at all.
final class TracedDisk {
    final class Node {
        let isFolder: Bool
        var bytes: [UInt8] = []
        /// `nil` where nothing was ever synced.
        var durableBytes: [UInt8]?
        var entries: [String: Node] = [:]
        var durableEntries: [String: Node] = [:]

        init(isFolder: Bool) { self.isFolder = isFolder }

        var isDirty: Bool { !isFolder && durableBytes != bytes }
    }

    /// A name that came or went and is not durable yet.
    struct Change {
        var folder: Node
        var name: String
        /// `nil` where the name went.
        var node: Node?
        /// The two halves of a rename have the same.
        var unit: Int
    }

    let root: String
    let top = Node(isFolder: true)
    private(set) var changes: [Change] = []
    private var units = 0

    /// - Parameter root: everything below it is durable as it lies there.
    init(root: String) throws {
        self.root = root
        for path in Files.tree(root).dropFirst() {
            let isFolder = try Files.status(path).st_mode & S_IFMT == S_IFDIR
            let node = Node(isFolder: isFolder)
            if !isFolder {
                node.bytes = [UInt8](try Files.read(path))
                node.durableBytes = node.bytes
            }
            guard let (folder, name) = place(path) else { continue }
            folder.entries[name] = node
            folder.durableEntries[name] = node
        }
    }

    /// The folder and the name of a path below the root.
    private func place(_ path: String) -> (folder: Node, name: String)? {
        guard path.hasPrefix(root + "/") else { return nil }
        var parts = path.dropFirst(root.count + 1).split(separator: "/").map(String.init)
        guard let name = parts.popLast() else { return nil }
        var folder = top
        for part in parts {
            guard let next = folder.entries[part], next.isFolder else { return nil }
            folder = next
        }
        return (folder, name)
    }

    private func node(_ path: String) -> Node? {
        if path == root { return top }
        return place(path).flatMap { $0.folder.entries[$0.name] }
    }

    func bytes(_ path: String) -> [UInt8]? { node(path).flatMap { $0.isFolder ? nil : $0.bytes } }

    // MARK: Replaying

    /// - Returns: whether the call changed what a power cut may leave.
    func apply(_ call: SystemCall) -> Bool {
        guard call.result >= 0 else { return false }
        switch call.name {
        case "openat":
            guard call.arguments.count >= 3,
                call.arguments[2].contains("O_CREAT") || call.arguments[2].contains("O_TRUNC")
            else { return false }
            let path = call.path(0, 1)
            if let file = node(path) {
                if call.arguments[2].contains("O_TRUNC") { file.bytes = [] }
                return true
            }
            return add(path, Node(isFolder: false))
        case "mkdir", "mkdirat":
            return add(call.name == "mkdir" ? call.path(nil, 0) : call.path(0, 1), Node(isFolder: true))
        case "pwrite64": return write(call.file(0), call.bytes(1), at: call.number(3), count: call.result)
        case "write":
            guard let file = node(call.file(0)) else { return false }
            // The programs that write so append to what they just made.
            return write(call.file(0), call.bytes(1), at: file.bytes.count, count: call.result)
        case "ftruncate":
            guard let file = node(call.file(0)) else { return false }
            let length = call.number(1)
            file.bytes =
                Array(file.bytes.prefix(length)) + [UInt8](repeating: 0, count: max(0, length - file.bytes.count))
            return true
        case "fallocate":
            guard let file = node(call.file(0)) else { return false }
            file.bytes += [UInt8](repeating: 0, count: max(0, call.number(2) + call.number(3) - file.bytes.count))
            return true
        case "fsync", "fdatasync": return sync(call.file(0))
        case "syncfs":
            // The names, too; that is not counted on.
            syncFiles(below: top)
            return true
        case "rename": return move(call.path(nil, 0), call.path(nil, 1))
        case "renameat", "renameat2": return move(call.path(0, 1), call.path(2, 3))
        case "link": return node(call.path(nil, 0)).map { add(call.path(nil, 1), $0) } ?? false
        case "linkat": return node(call.path(0, 1)).map { add(call.path(2, 3), $0) } ?? false
        case "unlink", "rmdir": return remove(call.path(nil, 0))
        case "unlinkat": return remove(call.path(0, 1))
        default: return false
        }
    }

    private func note(_ folder: Node, _ name: String, _ node: Node?) {
        folder.entries[name] = node
        changes.append(Change(folder: folder, name: name, node: node, unit: units))
    }

    private func add(_ path: String, _ node: Node) -> Bool {
        guard let (folder, name) = place(path) else { return false }
        units += 1
        note(folder, name, node)
        return true
    }

    private func remove(_ path: String) -> Bool {
        guard let (folder, name) = place(path), folder.entries[name] != nil else { return false }
        units += 1
        note(folder, name, nil)
        return true
    }

    private func move(_ source: String, _ target: String) -> Bool {
        guard let from = place(source), let to = place(target), let node = from.folder.entries[from.name] else {
            return false
        }
        units += 1
        note(to.folder, to.name, node)
        note(from.folder, from.name, nil)
        return true
    }

    private func write(_ path: String, _ bytes: [UInt8], at offset: Int, count: Int) -> Bool {
        guard let file = node(path) else { return false }
        let end = offset + count
        if file.bytes.count < end { file.bytes += [UInt8](repeating: 0, count: end - file.bytes.count) }
        file.bytes.replaceSubrange(offset..<end, with: bytes.prefix(count))
        return true
    }

    private func sync(_ path: String) -> Bool {
        guard let node = node(path) else { return false }
        if !node.isFolder {
            node.durableBytes = node.bytes
            return true
        }
        for change in changes where change.folder === node { node.durableEntries[change.name] = change.node }
        changes.removeAll { $0.folder === node }
        return true
    }

    private func syncFiles(below folder: Node) {
        for node in folder.entries.values {
            if node.isFolder { syncFiles(below: node) } else { node.durableBytes = node.bytes }
        }
    }

    // MARK: What a power cut may leave

    /// What becomes of bytes that were not synced.
    enum Bytes: CaseIterable {
        case lost, kept, torn
    }

    /// A state after a power cut.
    struct State {
        fileprivate var survives: Set<Int>
        fileprivate var changes: [Change]
        fileprivate var bytes: Bytes
        let top: Node

        /// The names in a folder; `nil` where there is no folder.
        func folder(_ parts: [String]) -> [String: Node]? {
            var names = entries(top)
            for part in parts {
                guard let next = names[part], next.isFolder else { return nil }
                names = entries(next)
            }
            return names
        }

        private func entries(_ folder: Node) -> [String: Node] {
            var names = folder.durableEntries
            for change in changes where change.folder === folder && survives.contains(change.unit) {
                names[change.name] = change.node
            }
            return names
        }

        func bytes(of file: Node) -> [UInt8] {
            if !file.isDirty { return file.bytes }
            return switch bytes {
            case .lost: file.durableBytes ?? []
            case .kept: file.bytes
            case .torn: Array(file.bytes.prefix(file.bytes.count / 2))
            }
        }
    }

    /// The legal states: each subset of the changes if there are few, else the extremes: none, all, each alone, all but
    /// each, each prefix. Changes of names without a promise all survive.
    func states(ignoring isIrrelevant: (Change) -> Bool) -> [State] {
        let free = Set(changes.filter { !isIrrelevant($0) }.map(\.unit)).sorted()
        let always = Set(changes.map(\.unit)).subtracting(free)
        var subsets: Set<Set<Int>> = []
        if free.count <= 6 {
            for mask in 0..<(1 << free.count) {
                subsets.insert(Set(free.indices.filter { mask >> $0 & 1 == 1 }.map { free[$0] }))
            }
        } else {
            subsets = [[], Set(free)]
            for (index, unit) in free.enumerated() {
                subsets.insert([unit])
                subsets.insert(Set(free).subtracting([unit]))
                subsets.insert(Set(free.prefix(index)))
            }
        }
        // With nothing but synced files among them there is only one way for their bytes.
        let isDirty = changes.contains { free.contains($0.unit) && $0.node?.isDirty == true }
        return subsets.flatMap { subset in
            (isDirty ? Bytes.allCases : [.kept]).map {
                State(survives: subset.union(always), changes: changes, bytes: $0, top: top)
            }
        }
    }
}
