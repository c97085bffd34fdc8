import Model
import WireFormat

/// What the import of a class list changes: a function of values, shown before it is carried out.
package struct ClassListPlan: Hashable, Sendable {
    package struct Change: Hashable, Sendable {
        package var before: Person
        package var after: Person
    }

    package let before: PeopleList
    package let after: PeopleList
    package private(set) var added: [Person] = []
    package private(set) var changed: [Change] = []
    package private(set) var removed: [Person] = []
    /// People who get the code of the file.
    package private(set) var newCodes: [ClassListFile.Row] = []
    /// Those of them whose former code is replaced.
    package private(set) var replacedCodes: [Person] = []
    package let unchanged: Int

    /// Whether someone who is in the list would be changed, lose their code, or be removed.
    package var needsConsent: Bool { !changed.isEmpty || !removed.isEmpty || !replacedCodes.isEmpty }
    package var isEmpty: Bool { added.isEmpty && newCodes.isEmpty && !needsConsent }

    /// A file is the complete list of the groups that it names: people of these groups whom it does not name are removed,
    /// unless `keepsMissing`.
    ///
    /// - Parameter codes: the digests of the valid codes of each person.
    init(_ file: ClassListFile, list: PeopleList, codes: [String: Set<Digest>], keepsMissing: Bool) {
        before = list
        var known = Dictionary(list.people.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let named = Set(file.rows.map(\.person.id))
        let groups = Set(file.rows.map(\.person.group))
        var unchanged = 0
        for row in file.rows {
            var person = row.person
            let digests = codes[person.id] ?? []
            if let code = row.code, !digests.contains(code.digest) {
                newCodes.append(row)
                if !digests.isEmpty { replacedCodes.append(person) }
            }
            if let former = known[person.id] {
                person.otherFields = former.otherFields
                if former == person { unchanged += 1 } else { changed.append(Change(before: former, after: person)) }
            } else {
                added.append(person)
            }
            known[person.id] = person
        }
        if !keepsMissing {
            removed = list.people.filter { groups.contains($0.group) && !named.contains($0.id) }
            for person in removed { known[person.id] = nil }
        }
        after = PeopleList(known.values, typedNames: list.typedNames)
        self.unchanged = unchanged
    }
}
