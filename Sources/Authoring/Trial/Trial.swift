import HTTPServing
import Model
import Results

/// A draft as a person would take it: what is typed is in the form alone, and nothing is stored.
struct Trial {
    /// Without the questions that are not right yet.
    let questionnaire: Questionnaire
    let key: AnswerKey
    /// How many questions are left out.
    let leftOut: Int
    /// It gives the questions their order, and draws them.
    let order: TestID

    /// - Returns: `nil` where no question can be shown yet.
    init?(_ document: DraftDocument, order: TestID) {
        var usable = document
        let broken = DraftFinding.all(in: document).compactMap { finding -> String? in
            guard finding.isFault, case .question(let id) = finding.place else { return nil }
            return id
        }
        for id in Set(broken) { usable = DraftEdit.delete(id).applied(to: usable) }
        if usable.title.trimmed.isEmpty { usable.members["title"] = .string("–") }
        let bytes = usable.bytes
        guard let questionnaire = try? Questionnaire(json: bytes), let key = try? AnswerKey(json: bytes),
            !questionnaire.questions.isEmpty
        else { return nil }
        // Of a repeated section, as many instances as there are at least, and one in any case.
        self.questionnaire = questionnaire.arranged(for: order).repeated(for: nil)
        self.key = key
        self.order = order
        leftOut = document.questions.count - usable.questions.count
    }

    /// The answers of a form, for each question that it has fields for.
    struct Given {
        var values: [Int: [String]] = [:]
        var answers: [Answer] = []
    }

    func given(_ form: FormFields) -> Given {
        var given = Given()
        for (index, question) in questionnaire.questions.enumerated() {
            let fields = AnswerFields(question)
            guard let values = fields.values(at: index, in: form) else { continue }
            given.values[index] = values
            if let answer = try? fields.answer(values, keeping: nil), !answer.isBlank { given.answers.append(answer) }
        }
        return given
    }

    func hidden(by answers: [Answer]) -> Set<String> { questionnaire.hiddenQuestions(by: answers, []) }

    /// The points by the key; every question waits for a teacher where there is no key.
    func evaluation(of answers: [Answer], at time: Timestamp) -> Evaluation? {
        let hidden = hidden(by: answers)
        return Rating.evaluate(
            answers.filter { !hidden.contains($0.questionId) }, to: questionnaire, by: key, at: time)
    }
}
