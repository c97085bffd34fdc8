extension Questionnaire {
    /// Which questions are shown, by the conditions of questions and sections; `nil` where there are none.
    package var visibility: Visibility? {
        let sectionConditions = sections.reduce(into: [String: [Condition]]()) { conditions, section in
            guard let condition = section.condition else { return }
            for id in section.questions { conditions[id, default: []].append(condition) }
        }
        guard !sectionConditions.isEmpty || questions.contains(where: { $0.condition != nil }) else { return nil }
        return Visibility(
            questions.map { ($0.id, ($0.condition.map { [$0] } ?? []) + (sectionConditions[$0.id] ?? [])) })
    }

    /// The ids of the questions that are hidden from a person with these answers.
    package func hiddenQuestions(by answers: [Answer], _ attachments: [Attachment] = []) -> Set<String> {
        visibility?.hidden(by: answers, attachments) ?? []
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
    /// Removes the answers to questions that are hidden: a finished test does not have them.
    package mutating func leaveOutHidden(in questionnaire: Questionnaire) {
        let hidden = questionnaire.hiddenQuestions(by: answers, attachments)
        if !hidden.isEmpty { answers.removeAll { hidden.contains($0.questionId) } }
    }
}
