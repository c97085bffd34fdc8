import Disk
import Model
import SystemPackage

/// Notes the persons whose keys delivered tests, one small file each: `owners/<uuid>.json`.
///
/// All calls block on the disk.
struct TestOwners: Sendable {
    private struct Owner: Codable {
        var person: String
        /// The id of the key that came with the test.
        var key: String?
        /// The person whom the test names, where their own key came with its bytes later.
        var proven: String?

        func isOf(_ person: String) -> Bool { self.person == person || proven == person }
    }

    let fileSystem: any FileSystem

    /// Whether the caller may see that there is such a test.
    func mayRead(_ test: TestID, _ caller: Caller) throws -> Bool {
        guard let person = caller.boundPerson else { return true }
        return try owner(of: test)?.isOf(person) ?? false
    }

    /// Notes, durably, that a stored test is the caller's person's. The first one counts: its bytes were shown, so a
    /// test that was delivered without a person's key can be claimed. The person whom it names counts beside them.
    ///
    /// - Parameter named: the id of the person whom the test names.
    /// - Returns: `false` where it is another person's.
    func claim(_ test: TestID, naming named: String?, _ caller: Caller) throws -> Bool {
        guard let person = caller.person else { return true }
        if let owner = try owner(of: test) { return try claim(test, of: owner, person, isNamed: named == person) }
        try fileSystem.makeDurableFolder(HostLayout.owners)
        let bytes = try DocumentCoding.encode(Owner(person: person, key: caller.key))
        let isFirst = try fileSystem.writeDurablyIfAbsent(
            bytes, to: HostLayout.owner(of: test), temporaryFolder: HostLayout.temporary)
        if isFirst { return true }
        guard let owner = try owner(of: test) else { return false }
        return try claim(test, of: owner, person, isNamed: named == person)
    }

    private func claim(_ test: TestID, of owner: Owner, _ person: String, isNamed: Bool) throws -> Bool {
        if owner.isOf(person) { return true }
        guard isNamed else { return false }
        var owner = owner
        owner.proven = person
        try fileSystem.writeDurably(
            try DocumentCoding.encode(owner), to: HostLayout.owner(of: test), temporaryFolder: HostLayout.temporary)
        return true
    }

    private func owner(of test: TestID) throws -> Owner? {
        let path = HostLayout.owner(of: test)
        guard let (bytes, _) = try fileSystem.readFileIfPresent(path, maximumBytes: 64 << 10) else { return nil }
        do throws(DocumentFault) {
            return try DocumentCoding.decode(Owner.self, from: bytes)
        } catch {
            throw HostError.damaged(fileSystem.root.pushing(path), reason: error.description)
        }
    }
}
