import Disk
import Model
import Sync
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
            let path = StoreLayout.keys.appending(entry.name)
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

extension QuireStore {
    package var personalKeys: PersonalKeys { PersonalKeys(fileSystem: fileSystem) }

    /// Proves a person by their code, and makes them the current one.
    ///
    /// - Parameter remote: opens the remote with a key.
    /// - Throws: `PersonError.invalidCode`, `.unknownCode`, `RemoteFailure`.
    package func logIn(_ text: String, _ remote: (String) throws -> any Remote) async throws -> Person {
        guard let code = PersonalCode(text) else { throw PersonError.invalidCode }
        let asked = try remote(code.text)
        defer { withExtendedLifetime(asked) {} }
        let person = try await person(of: asked)
        await asked.shutdown()
        return try await offload { [self] in
            try personalKeys.save(code, of: person.id)
            return try setPerson(name: person.name, id: person.id, group: person.group ?? "", isProven: true)
        }
    }

    private func person(of remote: any Remote) async throws -> Person {
        func get(_ path: String) async throws -> RemoteReply {
            guard let url = RemoteURL.resolve(path, against: remote.listURL) else { throw PersonError.noCodesHere }
            return try await remote.get(
                url, fields: [.accept: "application/json"], maximumBytes: PeopleList.maximumBytes)
        }
        let reply: RemoteReply
        do {
            reply = try await get("access/self")
        } catch let failure as RemoteFailure where failure.kind == .tokenRefused {
            throw PersonError.unknownCode
        }
        if reply.isFromStranger {
            throw RemoteFailure(.notTheServer, "another page answers in the place of the server")
        }
        if reply.status == 401 { throw PersonError.unknownCode }
        guard reply.status == 200, let own = try? DocumentCoding.decode(AccessSelf.self, from: reply.body),
            let id = own.person, own.isOfKey
        else { throw reply.status == 200 ? PersonError.unknownCode : PersonError.noCodesHere }
        if let reply = try? await get("people"), reply.status == 200,
            let list = try? DocumentCoding.decode(PeopleList.self, from: reply.body), let person = list[id: id]
        {
            return person.reference
        }
        let known = try await offload { [self] in try knownPeople() }
        return known.first { $0.id == id } ?? Person(id: id, name: id)
    }
}
