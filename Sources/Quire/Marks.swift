import Disk
import Model
import SystemPackage

/// What a person marked: kept apart from the cache, so that clearing the cache does not lose it.
public struct Mark: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Never evicted.
        case pin
        /// Listed first, and never evicted.
        case favorite
    }

    public var id: String
    public var since: Timestamp
}

/// The marks of a store: one small file each.
public struct Marks: Sendable {
    let fileSystem: any FileSystem
    let clock: any StoreClock

    /// The ids that are marked so.
    public func ids(_ kind: Mark.Kind) throws -> Set<String> {
        guard try fileSystem.status(at: StoreLayout.marks) != nil else { return [] }
        var ids: Set<String> = []
        for entry in try fileSystem.list(StoreLayout.marks)
        where entry.kind == .regular && StoreLayout.markKind(name: entry.name) == kind {
            let (bytes, _) = try fileSystem.readFile(StoreLayout.marks.appending(entry.name), maximumBytes: 1 << 16)
            // A damaged mark is reported by doctor; the others hold.
            if let mark = try? DocumentCoding.decode(Mark.self, from: bytes) { ids.insert(mark.id) }
        }
        return ids
    }

    public func set(_ kind: Mark.Kind, id: String) throws {
        try fileSystem.makeDurableFolder(StoreLayout.marks)
        try fileSystem.removeAbandonedTemporaryFiles(in: StoreLayout.marks)
        let path = StoreLayout.markPath(id: id, kind)
        if try fileSystem.status(at: path) != nil {
            // Whoever set it may have been killed before its name was durable.
            return try fileSystem.makeDurable(folder: StoreLayout.marks)
        }
        try fileSystem.writeDurably(
            try DocumentCoding.encode(Mark(id: id, since: clock.now)), to: path, temporaryFolder: StoreLayout.marks)
    }

    public func unset(_ kind: Mark.Kind, id: String) throws {
        try fileSystem.removeIfPresent(StoreLayout.markPath(id: id, kind))
        guard try fileSystem.status(at: StoreLayout.marks) != nil else { return }
        try fileSystem.makeDurable(folder: StoreLayout.marks)
    }
}
