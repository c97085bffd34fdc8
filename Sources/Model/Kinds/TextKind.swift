extension QuestionRules {
    /// Free text, kept as it was written.
    static let text = QuestionRules(
        input: .text,
        answer: { question, value throws(AnswerFault) in
            Answer(questionId: question.id, value: .one(try question.single(value)))
        },
        keyFault: { texts, _ in
            guard texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) else { return nil }
            return "is blank: name the right answer, or leave the question out of the key"
        },
        isRight: { isOne(of: $1, $0, AnswerText.isSame) })

    /// A kind that this program does not ask as such.
    static let askedAsText: QuestionRules = {
        var rules = text
        rules.isAsked = false
        return rules
    }()
}

extension Question {
    /// Whether the answer is written on one line, as the author asks for.
    package var isOneLine: Bool { kind == .text && multiline == false }
}
