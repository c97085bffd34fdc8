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

    let files: any HostFiles

    /// Whether the caller may see that there is such a test.
    func mayRead(_ test: TestID, _ caller: Caller) throws -> Bool {
        guard let person = caller.boundPerson else { return true }
        return try current(test)?.owner.isOf(person) ?? false
    }

    /// Notes, durably, that a stored test is the caller's person's. The first one counts: its bytes were shown, so a
    /// test that was delivered without a person's key can be claimed. The person whom it names counts beside them.
    ///
    /// - Parameter named: the id of the person whom the test names.
    /// - Returns: `false` where it is another person's.
    func claim(_ test: TestID, naming named: String?, _ caller: Caller) throws -> Bool {
        guard let person = caller.person else { return true }
        let path = HostLayout.owner(of: test)
        // Another writer may be quicker: then what it wrote counts.
        while true {
            let former = try current(test)
            var owner = former?.owner ?? Owner(person: person, key: caller.key)
            if former != nil {
                if owner.isOf(person) {
                    // The process that wrote it may have been killed before the name was durable.
                    try files.confirm(path)
                    return true
                }
                guard named == person else { return false }
                owner.proven = person
            }
            let bytes = try DocumentCoding.encode(owner)
            if try files.replace(path, bytes, former: former?.version) { return true }
        }
    }

    /// The person whom a test names, where their own key came with its bytes; else `nil`.
    func prover(of test: TestID, naming named: String?) throws -> String? {
        guard let named, let owner = try current(test)?.owner, owner.isOf(named) else { return nil }
        return named
    }

    private func current(_ test: TestID) throws -> (owner: Owner, version: FileVersion)? {
        let path = HostLayout.owner(of: test)
        guard let version = try files.current(path, maximumBytes: 64 << 10) else { return nil }
        do throws(DocumentFault) {
            return (try DocumentCoding.decode(Owner.self, from: version.bytes), version)
        } catch {
            throw HostError.damaged(files.place(of: path), reason: error.description)
        }
    }
}
