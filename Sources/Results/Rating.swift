import Model

/// Rating a test by an answer key: a function of values, the same wherever it is computed.
package enum Rating {
    /// Compares the answers with the key, question by question.
    ///
    /// Questions that a condition hides from these answers, or that no pool drew, are not asked, and notes ask nothing: none counts. A key
    /// of the member `key` gives points as `PointsRule` says; by one of the older members, a right answer is worth the
    /// question's points, a wrong one and a missing one nothing. An answer to a question without a key gets no points:
    /// it waits for a person. The maximum counts every question that is asked.
    ///
    /// - Parameters:
    ///   - attachments: a file alone is an answer, too.
    ///   - questionnaire: as it is arranged for the test.
    /// - Returns: `nil` when no question of the questionnaire has a key, so that there is nothing to rate by.
    package static func evaluate(
        _ answers: [Answer], attachments: [Attachment] = [], to questionnaire: Questionnaire, by key: AnswerKey,
        at time: Timestamp
    ) -> Evaluation? {
        guard questionnaire.questions.contains(where: { key.key(of: $0.id) != nil || key.answer(to: $0) != nil }) else {
            return nil
        }
        return Evaluation(
            score: 0, maximum: 0, ratedAt: time, ratedBy: keyName,
            questions: verdicts(answers, attachments: attachments, to: questionnaire, by: key)
        ).totalled()
    }

    /// The key's verdict on each question. Without any key, all answered questions wait for a person.
    package static func verdicts(
        _ answers: [Answer], attachments: [Attachment], to questionnaire: Questionnaire, by key: AnswerKey
    ) -> [Evaluation.QuestionEvaluation] {
        let given = Dictionary(answers.map { ($0.questionId, $0) }, uniquingKeysWith: { first, _ in first })
        let attached = Set(attachments.map(\.questionId))
        let hidden = questionnaire.hiddenQuestions(by: answers, attachments)
        return questionnaire.questions.filter { $0.kind.takesAnswer && !hidden.contains($0.id) }.map { question in
            let maximum = key.maximum(of: question.id)
            if let questionKey = key.key(of: question.id) {
                return verdict(
                    on: given[question.id], to: question, by: questionKey, maximum: maximum,
                    isAttached: attached.contains(question.id), format: questionnaire.textFormat)
            }
            guard let expected = key.answer(to: question) else {
                // A missing answer, and one that is worth nothing, wait for no person.
                let isEmpty = maximum == 0 || given[question.id]?.isBlank ?? true && !attached.contains(question.id)
                return Evaluation.QuestionEvaluation(
                    questionId: question.id, correct: nil, points: isEmpty ? 0 : nil, maximum: maximum)
            }
            let isRight = isRight(given[question.id], to: question, expected: expected)
            return Evaluation.QuestionEvaluation(
                questionId: question.id, correct: isRight, points: isRight ? maximum : 0, maximum: maximum)
        }
    }

    private static func verdict(
        on answer: Answer?, to question: Question, by key: QuestionKey, maximum: Double, isAttached: Bool,
        format: TextFormat
    ) -> Evaluation.QuestionEvaluation {
        var verdict = Evaluation.QuestionEvaluation(questionId: question.id, correct: nil, maximum: maximum)
        let given = answer.flatMap { $0.isBlank ? nil : $0 }
        // A kind that was asked as text has an answer that a person has to read.
        let isReadable = question.unknownKind == nil && given.map { question.kind.fits($0.value) } ?? true
        let rule = PointsRule(
            form: question.kind, maximum: maximum, key: key, gaps: question.gaps.mapValues(\.kind))
        guard isReadable, let result = rule.result(of: given?.value.json) else {
            verdict.points = given == nil && !isAttached ? 0 : nil
            return verdict
        }
        verdict.points = result.points
        switch result.verdict {
        case .right: verdict.correct = true
        case .wrong: verdict.correct = false
        case .partly: break
        }
        // A paragraph each.
        let feedback = key.feedback(at: result.matched, separator: format == .markdown ? "\n\n" : "\n")
        verdict.feedback = feedback.text
        verdict.translations = feedback.translations.mapValues { KeyTexts(feedback: $0) }
        return verdict
    }

    /// The name of the rater for a rating by key.
    package static let keyName = "key"

    /// Whether an answer is the expected one.
    ///
    /// Several choices must be exactly the expected ones, in any order. Where one answer belongs and the key names
    /// several, each of them is right.
    package static func isRight(_ answer: Answer?, to question: Question, expected: Answer.Value) -> Bool {
        guard let answer, !answer.isBlank else { return false }
        return question.kind.isRight(answer, accepted: expected.texts)
    }
}
