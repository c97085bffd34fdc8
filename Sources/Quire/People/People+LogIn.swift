import Disk
import Model
import Sync
import WireFormat

/// Proving a person with a code.
extension People {
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
            try keys.save(code, of: person.id)
            return try set(name: person.name, id: person.id, group: person.group ?? "", isProven: true)
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
        let known = try await offload { [self] in try self.known() }
        return known.first { $0.id == id } ?? Person(id: id, name: id)
    }
}
