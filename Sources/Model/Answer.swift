/// An answer to one question.
///
/// The text is what the person chose or wrote; for a choice the place among the options is kept too, since two
/// options may have the same text.
public struct Answer: Hashable, Sendable {
    public enum Value: Hashable, Sendable {
        case one(String)
        case several([String])
    }

    public var questionId: String
    public var value: Value
    /// Places among the question's options, counted from 0; empty for text and numbers.
    public var optionIndexes: [Int]

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

    /// Nothing chosen and nothing written. An option counts even where its text is only spaces.
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
        // First what it nearly always is: a failed attempt takes longer than all the others.
        if let text = try? container.decode(String.self) {
            self = .one(text)
        } else if let texts = try? container.decode([String].self) {
            self = .several(texts)
        } else if let number = try? container.decode(Int64.self) {
            self = .one(String(number))
        } else if let number = try? container.decode(Double.self) {
            self = .one(String(number))
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

/// Why something is not an answer to a question.
public struct AnswerFault: DescribedError, Equatable {
    public let questionId: String
    public let reason: String

    public init(questionId: String, reason: String) {
        self.questionId = questionId
        self.reason = reason
    }

    public var description: String { "question “\(questionId)”: \(reason)" }
}

extension Question {
    /// Takes what a person or a script gave and makes it an answer to this question.
    ///
    /// Options are matched by their text: to the letter first, then as search sees them.
    ///
    /// - Throws: `AnswerFault` when it is no option, not a number, or several where one belongs.
    public func answer(_ value: Answer.Value) throws(AnswerFault) -> Answer {
        switch kind {
        case .text:
            return Answer(questionId: id, value: .one(try single(value)))
        case .number:
            let text = try single(value)
            switch WrittenNumber(text) {
            case .number(let plain): return Answer(questionId: id, value: .one(plain))
            case .ambiguous(let fraction, let whole):
                throw AnswerFault(
                    questionId: id,
                    reason: "“\(text.prefix(40))” may mean \(fraction) or \(whole): write \(whole) or \(fraction)")
            case .none:
                if text.allSatisfy(\.isWhitespace) { return Answer(questionId: id, value: .one("")) }
                throw AnswerFault(questionId: id, reason: "“\(text.prefix(40))” is not a number")
            }
        case .choice:
            let text = try single(value)
            if text.isEmpty { return Answer(questionId: id, value: .one("")) }
            let index = try optionIndex(of: text, except: [])
            return Answer(questionId: id, value: .one(options[index]), optionIndexes: [index])
        case .choices:
            var indexes: [Int] = []
            let texts: [String] = if case .several(let all) = value { all } else { [try single(value)] }
            for text in texts where !text.isEmpty { indexes.append(try optionIndex(of: text, except: indexes)) }
            return answer(choosing: indexes)
        }
    }

    /// The answer made of the options at these places.
    public func answer(choosing indexes: [Int]) -> Answer {
        let places = Set(indexes).filter(options.indices.contains).sorted()
        let texts = places.map { options[$0] }
        return Answer(
            questionId: id, value: kind == .choices ? .several(texts) : .one(texts.first ?? ""), optionIndexes: places)
    }

    private func single(_ value: Answer.Value) throws(AnswerFault) -> String {
        switch value {
        case .one(let text): return text
        case .several(let texts):
            guard texts.count <= 1 else {
                throw AnswerFault(questionId: id, reason: "takes one answer, and \(texts.count) were given")
            }
            return texts.first ?? ""
        }
    }

    private func optionIndex(of text: String, except taken: [Int]) throws(AnswerFault) -> Int {
        let free = options.indices.filter { !taken.contains($0) }
        if let exact = free.first(where: { options[$0].utf8.elementsEqual(text.utf8) }) { return exact }
        if let equivalent = free.first(where: { options[$0] == text }) { return equivalent }
        let wanted = TextFolding.fold(text)
        let similar = free.filter { !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted }
        if similar.count == 1, let index = similar.first { return index }
        let isTwice = taken.contains {
            options[$0] == text || !wanted.isEmpty && TextFolding.fold(options[$0]) == wanted
        }
        throw AnswerFault(
            questionId: id,
            reason: "“\(text.prefix(60))” is " + (isTwice ? "given more than once" : "not one of its options"))
    }
}
