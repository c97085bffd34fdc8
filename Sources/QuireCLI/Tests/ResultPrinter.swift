import Model
import Quire
import Terminal

/// Prints what is known about each question of a rated test.
struct ResultPrinter {
    let questionnaire: Questionnaire?
    let record: TestRecord?

    func print(_ questions: [Evaluation.QuestionEvaluation]) {
        for question in questions { print(question) }
    }

    private func print(_ rated: Evaluation.QuestionEvaluation) {
        let mark: String
        switch rated.correct {
        case true?: mark = Output.traits.isPlain ? "+" : "✓"
        case false?: mark = Output.traits.isPlain ? "-" : "✗"
        case nil: mark = " "
        }
        let comment = rated.comment.map { ": " + $0 } ?? ""
        Output.line("    \(mark) \(QuestionInstance.written(rated.questionId))\(points(rated))\(comment)")
        for line in details(rated) {
            for row in wrap(terminalSafe(line), width: max(20, min(Output.traits.columns - 8, 78))) {
                Output.line("        " + row)
            }
        }
    }

    /// The points of an answer that is neither right nor wrong.
    private func points(_ rated: Evaluation.QuestionEvaluation) -> String {
        guard rated.correct == nil, let points = rated.points, let maximum = rated.maximum else { return "" }
        return " (\(Evaluation(score: points, maximum: maximum).summary(Output.language)))"
    }

    /// Where more than a verdict is given out: the question with its answer, what is right, and why.
    private func details(_ rated: Evaluation.QuestionEvaluation) -> [String] {
        let (language, format) = (Output.language, questionnaire?.textFormat ?? .plain)
        var lines = [rated.feedback].compactMap { $0 }
        guard rated.rightAnswers != nil || rated.explanation != nil else { return lines }
        if let question = questionnaire?.question(rated.questionId) {
            lines.insert(format.line(of: question.text), at: 0)
            if let answer = record?.answer(to: question.id), !answer.isBlank {
                let given = format.line(of: question.line(answer))
                lines.insert(language.text("Your answer: \(given)"), at: 1)
            }
            if rated.correct != true, let answers = rated.rightAnswers, !answers.isEmpty {
                let right = answers.map { format.line(of: question.line(of: $0)) }
                    .joined(separator: language.text(" or "))
                lines.append(language.text("Right answer: \(right)"))
            }
        }
        return lines + [rated.explanation.map { format.line(of: $0) }].compactMap { $0 }
    }
}
