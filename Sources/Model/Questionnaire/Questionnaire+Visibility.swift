extension Questionnaire {
    /// Which questions are shown, by the conditions of questions and sections; `nil` where there are none.
    package var visibility: Visibility? {
        let isConditional =
            questions.contains { $0.condition != nil }
            || sections.contains { $0.condition != nil && !$0.questions.isEmpty }
        return isConditional ? Visibility(questions.map { ($0.id, $0.condition) }, sections) : nil
    }

    /// The ids of the questions that are hidden from a person with these answers, and of those that the test did not draw.
    package func hiddenQuestions(by answers: [Answer], _ attachments: [Attachment] = []) -> Set<String> {
        visibility.map { $0.hidden(by: answers, attachments).union(notDrawn) } ?? notDrawn
    }

    /// The places of the questions that are not hidden, in order.
    package func places(without hidden: Set<String>) -> [Int] {
        hidden.isEmpty ? Array(questions.indices) : questions.indices.filter { !hidden.contains(questions[$0].id) }
    }
}

extension Visibility {
    /// The ids of the questions that these answers hide. A file alone is an answer, too.
    package func hidden(by answers: [Answer], _ attachments: [Attachment] = []) -> Set<String> {
        var values = Dictionary(answers.map { ($0.questionId, $0.value.json) }) { first, _ in first }
        for attachment in attachments where RuleValue.isBlank(values[attachment.questionId]) {
            values[attachment.questionId] = .string(attachment.name)
        }
        return hidden { values[$0] }
    }
}

extension TestRecord {
    /// Removes the answers to questions that are hidden, and of instances that were removed: a finished test does not have them. It
    /// names those that were shown, and numbers the instances by their order.
    ///
    /// - Parameter questionnaire: as it is arranged for this test.
    package mutating func leaveOutHidden(in questionnaire: Questionnaire) {
        let hidden = questionnaire.hiddenQuestions(by: answers, attachments)
        let notDrawn = questionnaire.notDrawn
        if !hidden.isEmpty {
            answers.removeAll {
                hidden.contains($0.questionId) || notDrawn.contains(QuestionInstance($0.questionId).question)
            }
        }
        noteShown(of: questionnaire, without: hidden)
        numberInstances(of: questionnaire.repeats)
    }

    /// Answers that were given while their questions were not here get the form that rules compare: 3500 for 3 500.
    package mutating func settleAnswers(in questionnaire: Questionnaire) {
        for (place, answer) in answers.enumerated() {
            guard case .one = answer.value, let question = questionnaire.question(answer.questionId) else { continue }
            answers[place].value = question.settled(answer).value
        }
    }

    /// Notes which questions the test has, in its order, where the document alone does not say it.
    package mutating func noteShown(of questionnaire: Questionnaire, without hidden: Set<String> = []) {
        guard questionnaire.isArranged else { return }
        var seen: Set<String> = []
        shown = questionnaire.arranged(for: self).questions.map(\.id).filter { !hidden.contains($0) }
            .map { QuestionInstance($0).question }.filter { seen.insert($0).inserted }
    }
}
