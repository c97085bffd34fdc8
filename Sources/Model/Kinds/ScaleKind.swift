extension QuestionRules {
    /// One of the steps between two numbers. The options are the steps with their labels.
    static let scale = QuestionRules(
        input: .option,
        options: { question in
            (question.scale?.steps ?? []).map { step in
                let number = Answer.Value.number(step).texts[0]
                return question.scale?.labels[number].map { "\(number) – \($0)" } ?? number
            }
        },
        values: { ($0.scale?.steps ?? []).map { .number($0) } },
        answer: { question, value throws(AnswerFault) in
            let text = try question.single(value)
            if text.isEmpty { return Answer(questionId: question.id, value: .one("")) }
            let steps = question.scale?.steps ?? []
            if let number = WrittenNumber(text).plain.flatMap(Double.init), steps.contains(number) {
                return Answer(questionId: question.id, value: .number(number))
            }
            let wanted = TextFolding.fold(text)
            let labelled = question.scale?.labels.first { TextFolding.fold($0.value) == wanted }?.key
            if let step = labelled.flatMap(Double.init), !wanted.isEmpty, steps.contains(step) {
                return Answer(questionId: question.id, value: .number(step))
            }
            return question.answer(choosing: [try question.optionIndex(of: text, except: [])])
        },
        keyFault: { texts, question in
            let steps = question.scale?.steps ?? []
            guard
                let text = texts.first(where: { text in
                    WrittenNumber(text).plain.flatMap(Double.init).map { !steps.contains($0) } ?? true
                })
            else { return nil }
            return "“\(text.prefix(60))” is no step of the scale"
        },
        isRight: { answer, accepted in
            isOne(of: accepted, answer) { Double($0) == WrittenNumber($1).plain.flatMap(Double.init) }
        })
}

extension Question {
    /// The steps that a question of the kind `scale` offers.
    package struct Scale: Hashable, Sendable {
        package var min: Double
        package var max: Double
        package var step: Double
        /// By the number as it is written: `{"1": "never"}`.
        package var labels: [String: String]

        /// The most steps that are offered as options.
        package static let mostSteps = 101

        /// All steps; none where they are too many, or the limits are none.
        package let steps: [Double]

        package init(min: Double, max: Double, step: Double = 1, labels: [String: String] = [:]) {
            self.min = min
            self.max = max
            self.step = step
            self.labels = labels
            let count = ((max - min) / step + 1e-9).rounded(.down)
            guard step > 0, count >= 0, count < Double(Self.mostSteps) else {
                steps = []
                return
            }
            // Steps of 0.1 are decimals, not sums of binary fractions.
            steps = (0...Int(count)).map { ((min + Double($0) * step) * 1e6).rounded() / 1e6 }
        }
    }
}

extension Question.Scale: Codable {
    private enum Key: String, CodingKey { case min, max, step, labels }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            min: try container.decode(Double.self, forKey: .min), max: try container.decode(Double.self, forKey: .max),
            step: try container.decodeIfPresent(Double.self, forKey: .step) ?? 1,
            labels: try container.decodeIfPresent([String: String].self, forKey: .labels) ?? [:])
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(min, forKey: .min)
        try container.encode(max, forKey: .max)
        if step != 1 { try container.encode(step, forKey: .step) }
        if !labels.isEmpty { try container.encode(labels, forKey: .labels) }
    }
}
