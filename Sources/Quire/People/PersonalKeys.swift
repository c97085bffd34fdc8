import Disk
import Model
import SystemPackage
import WireFormat

/// The codes with which people proved themselves on this device: `keys/<id>.key.json`, for its owner alone. No snapshot and
/// no export has them.
package struct PersonalKeys: Sendable {
    private struct Entry: Codable {
        var person: String
        var key: String
    }

    let fileSystem: any FileSystem

    private static let maximumBytes: Int64 = 1 << 16

    /// The keys by their people. A file that cannot be read is as none: the person proves themselves again.
    package func all() throws -> [String: String] {
        guard try fileSystem.status(at: StoreLayout.keys)?.kind == .folder else { return [:] }
        var keys: [String: String] = [:]
        for entry in try fileSystem.list(StoreLayout.keys) where StoreLayout.isKeyName(entry.name) {
            let path = StoreLayout.keys.appending(name: entry.name)
            guard let bytes = try fileSystem.readFileIfPresent(path, maximumBytes: Self.maximumBytes)?.bytes,
                let entry = try? DocumentCoding.decode(Entry.self, from: bytes), PersonalCode(entry.key) != nil
            else { continue }
            keys[entry.person] = entry.key
        }
        return keys
    }

    func save(_ code: PersonalCode, of person: String) throws {
        try fileSystem.makeDurableFolder(StoreLayout.keys)
        try fileSystem.removeAbandonedTemporaryFiles(in: StoreLayout.keys, isShared: true)
        try fileSystem.writeDurably(
            try DocumentCoding.encode(Entry(person: person, key: code.text)), to: StoreLayout.keyPath(person: person),
            temporaryFolder: StoreLayout.keys)
    }
}
