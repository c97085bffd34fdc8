/// What a questionnaire shows in an order of each test's own.
package struct Shuffle: Hashable, Sendable {
    package var questions: Bool
    package var options: Bool
    package var otherMembers: [String: JSONValue] = [:]

    package init(questions: Bool = false, options: Bool = false) {
        self.questions = questions
        self.options = options
    }
}

extension Shuffle: Codable {
    private enum Key: String, CodingKey, CaseIterable { case questions, options }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        questions = try container.decodeIfPresent(Bool.self, forKey: .questions) ?? false
        options = try container.decodeIfPresent(Bool.self, forKey: .options) ?? false
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        if questions { try container.encode(questions, forKey: .questions) }
        if options { try container.encode(options, forKey: .options) }
    }
}
