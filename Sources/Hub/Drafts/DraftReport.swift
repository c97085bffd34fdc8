import Model
import WireFormat

/// What the hub holds of drafts, for its status page: numbers, and names only where it shows the class list to its room.
struct DraftReport: Sendable, Encodable {
    struct Person: Sendable, Encodable {
        var id, name: String
        var group: String?
        var drafts: Int
    }

    var drafts: Int
    /// How many people they are of.
    var people: Int
    var bytes: Int64
    /// Those of the class list who have drafts here.
    var persons: [Person]?

    /// - Parameter list: `nil` where no names are shown.
    init(_ summary: DraftStore.Summary, names list: PeopleList?) {
        drafts = summary.drafts
        people = summary.people
        bytes = summary.bytes
        persons = list?.people.compactMap { person in
            let count = summary.byPerson[HubLayout.folderName(ofPerson: person.id)] ?? 0
            return count > 0 ? Person(id: person.id, name: person.name, group: person.group, drafts: count) : nil
        }
    }
}
