import Model

/// The right answers of a questionnaire: its members `answerKey` and `multiAnswerKey`, which never leave the host.
public struct AnswerKey: Hashable, Sendable {
    /// By question id: the right text or number, or all the right ones.
    public var answers: [String: Answer.Value]

    public init(answers: [String: Answer.Value]) { self.answers = answers }

    /// The members of a questionnaire that hold a key.
    public static let memberNames: Set<String> = ["answerKey", "multiAnswerKey"]

    /// Reads the key out of a questionnaire; it is empty where there is none.
    ///
    /// - Throws: `DocumentFault` that names the member.
    public init(json: [UInt8]) throws(DocumentFault) {
        self = try DocumentCoding.decode(AnswerKey.self, from: json)
    }
}

extension AnswerKey: Decodable {
    private enum Key: String, CodingKey { case answerKey, multiAnswerKey }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        answers = [:]
        // The key of several answers last: where a question stands in both, it says more.
        for member in [Key.answerKey, Key.multiAnswerKey] {
            let values = try container.decodeIfPresent([String: Answer.Value?].self, forKey: member) ?? [:]
            for case (let question, let value?) in values { answers[question] = value }
        }
    }
}
