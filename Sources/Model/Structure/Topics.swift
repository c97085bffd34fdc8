/// What a questionnaire is about, for lists and filters: `subject`, `tags` and `level`.
package struct Topics: Hashable, Sendable {
    package var subject: String?
    package var tags: [String] = []
    /// A class, a year or a grade of difficulty, in the author's words.
    package var level: String?

    package init() {}

    /// All of them as a person reads them: the subject, the level, the tags.
    package var words: [String] { [subject, level].compactMap(\.self) + tags }

    /// Whether one is the subject or a tag, whatever its case and accents.
    package func has(subject wanted: String) -> Bool {
        let wanted = TextFolding.fold(wanted)
        return ([subject].compactMap(\.self) + tags).contains { TextFolding.fold($0) == wanted }
    }

    package func has(level wanted: String) -> Bool {
        level.map { TextFolding.fold($0) == TextFolding.fold(wanted) } ?? false
    }
}

extension Topics: Codable {
    private enum Key: String, CodingKey { case subject, tags, level }

    /// A member of another type is the author's own; a level may be a number.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        func text(_ key: Key) -> String? {
            let text = (try? container.decodeIfPresent(String.self, forKey: key)) ?? nil
            return text.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
        }
        subject = text(.subject)
        level = text(.level)
        if level == nil, let number = try? container.decodeIfPresent(Int.self, forKey: .level) { level = "\(number)" }
        let tags = (try? container.decodeIfPresent([String].self, forKey: .tags)) ?? nil
        self.tags = (tags ?? []).filter { $0.contains { !$0.isWhitespace } }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(subject, forKey: .subject)
        if !tags.isEmpty { try container.encode(tags, forKey: .tags) }
        try container.encodeIfPresent(level, forKey: .level)
    }
}
