import Model
import Quire
import Terminal
import Wording

/// Prints what is known about each question of a rated test.
struct ResultPrinter {
    let questionnaire: Questionnaire?
    let record: TestRecord?

    func print(_ questions: [Evaluation.QuestionEvaluation]) {
        for question in questions { print(question.shown(in: questionnaire?.locale)) }
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
        for row in details(rated, width: max(20, min(Output.traits.columns - 8, 78))) {
            Output.line(row.isEmpty ? "" : "        " + row)
        }
    }

    /// The points of an answer that is neither right nor wrong.
    private func points(_ rated: Evaluation.QuestionEvaluation) -> String {
        guard rated.correct == nil, let points = rated.points, let maximum = rated.maximum else { return "" }
        return " (\(Evaluation(score: points, maximum: maximum).summary(Output.language)))"
    }

    /// Where more than a verdict is given out: the question with its answer, what is right, and why.
    private func details(_ rated: Evaluation.QuestionEvaluation, width: Int) -> [String] {
        let (language, format) = (Output.language, questionnaire?.textFormat ?? .plain)
        func rows(_ text: String?) -> [String] { text.map { wrap($0, in: format, width: width) } ?? [] }
        func plain(_ lines: [String]) -> [String] { lines.flatMap { wrap($0, width: width) } }
        guard rated.rightAnswers != nil || rated.explanation != nil else { return rows(rated.feedback) }
        var (asked, right): ([String], [String]) = ([], [])
        if let question = questionnaire?.question(rated.questionId) {
            asked.append(format.line(of: question.text))
            if let answer = record?.answer(to: question.id), !answer.isBlank {
                let given = format.line(of: question.line(answer))
                asked.append(language.text("Your answer: \(given)"))
            }
            if rated.correct != true, let answers = rated.rightAnswers, !answers.isEmpty {
                let line = answers.map { format.line(of: question.line(of: $0)) }
                    .joined(separator: language.text(" or "))
                right.append(language.text("Right answer: \(line)"))
            }
        }
        return plain(asked) + rows(rated.feedback) + plain(right) + rows(rated.explanation)
    }
}
