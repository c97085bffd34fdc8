import Disk
import SystemPackage

/// Paths and names, with the answers that Linux gives.
extension DiskImage {
    /// The target of a path: the slot of its last component and the node in it. The root has no slot.
    struct Place {
        var slot: Slot?
        var node: NodeID?
    }

    private static let maximumLinks = 40

    /// Follows a path. No symbolic link is: neither the last component nor, unless it is said, one on the way.
    func resolve(_ path: FilePath, followsFolders: Bool = false) throws(Errno) -> Place {
        // Nothing is outside the root of a simulation.
        let text = path.string
        guard text.utf8.first != UInt8(ascii: "/") else { throw .noSuchFileOrDirectory }
        guard text.utf8.count < 4096 else { throw .fileNameTooLong }
        // As `components` would cut it, which takes most of a simulation's time in a debug build.
        var rest = Array(text.split(separator: "/").map(String.init).reversed())
        guard followsFolders || !rest.contains("..") else { throw .improperLink }
        var place = Place(node: DiskImage.rootID)
        var links = 0
        while let name = rest.popLast() {
            guard let id = place.node else { throw .noSuchFileOrDirectory }
            switch self[id].kind {
            case .folder: break
            case .symbolicLink:
                links += 1
                guard followsFolders else { throw .tooManySymbolicLinkLevels }
                if links > Self.maximumLinks { throw .tooManySymbolicLinkLevels }
                let target = FilePath(String(decoding: self[id].content.bytes, as: UTF8.self))
                guard !target.isAbsolute else { throw .noSuchFileOrDirectory }
                rest.append(name)
                rest += target.components.map(\.string).reversed()
                place = folderPlace(place.slot?.folder ?? DiskImage.rootID)
                continue
            default: throw .notDirectory
            }
            switch name {
            case ".": break
            case "..":
                guard let above = self[id].place?.folder else { throw .noSuchFileOrDirectory }
                place = folderPlace(above)
            default:
                guard name.utf8.count <= 255 else { throw .fileNameTooLong }
                let slot = Slot(folder: id, name: Name(name))
                place = Place(slot: slot, node: self[id].entries[slot.name])
            }
        }
        return place
    }

    private func folderPlace(_ id: NodeID) -> Place { Place(slot: self[id].place, node: id) }

    func existing(_ path: FilePath) throws(Errno) -> NodeID {
        guard let id = try resolve(path).node else { throw .noSuchFileOrDirectory }
        return id
    }

    func folder(_ path: FilePath) throws(Errno) -> NodeID {
        let id = try existing(path)
        guard self[id].kind == .folder else { throw .notDirectory }
        return id
    }

    /// Puts something new under a name that is free.
    mutating func make(_ node: Node, at path: FilePath, now: Int64) throws(Errno) -> NodeID {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        let place = try resolve(path)
        guard place.node == nil, let slot = place.slot else { throw .fileExists }
        let id = add(node)
        set(slot, to: id, change: beginChange(), now: now)
        return id
    }

    mutating func remove(_ path: FilePath, now: Int64) throws(Errno) {
        let place = try resolve(path)
        guard let id = place.node else { throw .noSuchFileOrDirectory }
        guard self[id].kind != .folder, let slot = place.slot else { throw .isDirectory }
        set(slot, to: nil, change: beginChange(), now: now)
    }

    mutating func removeFolder(_ path: FilePath, now: Int64) throws(Errno) {
        guard !path.isEmpty else { throw .noSuchFileOrDirectory }
        let place = try resolve(path)
        guard let id = place.node else { throw .noSuchFileOrDirectory }
        guard self[id].kind == .folder else { throw .notDirectory }
        guard let slot = place.slot else { throw .resourceBusy }
        guard self[id].entries.isEmpty else { throw .directoryNotEmpty }
        set(slot, to: nil, change: beginChange(), now: now)
    }

    mutating func rename(_ source: FilePath, to target: FilePath, replacing: Bool, now: Int64) throws(Errno) {
        guard !source.isEmpty, !target.isEmpty else { throw .noSuchFileOrDirectory }
        let from = try resolve(source)
        let to = try resolve(target)
        guard let moved = from.node else { throw .noSuchFileOrDirectory }
        guard let fromSlot = from.slot, let toSlot = to.slot else { throw .resourceBusy }
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
        if isFolder, isInside(toSlot.folder, moved) { throw .invalidArgument }
        let change = beginChange()
        set(fromSlot, to: nil, change: change, now: now)
        set(toSlot, to: moved, change: change, now: now)
        bind(fromSlot, toSlot, change: change, isFolder: isFolder)
    }

    private func isInside(_ folder: NodeID, _ ancestor: NodeID) -> Bool {
        var current: NodeID? = folder
        while let id = current {
            if id == ancestor { return true }
            current = self[id].place?.folder
        }
        return false
    }
}
