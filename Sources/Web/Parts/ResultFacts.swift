import HTTPServing
import Model

/// What a result says about one question: the verdict, the options as they were, the right answer, and why.
struct ResultFacts: Sendable {
    let questionnaire: Questionnaire?
    let words: PageWords
    private let texts: AuthorTexts

    init(_ questionnaire: Questionnaire?, _ words: PageWords) {
        self.questionnaire = questionnaire
        self.words = words
        texts = AuthorTexts(questionnaire)
    }

    func add(_ rated: Evaluation.QuestionEvaluation, to row: inout [String: any Sendable]) {
        func text(_ value: String?) -> String? { value.flatMap { $0.isEmpty ? nil : $0 } }
        row["comment"] = text(rated.comment)
        if let feedback = text(rated.feedback) {
            row["feedback"] = feedback
            row["formattedFeedback"] = texts.html(text: feedback)
        }
        if let explanation = text(rated.explanation) {
            row["explanation"] = explanation
            row["formattedExplanation"] = texts.html(text: explanation)
        }
        if let question = questionnaire?.question(rated.questionId), let right = rated.rightAnswers,
            rated.correct != true
        {
            row["right"] = words.rightAnswer(right.map { texts.line(question.line(of: $0)) })
        }
        if let isCorrect = rated.correct {
            row["mark"] = [
                "kind": isCorrect ? "good" : "bad", "sign": isCorrect ? "✓" : "✗",
                "text": isCorrect ? words.text("Correct") : words.text("Incorrect"),
            ]
        } else if let points = rated.points, let maximum = rated.maximum {
            row["mark"] = ["kind": "part", "sign": "", "text": words.number(points) + " " + words.of(maximum)]
        }
    }

    /// The options as the test showed them, with those that were chosen.
    func addOptions(of question: Question?, _ answer: Answer?, to row: inout [String: any Sendable]) {
        guard let question, [.option, .options].contains(question.kind.shape) else { return }
        let chosen = Set(question.match(answer).places)
        row["hasOptions"] = true
        row["optionsWords"] = words.text("All options")
        row["chosenWords"] = words.text("your answer")
        row["options"] = question.optionPlaces.map { place -> [String: any Sendable] in
            var option: [String: any Sendable] = [
                "text": question.optionLabels[place], "isChosen": chosen.contains(place),
            ]
            option["html"] = texts.html(option: question.optionLabels[place])
            return option
        }
    }
}

extension PageWords {
    func rightAnswer(_ answers: [String]) -> String {
        text("Right answer: \(answers.joined(separator: text(" or ")))")
    }
}
