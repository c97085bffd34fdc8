/// The correct answers of a questionnaire: its members `answerKey`, `multiAnswerKey` and `key`, which never leave the host.
package struct AnswerKey: Hashable, Sendable {
    /// By question id: the correct text or number, or all the correct ones.
    package var answers: [String: Answer.Value]
    /// By question id: accepted answers with their points, of the member `key`. They win over `answers`.
    package var keys: [String: QuestionKey] = [:]
    /// The points for a question, by its id, where the questionnaire states its `points`; otherwise 1.
    package var points: [String: Double]
    /// Which of the two members holds the answer to a question, by question id.
    private var members: [String: String] = [:]

    package init(answers: [String: Answer.Value], points: [String: Double] = [:]) {
        self.answers = answers
        self.points = points
    }

    /// The members of a questionnaire that hold a key.
    package static let memberNames: Set<String> = ["answerKey", "multiAnswerKey", "key"]

    /// Reads the key out of a questionnaire; empty where it has none.
    ///
    /// - Throws: `DocumentFault` that names the member.
    package init(json: [UInt8]) throws(DocumentFault) {
        self = try DocumentCoding.decode(AnswerKey.self, from: json)
    }

    /// Reads a questionnaire as an author wrote it, with its key.
    ///
    /// - Throws: `DocumentFault`, also for a key that no answer can match and whatever else cannot be right.
    package static func checkedQuestionnaire(json: [UInt8]) throws(DocumentFault) -> Questionnaire {
        let questionnaire = try Questionnaire(json: json)
        try AnswerKey(json: json).check(for: questionnaire)
        try QuestionnaireCheck.check(json: json)
        return questionnaire
    }

    /// The most points for a question or a test, so that sums stay finite.
    package static let mostPoints = 1e9

    /// The most points that the answer to a question can get.
    package func maximum(of questionId: String) -> Double { points[QuestionInstance(questionId).question] ?? 1 }

    /// The key of a question in the member `key`; the same for each instance of its section. An explanation alone is no key: a
    /// person rates the answers.
    package func key(of questionId: String) -> QuestionKey? {
        keys[QuestionInstance(questionId).question].flatMap { $0.accept.isEmpty ? nil : $0 }
    }

    /// Why the right answer is right, for a question with a key or without one; and the same in other languages, by their tags.
    package func explanation(of questionId: String) -> (text: String?, translations: [String: String]) {
        let key = keys[QuestionInstance(questionId).question]
        return (key?.explanation, key?.translations.compactMapValues(\.explanation) ?? [:])
    }

    /// Whether no question has a key.
    package var isEmpty: Bool { answers.isEmpty && keys.values.allSatisfy(\.accept.isEmpty) }

    // MARK: Faults

    /// Checks that each answer of the key can be given.
    ///
    /// - Throws: `DocumentFault` with the place of the first one that cannot.
    package func check(for questionnaire: Questionnaire) throws(DocumentFault) {
        for (id, value) in answers.sorted(by: { $0.key < $1.key }) {
            let field = "\(members[id] ?? "answerKey").\(id)"
            guard let question = questionnaire.question(id) else {
                throw DocumentFault(field: field, reason: "is the key of a question that is not there")
            }
            if let reason = AnswerKey.fault(in: value, of: question) {
                throw DocumentFault(field: field, reason: reason)
            }
        }
    }

    /// The expected answer to a question; `nil` where the key has none that could be given.
    package func answer(to question: Question) -> Answer.Value? {
        answers[QuestionInstance(question.id).question].flatMap {
            AnswerKey.fault(in: $0, of: question) == nil ? $0 : nil
        }
    }

    private static func fault(in value: Answer.Value, of question: Question) -> String? {
        let texts = value.texts
        if texts.isEmpty { return "is empty: name the right answer, or leave the question out of the key" }
        return question.kind.keyFault(texts, in: question)
    }
}

extension AnswerKey: Decodable {
    private enum Key: String, CodingKey { case answerKey, multiAnswerKey, key, questions }

    private struct Worth: Decodable {
        var id: String?
        var points: Double?
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        answers = [:]
        points = [:]
        // The key of several answers last: it wins where a question is in both.
        for member in [Key.answerKey, Key.multiAnswerKey] {
            let values = try container.decodeIfPresent([String: Answer.Value?].self, forKey: member) ?? [:]
            for case (let question, let value?) in values {
                answers[question] = value
                members[question] = member.rawValue
            }
        }
        keys = try container.decodeIfPresent([String: QuestionKey].self, forKey: .key) ?? [:]
        for worth in try container.decodeIfPresent([Worth].self, forKey: .questions) ?? [] {
            guard let id = worth.id, let value = worth.points else { continue }
            guard value.isFinite, value >= 0, value <= AnswerKey.mostPoints else {
                throw DecodingError.dataCorruptedError(
                    forKey: .questions, in: container,
                    debugDescription: "the points of question “\(id)” must be a number from 0 to 1000000000")
            }
            points[id] = value
        }
    }
}

extension Answer.Value {
    /// The text, or all texts.
    public var texts: [String] {
        switch self {
        case .one(let text): [text]
        case .several(let texts): texts
        case .number(let number): [Self.text(number)]
        case .truth(let truth): [String(truth)]
        case .object(let members):
            members.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.text($0.value))" }
        }
    }

    /// The value as rules compare it.
    package var json: JSONValue {
        switch self {
        case .one(let text): .string(text)
        case .several(let texts): .array(texts.map(JSONValue.string))
        case .number(let number): .number(number)
        case .truth(let truth): .bool(truth)
        case .object(let members): .object(members)
        }
    }

    private static func text(_ number: Double) -> String { DecimalNumber(.number(number))?.description ?? "\(number)" }

    private static func text(_ value: JSONValue) -> String {
        if case .array(let values) = value { values.map(text).joined(separator: ", ") } else { RuleValue.text(value) }
    }
}
