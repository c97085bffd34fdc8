/// Who takes a test: typed on the device or chosen from a list.
package struct Person: Hashable, Sendable {
    /// A test belongs to the person with this id, whatever their name is by now.
    package var id: String
    package var name: String
    /// The class or group, which distinguishes people of one name.
    package var group: String?
    package var otherFields: [String: JSONValue]

    package init(id: String, name: String, group: String? = nil) {
        self.id = id
        self.name = name
        self.group = group
        otherFields = [:]
    }

    /// The person as tests and lists name them, without members of other programs.
    package var reference: Person { Person(id: id, name: name, group: group) }

    /// The name, with the group where there is one: “Ada Lovelace (7b)”.
    package var fullName: String { group.map { "\(name) (\($0))" } ?? name }

    /// Longer ids, names and groups are refused.
    package static let maximumBytes = 400

    /// Why a text cannot be an id, a name or a group; `nil` if it can.
    package static func fault(in text: String) -> String? {
        if text.allSatisfy(\.isWhitespace) { return "is empty" }
        if text.utf8.count > maximumBytes { return "is longer than \(maximumBytes) bytes" }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "has a line break or another control character"
        }
        return nil
    }
}

extension Person: Codable {
    private enum Key: String, CodingKey, CaseIterable { case id, name, group }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        name = try container.decode(String.self, forKey: .name)
        group = try container.decodeIfPresent(String.self, forKey: .group)
        for (key, text) in [(Key.id, id), (.name, name), (.group, group)] {
            guard let fault = text.flatMap(Self.fault) else { continue }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: fault)
        }
        otherFields = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherFields, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(group, forKey: .group)
    }
}
