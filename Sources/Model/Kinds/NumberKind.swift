extension QuestionRules {
    /// A number, written with a point and without spaces.
    static let number = QuestionRules(
        input: .decimal, isNormalised: true,
        answer: { question, value throws(AnswerFault) in
            let text = try question.single(value)
            switch WrittenNumber(text) {
            case .number(let plain): return Answer(questionId: question.id, value: .one(plain))
            case .ambiguous(let fraction, let whole):
                throw AnswerFault(
                    questionId: question.id, reason: .ambiguousNumber(text, fraction: fraction, whole: whole))
            case .none:
                if text.allSatisfy(\.isWhitespace) { return Answer(questionId: question.id, value: .one("")) }
                throw AnswerFault(questionId: question.id, reason: .notNumber(text))
            }
        },
        keyFault: { texts, _ in
            guard let text = texts.first(where: { WrittenNumber.value(of: $0) == nil }) else { return nil }
            return "“\(text.prefix(60))” is not a clear number"
        },
        isRight: { isOne(of: $1, $0, isSameNumber) })

    private static func isSameNumber(_ left: String, _ right: String) -> Bool {
        guard let first = WrittenNumber.value(of: left), let second = WrittenNumber.value(of: right) else {
            return AnswerText.isSame(left, right)
        }
        return first == second
    }
}
