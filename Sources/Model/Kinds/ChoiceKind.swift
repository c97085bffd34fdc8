extension QuestionRules {
    /// One of the options.
    static let choice = QuestionRules(
        input: .option,
        answer: { question, value throws(AnswerFault) in
            let text = try question.single(value)
            if text.isEmpty { return Answer(questionId: question.id, value: .one("")) }
            guard let index = try question.place(of: text, except: []) else {
                return Answer(questionId: question.id, value: .one(text))
            }
            return Answer(questionId: question.id, value: .one(question.options[index]), optionIndexes: [index])
        },
        keyFault: { $1.allowsOther ? nil : unknownOption($0, $1) },
        isRight: { isOne(of: $1, $0, ==) })

    /// The fault of texts that are not all options of a question; `nil` if they are.
    static func unknownOption(_ texts: [String], _ question: Question) -> String? {
        guard let text = texts.first(where: { !question.options.contains($0) }) else { return nil }
        return "“\(text.prefix(60))” is none of the question's options"
    }
}
