extension QuestionRules {
    /// A day: `2026-11-25`.
    static let date = moment(.date)
    /// A time of the day: `14:30`.
    static let time = moment(.time)
    /// A day with a time and its offset: RFC 3339.
    static let dateTime = moment(.dateTime)

    private static func moment(_ form: WrittenDate.Order.Form) -> QuestionRules {
        QuestionRules(
            input: .moment(form), isNormalised: true, isLocal: form == .dateTime,
            answer: { question, value throws(AnswerFault) in
                let text = try question.single(value)
                if text.allSatisfy(\.isWhitespace) { return Answer(questionId: question.id, value: .one("")) }
                switch WrittenDate(text, form) {
                case .canonical(let canonical): return Answer(questionId: question.id, value: .one(canonical))
                case .ambiguous(let readings):
                    throw AnswerFault(questionId: question.id, reason: .ambiguousMoment(text, readings: readings))
                case .none:
                    throw AnswerFault(questionId: question.id, reason: .notMoment(text, form))
                }
            },
            keyFault: { texts, _ in
                guard let text = texts.first(where: { WrittenDate($0, form).text == nil }) else { return nil }
                return "“\(text.prefix(60))” is not like \(form.example)"
            },
            isRight: { answer, accepted in
                isOne(of: accepted, answer) { given, expected in
                    guard let left = WrittenDate(given, form).text.flatMap(WrittenDate.order) else { return false }
                    return left == WrittenDate(expected, form).text.flatMap(WrittenDate.order)
                }
            })
    }
}

extension WrittenDate {
    /// What a text means where a date, a time, or both are expected.
    package init(_ text: String, _ form: Order.Form) {
        self =
            switch form {
            case .date: .date(text)
            case .time: .time(text)
            case .dateTime: .dateTime(text)
            }
    }
}

extension WrittenDate.Order.Form {
    /// A text of this form.
    package var example: String {
        switch self {
        case .date: "2026-11-25"
        case .time: "14:30"
        case .dateTime: "2026-11-25T14:30+03:00"
        }
    }
}
