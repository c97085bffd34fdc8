extension QuestionRules {
    /// Any number of the options. Correct are exactly the expected ones, in any order.
    static let choices = QuestionRules(
        input: .options,
        answer: { question, value throws(AnswerFault) in
            var indexes: [Int] = []
            var own: [String] = []
            let texts: [String] = if case .several(let all) = value { all } else { [try question.single(value)] }
            for text in texts where !text.isEmpty {
                if let index = try question.place(of: text, except: indexes) {
                    indexes.append(index)
                } else {
                    own.append(text)
                }
            }
            return question.answer(choosing: indexes, keeping: own)
        },
        keyFault: { $1.allowsOther ? nil : unknownOption($0, $1) },
        isRight: { counts($0.texts) == counts($1) })

    private static func counts(_ texts: [String]) -> [String: Int] {
        texts.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
}
