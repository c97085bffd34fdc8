/// A part of a questionnaire: questions with a passage in common, a condition, a pool, or an instance for each of several.
package struct Section: Hashable, Sendable {
    package var id: String
    package var title: String?
    /// A passage that its questions share.
    package var text: String?
    package var media: [Media]
    /// The ids of its questions, in order.
    package var questions: [String]
    package var condition: Condition?
    /// How many of its questions a test draws.
    package var pick: Int?
    package var repetition: Repetition?
    /// Which instance of a repeated section it is, in a questionnaire as a test shows it; `nil` in the document itself.
    package var instance: Instance?
    package var otherMembers: [String: JSONValue]

    /// Asked once for each instance.
    package struct Repetition: Hashable, Sendable {
        package var min: Int?
        package var max: Int?
        /// What an instance is called.
        package var label: String?
        package var otherMembers: [String: JSONValue] = [:]

        package init(min: Int? = nil, max: Int? = nil, label: String? = nil) {
            self.min = min
            self.max = max
            self.label = label
        }
    }

    package init(
        id: String, title: String? = nil, text: String? = nil, media: [Media] = [], questions: [String],
        condition: Condition? = nil, pick: Int? = nil, repetition: Repetition? = nil
    ) {
        self.id = id
        self.title = title
        self.text = text
        self.media = media
        self.questions = questions
        self.condition = condition
        self.pick = pick
        self.repetition = repetition
        otherMembers = [:]
    }
}

extension Section: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case id, title, text, media, questions, condition, pick
        case repetition = "repeat"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        text = try container.decodeIfPresent(String.self, forKey: .text)
        media = try container.decodeIfPresent([Media].self, forKey: .media) ?? []
        questions = try container.decodeIfPresent([String].self, forKey: .questions) ?? []
        condition = try container.decodeIfPresent(Condition.self, forKey: .condition)
        pick = try container.decodeIfPresent(Int.self, forKey: .pick)
        repetition = try container.decodeIfPresent(Repetition.self, forKey: .repetition)
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(text, forKey: .text)
        if !media.isEmpty { try container.encode(media, forKey: .media) }
        try container.encode(questions, forKey: .questions)
        try container.encodeIfPresent(condition, forKey: .condition)
        try container.encodeIfPresent(pick, forKey: .pick)
        try container.encodeIfPresent(repetition, forKey: .repetition)
    }
}

extension Section.Repetition: Codable {
    private enum Key: String, CodingKey, CaseIterable { case min, max, label }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        min = try container.decodeIfPresent(Int.self, forKey: .min)
        max = try container.decodeIfPresent(Int.self, forKey: .max)
        label = try container.decodeIfPresent(String.self, forKey: .label)
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(min, forKey: .min)
        try container.encodeIfPresent(max, forKey: .max)
        try container.encodeIfPresent(label, forKey: .label)
    }
}
