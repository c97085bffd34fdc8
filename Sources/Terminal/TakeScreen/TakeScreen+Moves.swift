import Model

// From question to question and from part to part, and out.

extension TakeScreen {
    mutating func finish(despiteGaps: Bool) -> [Effect] {
        let missing = test.numbers(in: .missing)
        let wrong = test.numbers(in: .wrong)
        if let first = (missing + wrong).min() {
            message = Message(
                text: words.blocked(
                    missing: missing, wrong: wrong,
                    isNumbers: wrong.allSatisfy {
                        test.isNotNumber(test.questionnaire.questions[test.visible[$0 - 1]])
                    }))
            reviewRow = first - 1
            reveal()
            noteResume()
            return [.bell]
        }
        let open = test.numbers(in: .open)
        if !open.isEmpty, !despiteGaps {
            confirmation = .finishingWithGaps
            message = Message(text: words.gaps(open.count, button: buttonTitle), isError: false)
            return []
        }
        return [.save, .finish]
    }

    mutating func leave() -> [Effect] { [.save, .leave] }

    mutating func goForward() -> [Effect] {
        switch place {
        case .review: return [.bell]
        case .question(let index):
            if let question = editor.question, let problem = settleAnswer() {
                message = Message(text: words.problem(problem, with: question))
                reveal()
                return [.bell]
            }
            return go(to: test.visible.first { $0 > index }.map(Place.question) ?? .review)
        }
    }

    mutating func goBack() -> [Effect] {
        switch place {
        case .review:
            guard let last = test.visible.last else { return [.bell] }
            return go(to: .question(last))
        case .question(let index):
            guard let previous = test.visible.last(where: { $0 < index }) else {
                message = Message(text: words.isFirst, isError: false)
                return [.bell]
            }
            return go(to: .question(previous))
        }
    }

    mutating func go(to place: Place) -> [Effect] {
        // An incomplete number stays as written; the review names it.
        settleAnswer()
        enter(place)
        return [.save]
    }

    /// Goes to the next part; after the last one to the next question.
    mutating func goToNextPart() -> [Effect] {
        guard editor.parts.indices.contains(editor.part + 1) else { return goForward() }
        if let problem = settleActive() {
            if let active = editor.active { message = Message(text: words.problem(problem, with: active)) }
            reveal()
            return [.bell]
        }
        enter(part: editor.part + 1)
        reveal()
        return [.save]
    }

    /// Goes to the part before; from the first one to the question before.
    mutating func goToFormerPart() -> [Effect] {
        guard editor.part > 0 else { return goBack() }
        _ = settleActive()
        enter(part: editor.part - 1)
        reveal()
        return [.save]
    }

    /// Writes a number as the world reads it: with a point, without spaces.
    ///
    /// Dates and times become canonical, too.
    ///
    /// - Returns: what is wrong with the answer.
    @discardableResult
    mutating func settleAnswer() -> AnswerProblem? {
        guard let question = editor.question else { return nil }
        if let active = editor.active, let problem = settleActive() {
            return editor.parts.isEmpty ? problem : .part(active.id, problem)
        }
        // What is missing can be given later: the review names it.
        return test.record.problem(with: question).flatMap { $0.isIncomplete ? nil : $0 }
    }

    private mutating func settleActive() -> AnswerProblem? {
        let localOffset = test.localOffset
        return edit { $0.settle(localOffset: localOffset) }
    }

    /// Flags the question to come back to, or takes the flag away.
    mutating func toggleFlag() -> [Effect] {
        guard let index = questionHere else { return [.bell] }
        let id = test.questionnaire.questions[index].id
        test.record.toggleFlag(id)
        message = Message(
            text: test.record.flagged.contains(id)
                ? words.text("Flagged: come back later") : words.text("Flag removed"),
            isError: false)
        return [.save]
    }
}
