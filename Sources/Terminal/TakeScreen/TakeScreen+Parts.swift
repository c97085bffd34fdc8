import Model

// Questions of several parts, rows or gaps: one of them is asked at a time, by the code that asks a question of its kind.

extension TakeScreen {
    /// What the person answers here: the question, or one of its parts.
    var active: Question? { parts.indices.contains(part) ? parts[part] : question }

    var activeAnswer: Answer? {
        guard let question else { return nil }
        let answer = record.answer(to: question.id)
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
    var answerInWords: String? { question.flatMap { $0.ownText(of: record.answer(to: $0.id)) } }

    /// Stores the answer to what is asked here. What was there before can be restored, except what is written letter by
    /// letter.
    mutating func putActive(_ answer: Answer) {
        guard let question else { return }
        let former = record.answer(to: question.id)
        let now = parts.indices.contains(part) ? question.answer(former, setting: answer) : answer
        let none = Answer(questionId: question.id, value: .one(""))
        let hadWords = answerInWords != nil
        if question.input.isStructured, !isWriting || hadWords, former ?? none != now {
            undoable.append(former ?? none)
        }
        put(now)
        if question.input == .order || hadWords { layOut() }
    }

    /// Restores the answer from before the last change of this question.
    mutating func undo() -> [Effect] {
        guard question?.input.isStructured == true, let former = undoable.popLast() else { return [.bell] }
        isMoving = false
        put(former)
        let option = highlight
        enterPart(part)
        highlight = min(option, max(0, (active?.options.count ?? 0) - 1))
        reveal()
        return [.save]
    }

    mutating func enterPart(_ index: Int) {
        part = index
        highlight = 0
        field = TextField()
        guard let active else { return layOut() }
        switch active.input {
        case .option, .options: highlight = activeMatch.places.first ?? 0
        case .text, .moment, .decimal, .location:
            field = TextField(
                TakeScreen.writtenText(activeAnswer), isNumber: active.input == .decimal, isOneLine: active.isOneLine)
        case .files, .nothing, .order, .rows, .gaps: break
        }
        layOut()
    }

    /// The first part without an answer.
    var openPart: Int {
        guard let question else { return 0 }
        let answer = record.answer(to: question.id)
        return parts.firstIndex { question.answer(of: $0, in: answer)?.isBlank ?? true } ?? 0
    }

    /// Goes to the next part; after the last one to the next question.
    mutating func goToNextPart() -> [Effect] {
        guard parts.indices.contains(part + 1) else { return goForward() }
        if let problem = settleActive() { return refused(problem) }
        enterPart(part + 1)
        reveal()
        return [.save]
    }

    /// Goes to the part before; from the first one to the question before.
    mutating func goToFormerPart() -> [Effect] {
        guard part > 0 else { return goBack() }
        _ = settleActive()
        enterPart(part - 1)
        reveal()
        return [.save]
    }

    /// Writes a number or a date in its plain form.
    ///
    /// - Returns: what is wrong with it.
    mutating func settleActive() -> AnswerProblem? {
        guard let active else { return nil }
        let isPlace = Location(activeAnswer) != nil && field.text == TakeScreen.writtenText(activeAnswer)
        if active.kind.isNormalised, !isPlace {
            let written = Answer(questionId: active.id, value: .one(field.text))
            guard let answer = try? active.answer(written.value, localOffset: localOffset) else {
                return active.problem(with: written)
            }
            putActive(answer)
        }
        return active.problem(with: activeAnswer).flatMap { $0.isIncomplete ? nil : $0 }
    }

    private mutating func refused(_ problem: AnswerProblem) -> [Effect] {
        if let active { message = Message(text: words.problem(problem, with: active)) }
        reveal()
        return [.bell]
    }

    // MARK: How parts look

    /// An answer in words, and the parts up to the one that is asked.
    var linesAbove: [Line] {
        guard let question else { return [] }
        var lines: [Line] = []
        if let text = answerInWords {
            lines += wrap(words.earlierWords(text), width: size.textWidth).map { Line($0, .warning) } + [Line()]
        }
        for index in parts.indices.prefix(part + 1) { lines += partLines(index, of: question) }
        return lines
    }

    /// Rows of the name of the part that is asked.
    var headingHeight: Int {
        guard let question, parts.indices.contains(part) else { return 0 }
        return partLines(part, of: question).count
    }

    var linesBelow: [Line] {
        guard let question else { return [] }
        return parts.indices.dropFirst(part + 1).flatMap { partLines($0, of: question) }
    }

    /// A row or a gap with its answer; the one that is asked has its options or its field below.
    private func partLines(_ index: Int, of question: Question) -> [Line] {
        let isHere = index == part
        let title = question.input == .gaps ? "[\(parts[index].text)]" : line(parts[index].text)
        let answer = parts[index].line(
            question.answer(of: parts[index], in: record.answer(to: question.id)), author: line)
        let isOpen = answer.allSatisfy(\.isWhitespace)
        let text = isHere ? title : title + (isPlain ? " -> " : " → ") + (isOpen ? "…" : answer)
        let style: Line.Style = isHere ? .strong : isOpen ? .faint : .plain
        return wrap(text, width: max(1, size.textWidth - 2)).enumerated().map { row, text in
            Line((isHere && row == 0 ? (isPlain ? "* " : "▸ ") : "  ") + text, style)
        }
    }
}

extension Question {
    /// Whether it is answered by keys on a list, and not by writing.
    var isListed: Bool { kind.hasOptions || input == .order }
}
