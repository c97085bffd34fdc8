import Disk
import Model
import SystemPackage

/// The favourites of persons, one small file each. Setting one twice is setting it once.
///
/// All calls block on the disk: run them with `offload`.
struct FavoriteStore: Sendable {
    struct Favorite: Hashable, Sendable, Codable {
        var id: String
        var since: Timestamp
    }

    let fileSystem: any FileSystem
    let clock: any StoreClock

    /// When it returns, it is durable.
    func set(_ id: String, of person: String) throws {
        try fileSystem.makeDurableFolder(HostLayout.favorites)
        try fileSystem.makeDurableFolder(HostLayout.favorites(of: person))
        let path = HostLayout.favorite(id, of: person)
        guard try fileSystem.status(at: path) == nil else {
            // The writer may have been killed before it was durable.
            return try fileSystem.makeDurable(folder: HostLayout.favorites(of: person))
        }
        try fileSystem.writeDurably(
            try DocumentCoding.encode(Favorite(id: id, since: clock.now)), to: path,
            temporaryFolder: HostLayout.temporary)
    }

    func unset(_ id: String, of person: String) throws {
        let folder = HostLayout.favorites(of: person)
        guard try fileSystem.status(at: folder) != nil else { return }
        try fileSystem.removeIfPresent(HostLayout.favorite(id, of: person))
        try fileSystem.makeDurable(folder: folder)
    }

    /// Sorted by the bytes of their ids.
    func all(of person: String) throws -> [Favorite] {
        let folder = HostLayout.favorites(of: person)
        guard try fileSystem.status(at: folder) != nil else { return [] }
        var found: [Favorite] = []
        for entry in try fileSystem.list(folder) where entry.kind == .regular {
            let (bytes, _) = try fileSystem.readFile(folder.appending(entry.name), maximumBytes: 1 << 16)
            found.append(try DocumentCoding.decode(Favorite.self, from: bytes))
        }
        return found.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }
}
