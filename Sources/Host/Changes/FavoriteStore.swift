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

    let files: any HostFiles
    let clock: any StoreClock

    private static let maximumBytes: Int64 = 1 << 16

    /// When it returns, it is durable.
    func set(_ id: String, of person: String) throws {
        let bytes = try DocumentCoding.encode(Favorite(id: id, since: clock.now))
        _ = try files.putIfAbsent(bytes, as: HostLayout.favorite(id, of: person))
    }

    func unset(_ id: String, of person: String) throws { try files.remove(HostLayout.favorite(id, of: person)) }

    /// Sorted by the bytes of their ids.
    func all(of person: String) throws -> [Favorite] {
        let folder = HostLayout.favorites(of: person)
        return try files.names(in: folder).compactMap { name in
            // It may be unset meanwhile.
            try files.bytes(of: folder.appending(name: name), maximumBytes: Self.maximumBytes).map {
                try DocumentCoding.decode(Favorite.self, from: $0)
            }
        }.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }
}
