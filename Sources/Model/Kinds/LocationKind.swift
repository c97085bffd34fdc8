extension QuestionRules {
    /// A place on the earth: `{"latitude": 55.75, "longitude": 37.62, "accuracyMeters": 12}`.
    static let location = QuestionRules(
        input: .location, isNormalised: true,
        answer: { question, value throws(AnswerFault) in
            if case .object(let members) = value {
                if Location(members)?.isOnEarth == true { return Answer(questionId: question.id, value: value) }
                throw AnswerFault(questionId: question.id, reason: .notLocation)
            }
            let text = try question.single(value)
            if text.allSatisfy(\.isWhitespace) { return Answer(questionId: question.id, value: .one("")) }
            switch WrittenLocation(text) {
            case .location(let location): return Answer(questionId: question.id, value: location.value)
            case .outOfRange:
                throw AnswerFault(questionId: question.id, reason: .problem(.notOnEarth, question))
            case .none:
                throw AnswerFault(questionId: question.id, reason: .problem(.notLocation(text), question))
            }
        },
        keyFault: { _, _ in "takes a place, which a person rates" }, isRight: { _, _ in false })
}
