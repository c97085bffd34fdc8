extension AnswerKey {
    /// The answers to a question that get all its points, in the form that a test has them in, as far as the key states them: a pattern
    /// states none.
    package func rightAnswers(to question: Question) -> [JSONValue] {
        guard let key = key(of: question.id) else { return answer(to: question).map { given(by: $0, question) } ?? [] }
        let maximum = maximum(of: question.id)
        var values: [(value: JSONValue, points: Double?)] = []
        for acceptance in key.accept {
            if case .value(let value) = acceptance.match { values.append((value, acceptance.points)) }
        }
        if question.kind.shape == .options {
            let options = values.filter { RuleValue.isScalar($0.value) }
            guard options.isEmpty else {
                let hasPoints = options.contains { $0.points != nil }
                let right = options.filter { !hasPoints || $0.points ?? 0 > 0 }.map(\.value)
                return right.isEmpty ? [] : [.array(right)]
            }
        }
        return values.filter { $0.points ?? maximum >= maximum }.map(\.value)
    }

    /// The older members: of several choices all belong together, else each is right.
    private func given(by value: Answer.Value, _ question: Question) -> [JSONValue] {
        let texts = value.texts.map(JSONValue.string)
        return question.kind.isMultiple ? [.array(texts)] : texts
    }
}

extension Question {
    /// A right answer as people read it, on one line.
    package func line(of rightAnswer: JSONValue) -> String {
        let value: Answer.Value =
            switch rightAnswer {
            case .array(let values): .several(values.map(RuleValue.text))
            case .object(let members): .object(members)
            case .bool(let truth): .truth(truth)
            case .number(let number): .number(number)
            case .integer(let number): .number(Double(number))
            default: .one(RuleValue.text(rightAnswer))
            }
        return line(Answer(questionId: id, value: value))
    }
}

extension Evaluation {
    /// Whether a test with this rating is passed; `nil` where the questionnaire does not say from when.
    package func isPassed(_ questionnaire: Questionnaire?) -> Bool? {
        guard let share = questionnaire?.passScore, maximum > 0 else { return nil }
        return score >= share * maximum - 1e-9
    }
}
