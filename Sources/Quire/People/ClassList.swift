import Disk
import Model
import WireFormat

/// The people of the remote as this device fetched them last.
package struct ClassList: Hashable, Sendable, Codable {
    /// The address that it was fetched from.
    package var url: String
    /// The validator for the next conditional request.
    package var etag: String?
    package var people: [Person]
    /// `false` where only people of the list may take tests here.
    package var typedNames: Bool?

    package init(url: String, etag: String? = nil, people: [Person], typedNames: Bool? = nil) {
        self.typedNames = typedNames
        self.url = url
        self.etag = etag
        self.people = people
    }

    /// Whether names that are not on it may be typed.
    package var allowsTypedNames: Bool { typedNames != false }

    /// People whose name, group or id has each word of the text, in the order of the list.
    package func matches(_ text: String) -> [Person] {
        let words = TextFolding.fold(text).split(separator: " ")
        if words.isEmpty { return people }
        return people.filter { person in
            let folded = TextFolding.fold("\(person.name) \(person.group ?? "") \(person.id)")
            return words.allSatisfy { folded.contains($0) }
        }
    }
}
