/// The members of a JSON object that a type has no field for. They are kept, so that additions by a newer program or a
/// person survive a save.
package enum UnknownMembers {
    /// Reads every member whose name is not among `known`.
    package static func decode(
        from decoder: any Decoder, known: [some CodingKey]
    ) throws -> [String: JSONValue] {
        let names = known.map { $0.stringValue }
        // Each answer of a test asks for them, and nearly all have none.
        if let decoder = decoder as? DocumentDecoder { return try decoder.members(except: names) }
        let container = try decoder.container(keyedBy: AnyKey.self)
        var members: [String: JSONValue] = [:]
        for key in container.allKeys where !names.contains(key.stringValue) {
            members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return members
    }

    /// Writes the members. Call it before the known ones are written, which win where a name occurs twice.
    package static func encode(_ members: [String: JSONValue], to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in members { try container.encode(value, forKey: AnyKey(name)) }
    }
}
