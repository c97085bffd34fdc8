import Model

/// The people of a host: its class lists, as its file has them and as `GET` of `APIPath.people` sends them. It never
/// contains a code.
package struct PeopleList: Hashable, Sendable, Codable {
    /// In the order of their groups and names.
    package private(set) var people: [Person]
    /// `false` where only people of the list may take tests on its devices; without it names may be typed.
    package var typedNames: Bool?

    package init(_ people: some Sequence<Person> = [], typedNames: Bool? = nil) {
        self.typedNames = typedNames
        self.people = people.sorted { ($0.group ?? "", $0.name, $0.id) < ($1.group ?? "", $1.name, $1.id) }
    }

    package subscript(id id: String) -> Person? { people.first { $0.id == id } }

    /// Those of a group; all of them without one.
    package func members(of group: String?) -> [Person] {
        group.map { wanted in people.filter { $0.group == wanted } } ?? people
    }

    /// What a key sees of it: its own person alone where it belongs to one, and no members of other programs.
    package func shown(to boundPerson: String?) -> PeopleList {
        PeopleList(
            people.filter { boundPerson == nil || $0.id == boundPerson }.map(\.reference), typedNames: typedNames)
    }

    /// A longer one is refused.
    package static let maximumBytes = 4 << 20
}
