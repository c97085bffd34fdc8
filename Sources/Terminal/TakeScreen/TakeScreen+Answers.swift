import Model

// Answers: chosen, written, and missing ones.

extension TakeScreen {
    enum AnswerState: Hashable, Sendable {
        case answered
        case open
        /// Required, and not answered.
        case missing
        /// Not a number where one belongs.
        case wrong
    }

    func state(of question: Question) -> AnswerState {
        guard record.isAnswered(question.id) else { return question.required ? .missing : .open }
        if question.kind.isNormalised, let answer = record.answer(to: question.id), !answer.isBlank,
            (try? question.answer(answer.value)) == nil
        {
            return .wrong
        }
        return .answered
    }

    /// The files that belong to a question's answer, in a word each.
    func attachedWords(_ question: Question) -> String? {
        let files = record.attachments(to: question.id)
        return files.isEmpty ? nil : words.attached(files.map(\.name))
    }

    /// Places of the chosen options, in order. They are matched by their texts, as `Question.match` says.
    func chosenOptions(of question: Question) -> [Int] { question.match(record.answer(to: question.id)).places }

    /// The person's answers that match no option of this version.
    func ownAnswers(of question: Question) -> [String] { question.match(record.answer(to: question.id)).own }

    func writtenText(of question: Question) -> String {
        record.answer(to: question.id)?.texts.joined(separator: "\n") ?? ""
    }

    /// An unchanged answer keeps its place among the others, so that nothing is saved that did not change.
    mutating func put(_ answer: Answer) {
        if record.answer(to: answer.questionId) != answer { record.record(answer) }
    }

    mutating func putField() {
        guard let question else { return }
        put(Answer(questionId: question.id, value: .one(field.text)))
    }

    /// Writes a number as the world reads it: with a point, without spaces.
    ///
    /// - Returns: `false` when it is none.
    mutating func settleNumber() -> Bool {
        guard let question, question.kind.isNormalised else { return true }
        guard let answer = try? question.answer(.one(field.text)) else { return false }
        put(answer)
        return true
    }

    mutating func choose(_ index: Int) {
        guard let question, question.options.indices.contains(index) else { return }
        switch question.kind.input {
        case .option: put(question.answer(choosing: [index]))
        case .options:
            var chosen = chosenOptions(of: question)
            if let place = chosen.firstIndex(of: index) { chosen.remove(at: place) } else { chosen.append(index) }
            put(question.answer(choosing: chosen, keeping: ownAnswers(of: question)))
        case .text, .decimal: break
        }
    }

    mutating func clearAnswer() {
        guard let question else { return }
        put(question.answer(choosing: []))
    }

    var answeredCount: Int { questionnaire.questions.count { state(of: $0) == .answered } }

    /// Numbers, counted from 1, of the questions in a state.
    func numbers(in state: AnswerState) -> [Int] {
        questionnaire.questions.indices.filter { self.state(of: questionnaire.questions[$0]) == state }.map { $0 + 1 }
    }
}
