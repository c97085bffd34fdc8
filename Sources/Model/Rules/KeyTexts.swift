/// What a key says to an answer, in one more language.
package struct KeyTexts: Hashable, Sendable {
    /// To the accepted answer that was given.
    package var feedback: String?
    /// To the question.
    package var explanation: String?
    package var otherMembers: [String: JSONValue] = [:]

    package init(feedback: String? = nil, explanation: String? = nil) {
        self.feedback = feedback
        self.explanation = explanation
    }
}

extension KeyTexts: Codable {
    private enum Key: String, CodingKey, CaseIterable { case feedback, explanation }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        feedback = try container.decodeIfPresent(String.self, forKey: .feedback)
        explanation = try container.decodeIfPresent(String.self, forKey: .explanation)
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encodeIfPresent(feedback, forKey: .feedback)
        try container.encodeIfPresent(explanation, forKey: .explanation)
    }

    /// Texts by their tags; none where the member has another form, which older programs kept as one they did not know.
    static func translations<Key: CodingKey>(in container: KeyedDecodingContainer<Key>, _ key: Key) -> [String: Self] {
        (try? container.decodeIfPresent([String: Self].self, forKey: key)) ?? [:]
    }
}

extension QuestionKey {
    /// The feedback of accepted answers together.
    ///
    /// - Parameters:
    ///   - places: those of the accepted answers.
    ///   - separator: what stands between two of them.
    /// - Returns: the text of the document, and those of other languages by their tags; what is not translated stays as the document has it.
    package func feedback(at places: [Int], separator: String) -> (text: String?, translations: [String: String]) {
        let met = places.map { accept[$0] }
        func joined(_ texts: [String]) -> String? { texts.isEmpty ? nil : texts.joined(separator: separator) }
        let tags = Set(met.flatMap { $0.translations.filter { $0.value.feedback != nil }.keys })
        let translations = tags.map { tag in
            (tag, met.compactMap { $0.translations[tag]?.feedback ?? $0.feedback }.joined(separator: separator))
        }
        return (joined(met.compactMap(\.feedback)), Dictionary(uniqueKeysWithValues: translations))
    }
}

extension Evaluation.QuestionEvaluation {
    /// The same with the texts of the key in a language.
    package func shown(in tag: String?) -> Self {
        guard let tag, let texts = translations[tag] else { return self }
        var shown = self
        shown.feedback = texts.feedback ?? feedback
        shown.explanation = texts.explanation ?? explanation
        return shown
    }
}
