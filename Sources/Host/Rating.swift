import Model

/// Rating a test by an answer key: a function of values, the same wherever it is computed.
public enum Rating {
    /// Compares the answers with the key, question by question.
    ///
    /// A question without a key gets no verdict and does not count; one with a key that was not answered is wrong.
    /// The score is the number of right answers, the maximum the number of questions with a key.
    ///
    /// - Returns: `nil` when no question of the questionnaire has a key, so that there is nothing to rate by.
    public static func evaluate(
        _ answers: [Answer], to questionnaire: Questionnaire, by key: AnswerKey, at time: Timestamp
    ) -> Evaluation? {
        let given = Dictionary(answers.map { ($0.questionId, $0) }, uniquingKeysWith: { first, _ in first })
        let verdicts = questionnaire.questions.map { question in
            Evaluation.QuestionEvaluation(
                questionId: question.id,
                correct: key.answers[question.id].map { isRight(given[question.id], to: question, expected: $0) })
        }
        let counted = verdicts.compactMap(\.correct)
        if counted.isEmpty { return nil }
        return Evaluation(
            score: Double(counted.count { $0 }), maximum: Double(counted.count), ratedAt: time, ratedBy: keyName,
            questions: verdicts)
    }

    /// Who rated, when it was the key.
    public static let keyName = "key"

    /// Whether an answer is the expected one.
    ///
    /// Several choices must be exactly the expected ones, in any order. Where one answer belongs and the key names
    /// several, each of them is right.
    static func isRight(_ answer: Answer?, to question: Question, expected: Answer.Value) -> Bool {
        guard let answer, !answer.isBlank else { return false }
        let accepted = expected.texts
        switch question.kind {
        case .choices: return counts(answer.texts) == counts(accepted)
        case .choice: return accepted.contains { isSame(answer, $0, ==) }
        case .text: return accepted.contains { isSame(answer, $0, isSameText) }
        case .number: return accepted.contains { isSame(answer, $0, isSameNumber) }
        }
    }

    private static func isSame(_ answer: Answer, _ expected: String, _ compare: (String, String) -> Bool) -> Bool {
        guard answer.texts.count == 1, let text = answer.texts.first else { return false }
        return compare(text, expected)
    }

    private static func isSameText(_ left: String, _ right: String) -> Bool {
        if left == right { return true }
        let folded = TextFolding.foldedBytes(left)
        // Texts of nothing but punctuation fold to nothing, and all of them would be the same.
        return !folded.isEmpty && folded == TextFolding.foldedBytes(right)
    }

    private static func isSameNumber(_ left: String, _ right: String) -> Bool {
        guard let first = number(left), let second = number(right) else { return isSameText(left, right) }
        return first == second
    }

    /// A decimal comma is read as a point.
    private static func number(_ text: String) -> Double? {
        let compact = text.filter { !$0.isWhitespace }.map { $0 == "," ? "." : $0 }
        return Double(String(compact)).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func counts(_ texts: [String]) -> [String: Int] {
        texts.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}

extension Answer.Value {
    fileprivate var texts: [String] {
        switch self {
        case .one(let text): [text]
        case .several(let texts): texts
        }
    }
}
