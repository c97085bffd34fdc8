import Model
import OutboxStore

/// How a person becomes the current one, and which tests are theirs.
extension People {
    /// Adds a person, or changes one, and makes them the current one.
    ///
    /// - Parameters:
    ///   - id: without one, the person of this name; where there is none, a new one with an id of their own.
    ///   - group: `nil` leaves the group as it is, an empty text removes it.
    ///   - pin: what was typed as their PIN.
    ///   - isProven: they proved themselves with their code, and no PIN is asked for.
    /// - Throws: `PersonError.invalid`, `.ambiguous`, and of a person with a PIN as `PersonPINs.check`.
    @discardableResult
    package func set(
        name: String, id: String? = nil, group: String? = nil, pin: String? = nil, isProven: Bool = false
    ) throws -> Person {
        var name = name.trimmed
        let group = group?.trimmed
        for (field, text) in [("name", name), ("id", id), ("group", group == "" ? nil : group)] {
            guard let text, let reason = Person.fault(in: text) else { continue }
            throw PersonError.invalid(field: field, text: text, reason: reason)
        }
        let known = try known()
        var former: Person?
        if let id {
            former = try known.first { $0.id == id } ?? classList.current()?.people.first { $0.id == id }
        } else {
            let named = known.filter { $0.name == name && (group == nil || ($0.group ?? "") == group) }
            if named.count > 1 { throw PersonError.ambiguous(name, named) }
            former = try named.first ?? classList.person(name: name, group: group)
            // As the list writes it.
            if named.isEmpty, let former { name = former.name }
        }
        if former == nil, !isProven { try classList.check(Person(id: id ?? "", name: name)) }
        var person = former ?? Person(id: id ?? TestID.random().description, name: name)
        if isProven { try pins.forgive(person) } else { try unlock(person, pin: pin) }
        person.name = name
        if let group { person.group = group.isEmpty ? nil : group }
        try save(person)
        try use(person)
        return person
    }

    /// Makes a known person the current one.
    ///
    /// - Parameters:
    ///   - text: an id, its first characters, or a name, of the people here or on the class list.
    ///   - pin: what was typed as their PIN.
    /// - Throws: `PersonError.unknown`, `.ambiguous`, and of a person with a PIN as `PersonPINs.check`.
    @discardableResult
    package func use(named text: String, pin: String? = nil) throws -> Person {
        let person = try person(named: text)
        try unlock(person, pin: pin)
        // One who is known by their tests alone gets a file.
        if try !state().people.contains(where: { $0.id == person.id }) { try save(person) }
        try use(person)
        return person
    }

    /// The person whom a text means.
    ///
    /// - Throws: `PersonError.unknown`, `.ambiguous`.
    func person(named text: String) throws -> Person {
        var known = try known()
        let ids = Set(known.map(\.id))
        known += try classList.current()?.people.filter { !ids.contains($0.id) } ?? []
        var found = known.filter { $0.id == text }
        if found.isEmpty { found = known.filter { $0.name == text } }
        let folded = TextFolding.fold(text)
        if found.isEmpty, !folded.isEmpty { found = known.filter { TextFolding.fold($0.name) == folded } }
        if found.isEmpty, text.count >= DraftLookup.shortestPrefix { found = known.filter { $0.id.hasPrefix(text) } }
        if found.count > 1 { throw PersonError.ambiguous(text, found) }
        guard let person = found.first else { throw PersonError.unknown(text) }
        return person
    }

    /// Makes a draft without a person the current person's.
    ///
    /// - Throws: `PersonError.noneCurrent`, `OtherPersonsTest`, `OutboxError.frozen`.
    @discardableResult
    package func claim(_ id: TestID) throws -> StoredTest {
        guard let person = try current() else { throw PersonError.noneCurrent }
        return try outbox.edits.update(id) { record in
            if let owner = record.person, owner.id != person.id { throw OtherPersonsTest(test: id, owner: owner) }
            if record.person == nil { record.person = person }
            // A member of another form gives way.
            record.otherFields["person"] = nil
        }
    }

    /// The item with this id prefix, as `Outbox.find(prefix:)`, unless it is a test of another person.
    package func item(prefix: String) throws -> OutboxItem {
        let item = try outbox.find(prefix: prefix)
        if item.kind == .test, try shown().isShared, let record = outbox.listed(item)?.record {
            try checkShown(record)
        }
        return item
    }

    /// - Throws: `OtherPersonsTest` for a test of a person who is not the current one.
    package func checkShown(_ record: TestRecord) throws {
        guard let owner = record.person, try !shown().includes(record) else { return }
        throw OtherPersonsTest(test: record.id, owner: owner)
    }
}
