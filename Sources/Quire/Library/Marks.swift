import Disk
import Model
import SystemPackage

/// A person's mark: stored apart from the cache, so that clearing the cache does not lose it.
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
            guard let bytes = try content(of: StoreLayout.marks.appending(name: entry.name)) else { continue }
            // A damaged mark is reported by doctor; the others hold.
            if let mark = try? DocumentCoding.decode(Mark.self, from: bytes) { ids.insert(mark.id) }
        }
        return ids
    }

    /// `nil` for an invalid mark: too long, not a file, gone since the listing.
    private func content(of path: FilePath) throws(FileError) -> [UInt8]? {
        do throws(FileError) {
            return try fileSystem.readFile(path, maximumBytes: 1 << 16).bytes
        } catch {
            if error.isMissing || error.code == .fileTooLarge || error.code == .invalidArgument { return nil }
            throw error
        }
    }

    public func set(_ kind: Mark.Kind, id: String) throws {
        try fileSystem.makeDurableFolder(StoreLayout.marks)
        // Files of killed writers: this folder has no sweep of its own.
        try fileSystem.removeAbandonedTemporaryFiles(in: StoreLayout.marks, isShared: true)
        let path = StoreLayout.markPath(id: id, kind)
        guard try fileSystem.status(at: path) == nil else {
            // The writer may have been killed before it was durable.
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
