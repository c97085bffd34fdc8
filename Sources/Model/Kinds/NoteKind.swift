extension QuestionRules {
    /// Instructions: there is nothing to answer.
    static let note = QuestionRules(
        input: .nothing,
        answer: { question, value throws(AnswerFault) in
            let answer = Answer(questionId: question.id, value: value)
            if answer.isBlank { return answer }
            throw AnswerFault(questionId: question.id, reason: .takesNoAnswer)
        },
        keyFault: { _, _ in "is a note, which takes no answer" }, isRight: { _, _ in false })
}
