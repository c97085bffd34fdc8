import Disk
import Model
import SystemPackage
import WireFormat

/// The people whom a host knows: one file that is replaced in one piece, and their codes among the host's keys.
///
/// All calls block on the disk.
package struct PeopleStore: Sendable {
    let keys: KeyStore
    private var files: any HostFiles { keys.files }

    /// The people of a data folder, which is made where it is missing.
    package init(making data: FilePath, clock: any StoreClock = SystemClock()) throws(FileError) {
        self.init(keys: try KeyStore(making: data, clock: clock))
    }

    /// The people of an existing data folder.
    ///
    /// - Throws: `HostError.noData`, `FileError`.
    package init(opening data: FilePath, clock: any StoreClock = SystemClock()) throws {
        self.init(keys: try KeyStore(opening: data, clock: clock))
    }

    package init(keys: KeyStore) { self.keys = keys }

    /// The list; an empty one where there is no file.
    ///
    /// - Throws: `HostError.damaged`, `FileError`.
    package func list() throws -> PeopleList { try current()?.list ?? PeopleList() }

    /// The list with the bytes of its file; `nil` where there is none.
    func read() throws -> (list: PeopleList, bytes: [UInt8])? {
        try current().map { ($0.list, $0.version.bytes) }
    }

    /// The list's file.
    struct File: Codable {
        var list: PeopleList
        /// The ids of people who are not on it any more, while their keys are being revoked.
        var leaving: [String]?

        private enum CodingKeys: CodingKey { case leaving }

        init(_ list: PeopleList, leaving: [String] = []) {
            self.list = list
            self.leaving = leaving.isEmpty ? nil : leaving
        }

        /// Both are members of one object.
        init(from decoder: any Decoder) throws {
            list = try PeopleList(from: decoder)
            leaving = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent([String].self, forKey: .leaving)
        }

        func encode(to encoder: any Encoder) throws {
            try list.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(leaving, forKey: .leaving)
        }
    }

    private func current() throws -> (list: PeopleList, leaving: [String], version: FileVersion)? {
        let path = HostLayout.peopleList
        guard let version = try files.current(path, maximumBytes: Int64(PeopleList.maximumBytes)) else { return nil }
        do throws(DocumentFault) {
            let file = try DocumentCoding.decode(File.self, from: version.bytes)
            return (file.list, file.leaving ?? [], version)
        } catch {
            throw HostError.damaged(files.place(of: path), reason: error.description)
        }
    }

    /// A person with what they can prove themselves with.
    package struct Member: Hashable, Sendable {
        package var person: Person
        /// Whether they have a valid code.
        package var hasCode: Bool
    }

    package func members(of group: String? = nil) throws -> [Member] {
        let codes = try codes()
        return try list().members(of: group).map { Member(person: $0, hasCode: codes[$0.id] != nil) }
    }

    /// The valid codes, by their people.
    private func codes() throws -> [String: [AccessKey]] {
        let now = keys.clock.now
        let codes = try keys.read().entries.values.filter { $0.key.code == true && $0.isValid(at: now) }.map(\.key)
        return Dictionary(grouping: codes.filter { $0.person != nil }) { $0.person ?? "" }
    }

    // MARK: Changing

    /// What an import changes, before anything is changed.
    ///
    /// - Parameter keepsMissing: people of the file's groups whom the file does not name stay.
    /// - Throws: `HostError.classList` for a code that is another person's.
    package func plan(_ file: ClassListFile, keepsMissing: Bool) throws -> ClassListPlan {
        let codes = try codes()
        let plan = try ClassListPlan(
            file, list: list(), codes: codes.mapValues { Set($0.map(\.digest)) }, keepsMissing: keepsMissing)
        try Self.refuseForeignCodes(plan, codes)
        return plan
    }

    /// A code says whose tests a key opens: two people never share one.
    private static func refuseForeignCodes(_ plan: ClassListPlan, _ codes: [String: [AccessKey]]) throws(HostError) {
        let losing = Set(plan.removed.map(\.id) + plan.newCodes.map(\.person.id))
        var owners: [Digest: String] = [:]
        for (person, keys) in codes where !losing.contains(person) {
            for key in keys { owners[key.digest] = person }
        }
        for row in plan.newCodes {
            guard let owner = row.code.flatMap({ owners[$0.digest] }) else { continue }
            throw .classList(
                "the class list",
                reason: "line \(row.line): the code is the one of the person “\(owner)”: each person needs their own")
        }
    }

    /// Carries a plan out. The list is replaced in one piece; what a crash leaves undone is done
    /// by the next import of the file.
    ///
    /// - Throws: `HostError.peopleChanged` when the list is not the one that the plan was made for.
    package func apply(_ plan: ClassListPlan) throws {
        try locked {
            let current = try settled()
            guard current?.list ?? PeopleList() == plan.before else { throw HostError.peopleChanged }
            try Self.refuseForeignCodes(plan, self.codes())
            if plan.after != plan.before {
                try write(plan.after, leaving: plan.removed.map(\.id), after: current?.version)
            }
            let codes = try codes()
            for row in plan.newCodes {
                for key in codes[row.person.id] ?? [] { try keys.revoke(key.id) }
                if let code = row.code { _ = try keys.add(code, of: row.person.id) }
            }
        }
    }

    /// Removes a person and revokes their keys. Their tests stay.
    ///
    /// - Throws: `HostError.unknownPerson`.
    @discardableResult
    package func remove(_ id: String) throws -> Person {
        try locked {
            guard let (list, version) = try settled(), let person = list[id: id] else {
                throw HostError.unknownPerson(id)
            }
            try write(
                PeopleList(list.people.filter { $0.id != id }, typedNames: list.typedNames), leaving: [id],
                after: version)
            return person
        }
    }

    /// Sets whether names that are not on the list may be typed on devices.
    package func setTypedNames(_ areAllowed: Bool) throws {
        try locked {
            let current = try settled()
            var list = current?.list ?? PeopleList()
            list.typedNames = areAllowed ? nil : false
            try write(list, after: current?.version)
        }
    }

    /// Gives each of these people a code. Their former codes are revoked.
    package func setCodes(_ codes: [(person: Person, code: PersonalCode)]) throws {
        try locked {
            let former = try self.codes()
            for (person, code) in codes {
                _ = try keys.add(code, of: person.id)
                for key in former[person.id] ?? [] { try keys.revoke(key.id) }
            }
        }
    }

    /// Revokes the keys of those whose removal was cut off by a crash.
    package func settle() throws {
        guard try current()?.leaving.isEmpty == false else { return }
        _ = try locked { try settled() }
    }

    /// The list, after the keys of all who are not on it any more were revoked.
    private func settled() throws -> (list: PeopleList, version: FileVersion)? {
        while let current = try current() {
            if current.leaving.isEmpty { return (current.list, current.version) }
            for person in current.leaving { try revokeKeys(of: person) }
            // Where another host was quicker, what it wrote counts.
            let bytes = try DocumentCoding.encode(File(current.list))
            _ = try files.replace(HostLayout.peopleList, bytes, former: current.version)
        }
        return nil
    }

    private func revokeKeys(of person: String) throws {
        let now = keys.clock.now
        for entry in try keys.read().entries.values where entry.isValid(at: now) {
            if entry.key.person == person, entry.key.role == .taker { try keys.revoke(entry.key.id) }
        }
    }

    private func locked<Result>(_ body: () throws -> Result) throws -> Result {
        try files.locked(HostLayout.peopleLock, body)
    }

    /// Writes a list that names who leaves, then revokes their keys: a change that came too late revokes none, and what a crash
    /// leaves undone is done by the next change.
    ///
    /// - Throws: `HostError.peopleChanged` when the list has another version by now.
    private func write(_ list: PeopleList, leaving people: [String] = [], after former: FileVersion?) throws {
        let bytes = try DocumentCoding.encode(File(list, leaving: people))
        guard bytes.count <= PeopleList.maximumBytes else {
            throw HostError.classList(
                "the class list", reason: "it would have more than \(PeopleList.maximumBytes) bytes")
        }
        guard try files.replace(HostLayout.peopleList, bytes, former: former) else { throw HostError.peopleChanged }
        if !people.isEmpty { _ = try settled() }
    }
}
