import Disk
import SystemPackage

/// Paths and names, with the answers that Linux gives.
extension MemoryTree {
    /// The target of a path: the folder and the name of its last component, and the node there. The root has no name.
    struct Place {
        var folder: NodeID
        var name: FileName?
        var node: NodeID?
    }

    /// Follows a path. No symbolic link is followed: neither the last component nor, unless `followsFolders`, one on the way.
    func resolve(_ path: FilePath, followsFolders: Bool = false) throws(Errno) -> Place {
        let text = path.string
        guard !text.hasPrefix("/") else { throw .noSuchFileOrDirectory }
        guard text.utf8.count < 4096 else { throw .fileNameTooLong }
        var rest = Array(text.split(separator: "/").map(String.init).reversed())
        guard !rest.contains("..") else { throw .improperLink }
        var place = Place(folder: Self.rootID, node: Self.rootID)
        var links = 0
        while let name = rest.popLast() {
            guard let id = place.node else { throw .noSuchFileOrDirectory }
            switch self[id].kind {
            case .folder: break
            case .symbolicLink:
                links += 1
                guard followsFolders, links <= 40 else { throw .tooManySymbolicLinkLevels }
                let target = FilePath(String(decoding: self[id].bytes, as: UTF8.self))
                guard !target.isAbsolute else { throw .noSuchFileOrDirectory }
                rest.append(name)
                rest += target.components.map(\.string).reversed()
                place = Place(folder: place.folder, node: place.folder)
                continue
            default: throw .notDirectory
            }
            switch name {
            case ".": break
            // Only a link's target has one here.
            case "..":
                guard let parent = self[id].parent else { throw .noSuchFileOrDirectory }
                place = Place(folder: parent, node: parent)
            default:
                guard name.utf8.count <= 255 else { throw .fileNameTooLong }
                let name = FileName(name)
                place = Place(folder: id, name: name, node: self[id].entries[name])
            }
        }
        return place
    }

    func existing(_ path: FilePath) throws(Errno) -> NodeID {
        guard let id = try resolve(path).node else { throw .noSuchFileOrDirectory }
        return id
    }

    func folder(_ path: FilePath) throws(Errno) -> NodeID {
        let id = try existing(path)
        guard self[id].kind == .folder else { throw .notDirectory }
        return id
    }

    func status(at path: FilePath) throws(Errno) -> FileStatus? {
        do throws(Errno) {
            return try resolve(path, followsFolders: true).node.map(status)
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
    }

    func list(_ path: FilePath) throws(Errno) -> [FolderEntry] {
        self[try folder(path)].entries.map { FolderEntry(name: $0.key.text, kind: self[$0.value].kind) }
    }

    mutating func open(_ path: FilePath, _ mode: OpenMode, now: Int64) throws(Errno) -> OpenFile {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        guard let found = try resolve(path).node else {
            if mode == .read { throw .noSuchFileOrDirectory }
            let file = Node(kind: .regular, modifiedNanoseconds: now, permissions: .ownerReadWrite)
            return open(try make(file, at: path, now: now), path, isWritable: true)
        }
        if mode == .create { throw .fileExists }
        switch self[found].kind {
        case .symbolicLink: throw .tooManySymbolicLinkLevels
        case .folder where mode == .update: throw .isDirectory
        default: return open(found, path, isWritable: mode != .read)
        }
    }

    /// Puts something new under a name that is free.
    @discardableResult
    mutating func make(_ node: Node, at path: FilePath, now: Int64) throws(Errno) -> NodeID {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        let place = try resolve(path)
        guard place.node == nil, let name = place.name else { throw .fileExists }
        let id = add(node, name, in: place.folder, now: now)
        report(path)
        return id
    }

    mutating func remove(_ path: FilePath, now: Int64) throws(Errno) {
        let place = try resolve(path)
        guard let id = place.node else { throw .noSuchFileOrDirectory }
        guard self[id].kind != .folder, let name = place.name else { throw .isDirectory }
        unlink(name, in: place.folder, now: now)
        report(path)
    }

    mutating func removeFolder(_ path: FilePath, now: Int64) throws(Errno) {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        let place = try resolve(path)
        guard let id = place.node else { throw .noSuchFileOrDirectory }
        guard self[id].kind == .folder else { throw .notDirectory }
        guard let name = place.name else { throw .resourceBusy }
        guard self[id].entries.isEmpty else { throw .directoryNotEmpty }
        unlink(name, in: place.folder, now: now)
        report(path)
    }

    mutating func rename(_ source: FilePath, to target: FilePath, replacing: Bool, now: Int64) throws(Errno) {
        guard !source.isEmpty, !target.isEmpty else { throw .noSuchFileOrDirectory }
        let from = try resolve(source)
        let to = try resolve(target)
        guard let moved = from.node else { throw .noSuchFileOrDirectory }
        guard let oldName = from.name, let newName = to.name else { throw .resourceBusy }
        let isFolder = self[moved].kind == .folder
        if let there = to.node {
            guard replacing else { throw .fileExists }
            // POSIX: two names of one file are left as they are, and success is reported.
            if there == moved { return }
            let isThereFolder = self[there].kind == .folder
            if isFolder, !isThereFolder { throw .notDirectory }
            if !isFolder, isThereFolder { throw .isDirectory }
            if !self[there].entries.isEmpty { throw .directoryNotEmpty }
        }
        if isFolder, isInside(to.folder, moved) { throw .invalidArgument }
        unlink(newName, in: to.folder, now: now)
        link(moved, newName, in: to.folder, now: now)
        unlink(oldName, in: from.folder, now: now)
        report(source)
        report(target)
    }

    private func isInside(_ folder: NodeID, _ ancestor: NodeID) -> Bool {
        var current: NodeID? = folder
        while let id = current {
            if id == ancestor { return true }
            current = self[id].parent
        }
        return false
    }
}
