import Disk
import HTTPTypes
import Model
import Sync
import WireFormat

/// The class list as this device fetched it last, and who may take tests by it.
package struct FetchedClassList: Sendable {
    let fileSystem: any FileSystem
    let keys: PersonalKeys

    /// The class list that was fetched last; `nil` where there is none.
    package func current() throws -> ClassList? {
        guard
            let bytes = try fileSystem.readFileIfPresent(
                StoreLayout.classList, maximumBytes: Int64(PeopleList.maximumBytes))?.bytes
        else { return nil }
        // It only spares typing: a damaged one is fetched again, and `doctor` reports it.
        guard let list = try? DocumentCoding.decode(ClassList.self, from: bytes) else { return nil }
        return list.people.isEmpty ? nil : list
    }

    /// A remote's answer about its people.
    package enum Answer: Hashable, Sendable {
        case list, unchanged
        /// It has none for this device's key.
        case noPeople
        /// No answer of the remote's own: the former list stays.
        case noAnswer
    }

    /// Fetches the people of a remote of a kind that may have them, conditionally, where it has a list for this device's
    /// key.
    @discardableResult
    package func pull(_ remote: any Remote) async throws -> Answer {
        guard let url = RemoteURL.resolve("people", against: remote.listURL) else { return .noAnswer }
        let former = try await offload { [self] in try current() }
        var fields: HTTPFields = [.accept: "application/json"]
        if let former, former.url == url { fields[.ifNoneMatch] = former.etag }
        guard let reply = try? await remote.get(url, fields: fields, maximumBytes: PeopleList.maximumBytes),
            !reply.isFromStranger
        else { return .noAnswer }
        switch reply.status {
        case 200:
            guard let list = try? DocumentCoding.decode(PeopleList.self, from: reply.body) else { return .noAnswer }
            let fetched = ClassList(
                url: url, etag: reply.fields[.eTag], people: list.people.map(\.reference), typedNames: list.typedNames)
            try await offload { [self] in try save(fetched) }
            return fetched.people.isEmpty ? .noPeople : .list
        case 304: return .unchanged
        case 401, 403, 404:
            // The list is no longer for this device.
            if former != nil {
                try await offload { [self] in try fileSystem.removeIfPresent(StoreLayout.classList) }
            }
            return .noPeople
        default: return .noAnswer
        }
    }

    private func save(_ list: ClassList) throws {
        if list.people.isEmpty, try fileSystem.status(at: StoreLayout.people) == nil { return }
        try fileSystem.makeDurableFolder(StoreLayout.people)
        try fileSystem.writeDurably(
            try DocumentCoding.encode(list), to: StoreLayout.classList, temporaryFolder: StoreLayout.people)
    }

    /// Whether names that are not on the class list may be typed.
    package func allowsTypedNames() throws -> Bool { try current()?.allowsTypedNames ?? true }

    /// - Parameter person: `nil` for a test without a person.
    /// - Throws: `PersonError.notListed` where only people of the class list take tests, and this is none of them. Who proved
    ///   themselves with a code is one.
    func check(_ person: Person?) throws {
        guard let list = try current(), !list.allowsTypedNames else { return }
        if let person {
            if list.people.contains(where: { $0.id == person.id }) { return }
            if try keys.all()[person.id] != nil { return }
        }
        throw PersonError.notListed(person?.name)
    }

    /// The person of the class list whom a new name means.
    ///
    /// - Returns: `nil` for a name that is not on the list.
    /// - Throws: `PersonError.ambiguous`.
    func person(name: String, group: String?) throws -> Person? {
        let folded = TextFolding.fold(name)
        let named = try current()?.people.filter {
            TextFolding.fold($0.name) == folded && (group == nil || ($0.group ?? "") == group)
        }
        guard let named, let first = named.first else { return nil }
        if named.count > 1 { throw PersonError.ambiguous(name, named) }
        return first
    }
}
