import HTTPServing
import Model
import Wording

/// “Try it”: the questionnaire as people take it, and what its key says to the answers.
struct TrialScreen {
    let page: DraftPage

    private var language: Language { page.language }
    private var request: AuthoringRequest { page.context.request }

    func content() throws -> AuthoringScreens.Content {
        let order = request.form["order"].flatMap { TestID($0) } ?? .random()
        guard let trial = Trial(page.document, order: order) else {
            return try page.content(.drafttrial, "try", ["nothing": true, "checkHref": page.href("publish")])
        }
        let given = trial.given(request.form)
        var model: [String: any Sendable] = [
            "action": page.href("try"), "order": order.description, "title2": trial.questionnaire.title,
            "side": AuthorTexts(trial.questionnaire).direction,
        ]
        if trial.leftOut > 0 {
            model["leftOut"] = language.plural(
                trial.leftOut, one: "1 question is not right yet and is left out.",
                other: "\(trial.leftOut) questions are not right yet and are left out.")
        }
        let texts = trial.questionnaire.textFormat
        model["description"] = texts.tree(of: trial.questionnaire.description)?.html(headingLevel: 2)
        if model["description"] == nil, !trial.questionnaire.description.isEmpty {
            model["plainDescription"] = trial.questionnaire.description
        }
        if request.form["do"] == "mark" {
            addResults(trial, given, to: &model)
        } else {
            addQuestions(trial, given, to: &model)
        }
        return try page.content(.drafttrial, "try", model)
    }

    private func addQuestions(_ trial: Trial, _ given: Trial.Given, to model: inout [String: any Sendable]) {
        let hidden = trial.hidden(by: given.answers)
        let places = trial.questionnaire.places(without: hidden)
        var number = 0
        model["parts"] = trial.questionnaire.groups(places).map { group -> [String: any Sendable] in
            var part: [String: any Sendable] = [
                "questions": group.places.map { place -> [String: any Sendable] in
                    let question = trial.questionnaire.questions[place]
                    number += question.kind.takesAnswer ? 1 : 0
                    return card(question, "\(place)", number, trial, given.values[place] ?? [])
                }
            ]
            part["media"] = MediaModels(page: page).models(group.section?.media ?? [])
            part["heading"] = group.section?.title.map { trial.questionnaire.textFormat.line(of: $0) }
            if let text = group.section?.text, !text.isEmpty {
                part["passage"] = trial.questionnaire.textFormat.tree(of: text)?.html(headingLevel: 3)
                if part["passage"] == nil { part["plainPassage"] = text }
            }
            return part
        }
        model["asks"] = true
        if !hidden.isEmpty || trial.questionnaire.questions.contains(where: { $0.condition != nil }) {
            model["conditional"] = true
        }
    }

    private func card(
        _ question: Question, _ index: String, _ number: Int, _ trial: Trial, _ values: [String]
    ) -> [String: any Sendable] {
        var card = TrialCard(
            question: question, index: index, number: number, questionnaire: trial.questionnaire, language: language,
            values: values)
        card.media = MediaModels(page: page).models(question.media)
        if !values.isEmpty, let answer = try? AnswerFields(question).answer(values, keeping: nil), !answer.isBlank {
            card.fault = question.problem(with: answer).map { question.words(for: $0, language) }
        }
        return card.model()
    }

    /// The question alone, for its form.
    static func preview(_ question: DraftQuestion, _ page: DraftPage) -> [String: any Sendable]? {
        guard let trial = Trial(page.document, order: .random()),
            let shown = trial.questionnaire.question(question.id)
        else { return nil }
        var card = TrialCard(
            question: shown, index: "preview", number: (page.document.place(of: question.id) ?? 0) + 1,
            questionnaire: trial.questionnaire, language: page.language)
        card.media = MediaModels(page: page).models(shown.media)
        return card.model()
    }

    // MARK: Results

    private func addResults(_ trial: Trial, _ given: Trial.Given, to model: inout [String: any Sendable]) {
        let evaluation = trial.evaluation(of: given.answers, at: page.context.services.now)
        let hidden = trial.hidden(by: given.answers)
        let waiting = evaluation?.questions.count { $0.points == nil } ?? 0
        if let evaluation {
            model["score"] = page.context.points(evaluation.score, evaluation.maximum)
            if waiting > 0 { model["waiting"] = page.context.waiting(waiting) }
            if waiting == 0, let isPassed = evaluation.isPassed(trial.questionnaire) {
                model["passed"] = isPassed ? language.text("Passed") : language.text("Not passed")
            }
        } else {
            model["noKey"] = true
        }
        let format = trial.questionnaire.textFormat
        model["results"] = trial.questionnaire.questions.filter {
            $0.kind.takesAnswer && !hidden.contains($0.id)
        }.enumerated().map { place, question -> [String: any Sendable] in
            let verdict = evaluation?.questions.first { $0.questionId == question.id }
            let answer = given.answers.first { $0.questionId == question.id }
            var result: [String: any Sendable] = ["number": "\(place + 1)", "text": format.line(of: question.text)]
            result["given"] = answer.map { question.line($0) { format.line(of: $0) } } ?? language.text("Not answered")
            if let points = verdict?.points {
                result["verdict"] = page.context.points(points, verdict?.maximum ?? 1)
                result["kind"] = verdict?.correct == true ? "good" : verdict?.correct == false ? "bad" : "newer"
            } else {
                result["verdict"] = language.text("marked by a teacher")
                result["kind"] = "newer"
            }
            result["feedback"] = verdict?.feedback
            let right = trial.key.rightAnswers(to: question).map { question.line(of: $0) }
            if !right.isEmpty { result["right"] = right.joined(separator: "; ") }
            result["explanation"] = trial.key.keys[question.id]?.explanation
            return result
        }
    }
}
