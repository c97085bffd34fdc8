import Model

/// The answering of one question: which of its parts is asked, the highlighted option, the field, and what can be undone.
///
/// It knows neither the other questions nor the screen. In the review it has no question.
struct QuestionEditor {
    private(set) var question: Question?
    /// The answer so far; `nil` where there is none.
    private(set) var answer: Answer?
    /// The rows or gaps of the question, and the one that is asked.
    private(set) var parts: [Question] = []
    private(set) var part = 0
    /// The option on which the person is.
    var highlight = 0
    var field = TextField()
    /// An option of a ranking that the arrow keys move.
    var isMoving = false
    /// The person writes an answer that is none of the options.
    private(set) var writesOther = false
    /// The answers from before each change, the last one at the end.
    private(set) var undoable: [Answer] = []
    /// The first digit of a possible two-digit number.
    var pendingDigit: Int?

    init() {}

    /// Begins at the first part without an answer.
    init(_ question: Question, answer: Answer?) {
        self.question = question
        self.answer = answer
        parts = question.parts
        enter(part: openPart)
    }

    /// The same question in another language.
    mutating func translate(_ question: Question) {
        self.question = question
        parts = question.parts
    }

    // MARK: What is asked

    /// What the person answers here: the question, or one of its parts.
    var active: Question? { parts.indices.contains(part) ? parts[part] : question }

    var activeAnswer: Answer? {
        guard let question else { return nil }
        return parts.indices.contains(part) ? question.answer(of: parts[part], in: answer) : answer
    }

    /// The options that are chosen here, and texts that are none of them.
    var activeMatch: OptionMatch {
        let question = active ?? Question(id: "", text: "", kind: .note)
        var match = question.match(activeAnswer)
        match.places = question.shownPlaces(of: match.places)
        return match
    }

    /// An answer in words from a program that does not ask the kind; it is shown until another one replaces it.
    var answerInWords: String? { question.flatMap { $0.ownText(of: answer) } }

    /// The person writes here, so letters are no commands.
    var isWriting: Bool { active.map { writesOther || $0.input.isWritten } ?? false }

    /// The first part without an answer.
    private var openPart: Int {
        guard let question else { return 0 }
        return parts.firstIndex { question.answer(of: $0, in: answer)?.isBlank ?? true } ?? 0
    }

    mutating func enter(part index: Int) {
        part = index
        highlight = 0
        field = TextField()
        guard let active else { return }
        switch active.input {
        case .option, .options: highlight = activeMatch.places.first ?? 0
        case .text, .moment, .decimal, .location:
            field = TextField(
                Self.writtenText(activeAnswer), isNumber: active.input == .decimal, isOneLine: active.isOneLine)
        case .files, .nothing, .order, .rows, .gaps: break
        }
    }

    /// Restores the place of the cursor, or the highlight.
    mutating func restore(cursor: Int) {
        if isWriting {
            field = TextField(field.text, cursor: max(0, cursor), isNumber: field.isNumber, isOneLine: field.isOneLine)
        } else {
            highlight = min(max(0, cursor), max(0, (active?.options.count ?? 0) - 1))
        }
    }

    /// What the field of an answer shows.
    private static func writtenText(_ answer: Answer?) -> String {
        Location(answer)?.text ?? answer?.texts.joined(separator: "\n") ?? ""
    }

    // MARK: Changes

    /// Takes the answer to what is asked here. What was there before can be restored, except what is written letter by
    /// letter.
    mutating func put(_ answer: Answer) {
        guard let question else { return }
        let former = self.answer
        let now = parts.indices.contains(part) ? question.answer(former, setting: answer) : answer
        let none = Answer(questionId: question.id, value: .one(""))
        if question.input.isStructured, !isWriting || answerInWords != nil, former ?? none != now {
            undoable.append(former ?? none)
        }
        take(now)
    }

    private mutating func take(_ answer: Answer) { self.answer = answer.isBlank ? nil : answer }

    /// Restores the answer from before the last change of this question.
    ///
    /// - Returns: `false` when there is nothing to undo.
    mutating func undo() -> Bool {
        guard question?.input.isStructured == true, let former = undoable.popLast() else { return false }
        isMoving = false
        take(former)
        let option = highlight
        enter(part: part)
        highlight = min(option, max(0, (active?.options.count ?? 0) - 1))
        return true
    }

    mutating func choose(_ index: Int) {
        guard let active, active.options.indices.contains(index) else { return }
        switch active.input {
        case .option: put(active.answer(choosingShown: [index]))
        case .options:
            let match = activeMatch
            var chosen = match.places
            if let place = chosen.firstIndex(of: index) { chosen.remove(at: place) } else { chosen.append(index) }
            put(active.answer(choosingShown: chosen, keeping: match.own))
        case .order: place(at: index)
        case .text, .decimal, .moment, .location, .files, .nothing, .rows, .gaps: break
        }
    }

    mutating func clear() {
        guard let active else { return }
        put(active.answer(choosing: []))
    }

    // MARK: Writing

    /// Opens the field for an answer that is none of the options.
    ///
    /// - Returns: `false` where there can be none.
    mutating func writeOther() -> Bool {
        guard let question, question.allowsOther, question.kind.hasOptions else { return false }
        field = TextField(activeMatch.own.first ?? "")
        writesOther = true
        return true
    }

    mutating func putField() {
        guard let active else { return }
        guard !writesOther else { return putOther(field.text) }
        put(Answer(questionId: active.id, value: .one(field.text)))
    }

    /// A text of the person's own takes the place of a single answer, and joins several ones.
    mutating func putOther(_ text: String) {
        guard let active else { return }
        let match = activeMatch
        let places = active.kind.isMultiple ? match.places : []
        let others = active.kind.isMultiple ? Array(match.own.dropFirst()) : []
        let isBlank = text.allSatisfy(\.isWhitespace)
        put(active.answer(choosingShown: places, keeping: (isBlank ? [] : [text]) + others))
    }

    /// Writes a number or a date in its plain form.
    ///
    /// - Returns: what is wrong with it.
    mutating func settle(localOffset: @escaping (Timestamp) -> Int) -> AnswerProblem? {
        guard let active else { return nil }
        let isPlace = Location(activeAnswer) != nil && field.text == Self.writtenText(activeAnswer)
        if active.kind.isNormalised, !isPlace {
            let written = Answer(questionId: active.id, value: .one(field.text))
            guard let answer = try? active.answer(written.value, localOffset: localOffset) else {
                return active.problem(with: written)
            }
            put(answer)
        }
        return active.problem(with: activeAnswer).flatMap { $0.isIncomplete ? nil : $0 }
    }
}

// MARK: - Rankings

/// The options with a place stand first, in their order; the others follow.
extension QuestionEditor {
    var ranking: Question.Ranking {
        guard let question else { return .init(places: [], rest: [], own: []) }
        return question.ranking(of: answer)
    }

    /// The options by their indexes, as they stand on the screen.
    var rankedOptions: [Int] {
        let ranking = ranking
        return ranking.places + ranking.rest
    }

    /// Gives the highlighted option a place among those that have one.
    mutating func place(at index: Int) {
        let ranking = ranking
        let all = ranking.places + ranking.rest
        guard all.indices.contains(highlight) else { return }
        var places = ranking.places.filter { $0 != all[highlight] }
        let target = min(max(0, index), places.count)
        places.insert(all[highlight], at: target)
        setRanking(places)
        highlight = target
    }

    /// An option without a place gets the next one; one with a place is picked up, or put down.
    ///
    /// - Returns: whether the answer changed.
    mutating func pickOrPlace() -> Bool {
        let ranking = ranking
        guard highlight >= ranking.places.count else {
            isMoving.toggle()
            return false
        }
        let option = ranking.rest[highlight - ranking.places.count]
        setRanking(ranking.places + [option])
        // The person goes through the others in turn.
        highlight = min(max(highlight, ranking.places.count + 1), max(0, rankedOptions.count - 1))
        return true
    }

    /// - Returns: `false` when the option cannot go there.
    mutating func moveOption(to index: Int) -> Bool {
        guard ranking.places.indices.contains(index) else { return false }
        place(at: index)
        return true
    }

    /// - Returns: `false` when the option has no place.
    mutating func removePlace() -> Bool {
        isMoving = false
        let ranking = ranking
        guard ranking.places.indices.contains(highlight) else { return false }
        var places = ranking.places
        let option = places.remove(at: highlight)
        setRanking(places)
        highlight = rankedOptions.firstIndex(of: option) ?? 0
        return true
    }

    private mutating func setRanking(_ places: [Int]) {
        guard let question else { return }
        put(question.answer(ranking: places))
    }
}
