extension QuestionRules {
    /// An option for each row.
    static let matching = parts(.rows(isMultiple: false))

    /// Questions that consist of parts: each row or gap is answered by the rules of its own kind.
    static func parts(_ input: AnswerInput) -> QuestionRules {
        QuestionRules(
            input: input,
            answer: { question, value throws(AnswerFault) in try question.answer(parts: value) },
            keyFault: { _, _ in "has several parts: its key belongs in the member “key”" },
            isRight: { Set($0.texts) == Set($1) })
    }
}
