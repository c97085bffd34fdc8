/// A verdict names its question as answers do.
extension Evaluation.QuestionEvaluation: Codable {
    private enum Key: String, CodingKey {
        case questionId, instance, correct, points, maximum, comment, feedback, rightAnswers, explanation, ratedBy
        case ratedAt, reason, translations
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let question = try container.decode(String.self, forKey: .questionId)
        let number = try? container.decodeIfPresent(Int.self, forKey: .instance)
        questionId = QuestionInstance(question: question, number: number.flatMap { $0 > 0 ? $0 : nil }).id
        correct = try container.decodeIfPresent(Bool.self, forKey: .correct)
        points = try container.decodeIfPresent(Double.self, forKey: .points)
        maximum = try container.decodeIfPresent(Double.self, forKey: .maximum)
        comment = try container.decodeIfPresent(String.self, forKey: .comment)
        feedback = try container.decodeIfPresent(String.self, forKey: .feedback)
        rightAnswers = try container.decodeIfPresent([JSONValue].self, forKey: .rightAnswers)
        explanation = try container.decodeIfPresent(String.self, forKey: .explanation)
        // A later host may send other values here: the texts of the document remain.
        translations = (try? container.decodeIfPresent([String: KeyTexts].self, forKey: .translations)) ?? [:]
        ratedBy = try container.decodeIfPresent(String.self, forKey: .ratedBy)
        ratedAt = try container.decodeIfPresent(Timestamp.self, forKey: .ratedAt)
        reason = try container.decodeIfPresent(String.self, forKey: .reason)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let place = QuestionInstance(questionId)
        try container.encode(place.question, forKey: .questionId)
        try container.encodeIfPresent(place.number, forKey: .instance)
        try container.encodeIfPresent(correct, forKey: .correct)
        try container.encodeIfPresent(points, forKey: .points)
        try container.encodeIfPresent(maximum, forKey: .maximum)
        try container.encodeIfPresent(comment, forKey: .comment)
        try container.encodeIfPresent(feedback, forKey: .feedback)
        try container.encodeIfPresent(rightAnswers, forKey: .rightAnswers)
        try container.encodeIfPresent(explanation, forKey: .explanation)
        if !translations.isEmpty { try container.encode(translations, forKey: .translations) }
        try container.encodeIfPresent(ratedBy, forKey: .ratedBy)
        try container.encodeIfPresent(ratedAt, forKey: .ratedAt)
        try container.encodeIfPresent(reason, forKey: .reason)
    }
}
