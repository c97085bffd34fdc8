import Model

// Answers: chosen, written, and missing ones.

extension TakeScreen {
    enum AnswerState: Hashable, Sendable {
        case answered
        case open
        /// Required, and not answered.
        case missing
        /// Not a number or a date where one belongs, or against the constraint.
        case wrong
    }

    func state(of question: Question) -> AnswerState {
        guard question.kind.takesAnswer else { return .answered }
        guard record.isAnswered(question.id) else { return question.required ? .missing : .open }
        guard let problem = record.problem(with: question) else { return .answered }
        return problem.isIncomplete ? .missing : .wrong
    }

    func isNotNumber(_ question: Question) -> Bool {
        switch question.problem(with: record.answer(to: question.id)) {
        case .notNumber, .ambiguous: question.input == .decimal
        default: false
        }
    }

    /// The files that belong to a question's answer, in a word each.
    func attachedWords(_ question: Question) -> String? {
        let files = record.attachments(to: question.id)
        return files.isEmpty ? nil : words.attached(files.map(\.name))
    }

    /// The files of an answer, and how files are attached where they are the answer.
    func fileLines(_ question: Question) -> [String] {
        let attached = attachedWords(question).map { [$0] } ?? []
        guard question.input == .files else { return attached }
        return attached + [
            words.howToAttach(
                "quire attach \(record.id) \(QuestionInstance.typed(question.id))", most: question.mostFiles)
        ]
    }

    /// Places of the chosen options in the order shown. They are matched by their texts, as `Question.match` says.
    func chosenOptions(of question: Question) -> [Int] {
        question.shownPlaces(of: question.match(record.answer(to: question.id)).places)
    }

    /// The person's answers that match no option of this version.
    func ownAnswers(of question: Question) -> [String] { question.match(record.answer(to: question.id)).own }

    /// What the field of an answer shows.
    static func writtenText(_ answer: Answer?) -> String {
        Location(answer)?.text ?? answer?.texts.joined(separator: "\n") ?? ""
    }

    /// An unchanged answer keeps its place among the others, so that nothing is saved that did not change.
    mutating func put(_ answer: Answer) {
        if record.answer(to: answer.questionId) != answer { record.record(answer) }
    }

    mutating func putField() {
        guard let active else { return }
        guard !writesOther else { return putOther(field.text, to: active) }
        putActive(Answer(questionId: active.id, value: .one(field.text)))
    }

    /// A text of the person's own takes the place of a single answer, and joins several ones.
    mutating func putOther(_ text: String, to question: Question) {
        let places = question.kind.isMultiple ? chosenOptions(of: question) : []
        let others = question.kind.isMultiple ? Array(ownAnswers(of: question).dropFirst()) : []
        let isBlank = text.allSatisfy(\.isWhitespace)
        put(question.answer(choosingShown: places, keeping: (isBlank ? [] : [text]) + others))
    }

    /// Opens the field for an answer that is none of the options.
    mutating func writeOther() {
        guard let question, question.allowsOther, question.kind.hasOptions else { return }
        field = TextField(ownAnswers(of: question).first ?? "")
        writesOther = true
        reveal()
    }

    /// Writes a number as the world reads it: with a point, without spaces.
    ///
    /// Dates and times become canonical, too.
    ///
    /// - Returns: what is wrong with the answer.
    mutating func settleAnswer() -> AnswerProblem? {
        guard let question else { return nil }
        if let active, let problem = settleActive() { return parts.isEmpty ? problem : .part(active.id, problem) }
        // What is missing can be given later: the review names it.
        return record.problem(with: question).flatMap { $0.isIncomplete ? nil : $0 }
    }

    mutating func choose(_ index: Int) {
        guard let active, active.options.indices.contains(index) else { return }
        switch active.input {
        case .option: putActive(active.answer(choosingShown: [index]))
        case .options:
            let match = activeMatch
            var chosen = match.places
            if let place = chosen.firstIndex(of: index) { chosen.remove(at: place) } else { chosen.append(index) }
            putActive(active.answer(choosingShown: chosen, keeping: match.own))
        case .order: place(at: index)
        case .text, .decimal, .moment, .location, .files, .nothing, .rows, .gaps: break
        }
    }

    mutating func clearAnswer() {
        guard let active else { return }
        putActive(active.answer(choosing: []))
    }

    /// The questions that are shown and take an answer, by their places.
    private var asked: [Int] { visible.filter { questionnaire.questions[$0].kind.takesAnswer } }
    var askedCount: Int { asked.count }
    var answeredCount: Int { asked.count { state(of: questionnaire.questions[$0]) == .answered } }

    /// Numbers, counted from 1 among those that are shown, of the questions in a state.
    func numbers(in state: AnswerState) -> [Int] {
        let rows = visible
        return rows.indices.filter { self.state(of: questionnaire.questions[rows[$0]]) == state }.map { $0 + 1 }
    }
}
