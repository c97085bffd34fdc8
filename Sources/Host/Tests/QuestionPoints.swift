import Model

/// The points of a test's questions, as compact as a table of many tests needs them.
package struct QuestionPoints: Hashable, Sendable {
    package internal(set) var questions: [String]
    /// In the order of `questions`; not a number where a person has to give them.
    private(set) var points: [Float]

    init(questions: [String], points: [Float]) {
        self.questions = questions
        self.points = points
    }

    init(_ evaluation: Evaluation?) {
        // Hosts of earlier versions gave no points: then a right answer was worth one.
        let known = (evaluation?.questions ?? []).filter { $0.maximum != nil || $0.correct != nil }
        questions = known.map(\.questionId)
        points = known.map { question in
            if let points = question.points { return Float(points) }
            return question.maximum == nil ? question.correct == true ? 1 : 0 : .nan
        }
    }

    /// How many questions wait for a person.
    package var waiting: Int { points.count { $0.isNaN } }

    /// The questions that wait for a person.
    package var waitingQuestions: [String] { zip(questions, points).filter { $1.isNaN }.map { $0.0 } }

    /// `nil` where a person has to give them, and where the question was not asked.
    package func points(of question: String) -> Double? {
        guard let place = questions.firstIndex(of: question), !points[place].isNaN else { return nil }
        return Double(points[place])
    }

    package func waits(_ question: String) -> Bool {
        questions.firstIndex(of: question).map { points[$0].isNaN } ?? false
    }
}
