extension QuestionRules {
    /// Yes or no. A document may list two options of its own: the words for yes and for no.
    static let boolean = QuestionRules(
        input: .option,
        options: { truthWords(of: $0.language) },
        values: { _ in [.truth(true), .truth(false)] },
        answer: { question, value throws(AnswerFault) in
            if case .truth = value { return Answer(questionId: question.id, value: value) }
            let text = try question.single(value)
            if text.isEmpty { return Answer(questionId: question.id, value: .one("")) }
            if let truth = truth(of: text) { return Answer(questionId: question.id, value: .truth(truth)) }
            return question.answer(choosing: [try question.optionIndex(of: text, except: [])])
        },
        keyFault: { texts, _ in
            guard let text = texts.first(where: { truth(of: $0) == nil }) else { return nil }
            return "“\(text.prefix(60))” is neither true nor false"
        },
        isRight: { answer, accepted in isOne(of: accepted, answer) { truth(of: $0) == truth(of: $1) } })

    private static func truth(of text: String) -> Bool? {
        switch text.lowercased() {
        case "true": true
        case "false": false
        default: nil
        }
    }

    private static func truthWords(of language: String?) -> [String] {
        let language = language.map(Language.init(locale:)) ?? .english
        return [language.yes, language.no]
    }
}
