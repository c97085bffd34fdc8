/// An answer to one question.
///
/// The text is what the person chose or wrote. A choice also keeps its index among the options, since two options may
/// have the same text.
public struct Answer: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case one(String)
        case several([String])
    }

    public var questionId: String
    public var value: Value
    /// Indexes among the question's options, from 0; empty for text and numbers.
    package var optionIndexes: [Int]

    public init(questionId: String, value: Value, optionIndexes: [Int] = []) {
        self.questionId = questionId
        self.value = value
        self.optionIndexes = optionIndexes
    }

    public var texts: [String] {
        switch value {
        case .one(let text): [text]
        case .several(let texts): texts
        }
    }

    /// Nothing chosen and nothing written. A chosen option counts even if its text is only spaces.
    public var isBlank: Bool { optionIndexes.isEmpty && texts.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
}

extension Answer: Codable {
    private enum Key: String, CodingKey { case questionId, answer, optionIndexes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        questionId = try container.decode(String.self, forKey: .questionId)
        value = try container.decode(Value.self, forKey: .answer)
        optionIndexes = try container.decodeIfPresent([Int].self, forKey: .optionIndexes) ?? []
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(questionId, forKey: .questionId)
        try container.encode(value, forKey: .answer)
        if !optionIndexes.isEmpty { try container.encode(optionIndexes, forKey: .optionIndexes) }
    }
}

extension Answer.Value: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The most frequent type first: a failed attempt takes longer than all the others.
        if let text = try? container.decode(String.self) {
            self = .one(text)
        } else if let texts = try? container.decode([String].self) {
            self = .several(texts)
        } else if let number = try? container.decode(Int64.self) {
            self = .one(String(number))
        } else if let number = try? container.decode(Double.self) {
            // As it is written where a Double would round it.
            self = .one((decoder as? DocumentDecoder)?.longNumber ?? String(number))
        } else {
            self = .one(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .one(let text): try container.encode(text)
        case .several(let texts): try container.encode(texts)
        }
    }
}

/// The reason why a value does not answer a question.
public struct AnswerFault: DescribedError, Equatable {
    public let questionId: String
    public let reason: String

    public init(questionId: String, reason: String) {
        self.questionId = questionId
        self.reason = reason
    }

    public var description: String { "question “\(questionId)”: \(reason)" }
}
