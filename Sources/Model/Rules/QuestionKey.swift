/// The key of one question: accepted answers with their points, in the author's order.
///
///     {"accept": [{"value": "Paris", "feedback": "Yes.", "translations": {"fr": {"feedback": "Oui."}}},
///                 {"pattern": "Par.s", "points": 0.5}],
///      "explanation": "…", "translations": {"fr": {"explanation": "…"}}}
///
/// Translations stand here and not in those of the document, which takers have before they answer.
package struct QuestionKey: Hashable, Sendable {
    package struct Acceptance: Hashable, Sendable {
        package enum Match: Hashable, Sendable {
            case value(JSONValue)
            case pattern(String)
        }

        package var match: Match
        /// What the answer is worth; the question's maximum where nothing is stated.
        package var points: Double?
        package var feedback: String?
        /// The feedback in other languages, by their tags.
        package var translations: [String: KeyTexts] = [:]
        package var otherMembers: [String: JSONValue] = [:]

        package init(_ match: Match, points: Double? = nil, feedback: String? = nil) {
            self.match = match
            self.points = points
            self.feedback = feedback
        }
    }

    /// How free texts are compared.
    package enum Comparison: String, Hashable, Sendable, Codable {
        /// As `AnswerText` does: without regard to case and accents, with regard to signs, digits and symbols.
        case folded
        /// To the letter, apart from spaces around the text.
        case exact
    }

    package var accept: [Acceptance]
    /// How far a number may be from the accepted one.
    package var tolerance: JSONValue?
    /// Whether an answer that is right in part gets a part of the points; by default only where a kind has parts: matching,
    /// matrix, gaps.
    package var partial: Bool?
    package var comparison: Comparison
    /// Whether the points of a question may be below 0.
    package var belowZero: Bool
    package var explanation: String?
    /// The explanation in other languages, by their tags.
    package var translations: [String: KeyTexts] = [:]
    package var otherMembers: [String: JSONValue]

    package init(
        accept: [Acceptance], tolerance: JSONValue? = nil, partial: Bool? = nil, comparison: Comparison = .folded,
        belowZero: Bool = false, explanation: String? = nil
    ) {
        self.accept = accept
        self.tolerance = tolerance
        self.partial = partial
        self.comparison = comparison
        self.belowZero = belowZero
        self.explanation = explanation
        otherMembers = [:]
    }
}

extension QuestionKey: Codable {
    private enum Key: String, CodingKey, CaseIterable {
        case accept, tolerance, partial, comparison, belowZero, explanation, translations
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        accept = try container.decodeIfPresent([Acceptance].self, forKey: .accept) ?? []
        tolerance = try container.decodeIfPresent(JSONValue.self, forKey: .tolerance)
        if let tolerance {
            guard RuleValue.isNumber(tolerance), let number = DecimalNumber(tolerance), number >= .zero else {
                throw DecodingError.dataCorruptedError(
                    forKey: .tolerance, in: container, debugDescription: "is not a number from 0")
            }
        }
        partial = try container.decodeIfPresent(Bool.self, forKey: .partial)
        comparison = try container.decodeIfPresent(Comparison.self, forKey: .comparison) ?? .folded
        belowZero = try container.decodeIfPresent(Bool.self, forKey: .belowZero) ?? false
        explanation = try container.decodeIfPresent(String.self, forKey: .explanation)
        let texts = KeyTexts.translations(in: container, .translations)
        translations = texts
        otherMembers = try UnknownMembers.decode(
            from: decoder, known: Key.allCases.filter { $0 != .translations || !texts.isEmpty })
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(accept, forKey: .accept)
        try container.encodeIfPresent(tolerance, forKey: .tolerance)
        try container.encodeIfPresent(partial, forKey: .partial)
        if comparison != .folded { try container.encode(comparison, forKey: .comparison) }
        if belowZero { try container.encode(belowZero, forKey: .belowZero) }
        try container.encodeIfPresent(explanation, forKey: .explanation)
        if !translations.isEmpty { try container.encode(translations, forKey: .translations) }
    }
}

extension QuestionKey.Acceptance: Codable {
    private enum Key: String, CodingKey, CaseIterable { case value, pattern, points, feedback, translations }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let hasValue = container.contains(.value)
        guard hasValue != container.contains(.pattern) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: hasValue ? "has both “value” and “pattern”" : "needs “value” or “pattern”"))
        }
        match =
            hasValue
            ? .value(try container.decode(JSONValue.self, forKey: .value))
            : .pattern(try container.decode(String.self, forKey: .pattern))
        points = try container.decodeIfPresent(Double.self, forKey: .points)
        if let points, !points.isFinite || abs(points) > AnswerKey.mostPoints {
            throw DecodingError.dataCorruptedError(
                forKey: .points, in: container, debugDescription: "is not a number of points")
        }
        feedback = try container.decodeIfPresent(String.self, forKey: .feedback)
        let texts = KeyTexts.translations(in: container, .translations)
        translations = texts
        otherMembers = try UnknownMembers.decode(
            from: decoder, known: Key.allCases.filter { $0 != .translations || !texts.isEmpty })
    }

    package func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        switch match {
        case .value(let value): try container.encode(value, forKey: .value)
        case .pattern(let pattern): try container.encode(pattern, forKey: .pattern)
        }
        try container.encodeIfPresent(points, forKey: .points)
        try container.encodeIfPresent(feedback, forKey: .feedback)
        if !translations.isEmpty { try container.encode(translations, forKey: .translations) }
    }
}
