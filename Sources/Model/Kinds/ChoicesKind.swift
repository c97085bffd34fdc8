extension QuestionRules {
    /// Any number of the options. Correct are exactly the expected ones, in any order.
    static let choices = QuestionRules(
        input: .options,
        answer: { question, value throws(AnswerFault) in
            var indexes: [Int] = []
            let texts: [String] = if case .several(let all) = value { all } else { [try question.single(value)] }
            for text in texts where !text.isEmpty {
                indexes.append(try question.optionIndex(of: text, except: indexes))
            }
            return question.answer(choosing: indexes)
        },
        keyFault: { unknownOption($0, $1) },
        isRight: { counts($0.texts) == counts($1) })

    private static func counts(_ texts: [String]) -> [String: Int] {
        texts.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
