import Disk
import HTTPTypes
import Model
import Sync
import WireFormat

/// The class list: fetched from the remote, and chosen from on the device.
extension QuireStore {
    /// The class list that was fetched last; `nil` where there is none.
    package func classList() throws -> ClassList? {
        guard
            let bytes = try fileSystem.readFileIfPresent(
                StoreLayout.classList, maximumBytes: Int64(PeopleList.maximumBytes))?.bytes
        else { return nil }
        // It only spares typing: a damaged one is fetched again, and `doctor` reports it.
        guard let list = try? DocumentCoding.decode(ClassList.self, from: bytes) else { return nil }
        return list.people.isEmpty ? nil : list
    }

    /// Fetches the people of the remote, where it has such a list for this device's key.
    ///
    /// Without a reply of the remote's own the former list stays.
    package func pullPeople(_ remote: any Remote) async throws {
        guard remote.listURL.hasPrefix("http"), let url = RemoteURL.resolve("people", against: remote.listURL) else {
            return
        }
        let former = try await offload { [self] in try classList() }
        var fields: HTTPFields = [.accept: "application/json"]
        if let former, former.url == url { fields[.ifNoneMatch] = former.etag }
        guard let reply = try? await remote.get(url, fields: fields, maximumBytes: PeopleList.maximumBytes),
            !reply.isFromStranger
        else { return }
        switch reply.status {
        case 200:
            guard let list = try? DocumentCoding.decode(PeopleList.self, from: reply.body) else { return }
            let fetched = ClassList(url: url, etag: reply.fields[.eTag], people: list.people.map(\.reference))
            try await offload { [self] in try save(fetched) }
        case 401, 403, 404:
            // The list is no longer for this device.
            guard former != nil else { return }
            try await offload { [self] in try fileSystem.removeIfPresent(StoreLayout.classList) }
        default: break
        }
    }

    private func save(_ list: ClassList) throws {
        if list.people.isEmpty, try fileSystem.status(at: StoreLayout.people) == nil { return }
        try fileSystem.makeDurableFolder(StoreLayout.people)
        try fileSystem.writeDurably(
            try DocumentCoding.encode(list), to: StoreLayout.classList, temporaryFolder: StoreLayout.people)
    }

    /// The person of the class list whom a new name means.
    ///
    /// - Returns: `nil` for a name that is not on the list.
    /// - Throws: `PersonError.ambiguous`.
    func listed(name: String, group: String?) throws -> Person? {
        let folded = TextFolding.fold(name)
        let named = try classList()?.people.filter {
            TextFolding.fold($0.name) == folded && (group == nil || ($0.group ?? "") == group)
        }
        guard let named, let first = named.first else { return nil }
        if named.count > 1 { throw PersonError.ambiguous(name, named) }
        return first
    }
}
