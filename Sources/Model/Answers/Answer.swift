/// An answer to one question.
///
/// The text is what the person chose or wrote. A choice also keeps its index among the options, since two options may
/// have the same text.
public struct Answer: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case one(String)
        case several([String])
        /// A step of a scale.
        case number(Double)
        /// Yes or no.
        case truth(Bool)
        /// Answers of the rows or gaps of a question, by their names.
        case object([String: JSONValue])
    }

    /// The question. Of a repeated section, with the number of the instance, as ``Questionnaire/question(_:)`` finds it.
    public var questionId: String
    public var value: Value
    /// Indexes among the question's options, from 0; empty for text and numbers.
    package var optionIndexes: [Int]
    /// Members that this version does not know.
    package var otherMembers: [String: JSONValue] = [:]

    public init(questionId: String, value: Value, optionIndexes: [Int] = []) {
        self.questionId = questionId
        self.value = value
        self.optionIndexes = optionIndexes
    }

    public var texts: [String] { value.texts }

    /// Nothing chosen and nothing written. A chosen option counts even if its text is only spaces.
    public var isBlank: Bool { optionIndexes.isEmpty && value.isBlank }
}

extension Answer: Codable {
    private enum Key: String, CodingKey, CaseIterable { case questionId, answer, optionIndexes, instance }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        questionId = try container.decode(String.self, forKey: .questionId)
        value = try container.decode(Value.self, forKey: .answer)
        optionIndexes = try container.decodeIfPresent([Int].self, forKey: .optionIndexes) ?? []
        otherMembers = try UnknownMembers.decode(from: decoder, known: Key.allCases)
        // A number that is none is another program's own member.
        if let number = try? container.decodeIfPresent(Int.self, forKey: .instance), number > 0 {
            questionId = QuestionInstance(question: questionId, number: number).id
        } else if container.contains(.instance) {
            otherMembers["instance"] = try container.decode(JSONValue.self, forKey: .instance)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try UnknownMembers.encode(otherMembers, to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        let place = QuestionInstance(questionId)
        try container.encode(place.question, forKey: .questionId)
        try container.encodeIfPresent(place.number, forKey: .instance)
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
            self = Int64(exactly: Double(number)) == number ? .number(Double(number)) : .one(String(number))
        } else if let number = try? container.decode(Double.self) {
            // As it is written where a Double would round it.
            self = (decoder as? DocumentDecoder)?.longNumber.map(Self.one) ?? .number(number)
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else {
            self = .one(try container.decode(String.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .one(let text): try container.encode(text)
        case .several(let texts): try container.encode(texts)
        case .number(let number): try container.encode(number)
        case .truth(let truth): try container.encode(truth)
        case .object(let members): try container.encode(members)
        }
    }
}

extension Answer.Value {
    /// Nothing but white space, or an object whose members are all blank.
    var isBlank: Bool {
        if case .object(let members) = self {
            members.values.allSatisfy { json in Answer.Value(json: json)?.isBlank ?? (json == .null) }
        } else {
            texts.allSatisfy { $0.allSatisfy(\.isWhitespace) }
        }
    }
}

/// A value does not answer a question. Its sentence is in QuireWording.
public struct AnswerFault: Error, Equatable {
    public let questionId: String
    package let reason: Reason

    package init(questionId: String, reason: Reason) {
        self.questionId = questionId
        self.reason = reason
    }

    /// Why it does not.
    package enum Reason: Hashable, Sendable {
        /// An answer that a test cannot be finished with.
        case problem(AnswerProblem, Question)

        case severalAnswers(Int)
        case objectGiven
        /// The text is none of the options.
        case notOption(String)
        case optionTwice(String)
        /// The text is none of the options, or one that was given before.
        case notOptionLeft(String)
        case notNumber(String)
        case ambiguousNumber(String, fraction: String, whole: String)
        case notMoment(String, WrittenDate.Order.Form)
        case ambiguousMoment(String, readings: [String])
        /// An object does not name a place.
        case notLocation
        /// A ranking needs all options in order.
        case notRanking
        /// A value where files are attached, to the question of this id.
        case notFile(question: String)
        /// A note has no answer.
        case takesNoAnswer

        /// An object with an answer for each row or gap was expected.
        case notParts(Part)
        case noPart(Part, String)
        case partTwice(Part, String)
        case notTexts
        /// The reason about one row or gap.
        indirect case inPart(Part, String, Reason)

        /// The questionnaire has no such question.
        case noQuestion(questionnaire: String?)
        case tooManyInstances(section: String, most: Int)
        case answeredTwice
        case tooManyFiles(most: Int)
        case otherFileType(name: String, mediaType: String, accepted: [String])
        /// The question shows no file of this name.
        case noShownFile(String)
    }

    /// The parts of a structured answer.
    package enum Part: String, Hashable, Sendable {
        case row, gap
    }
}
