import Model

// From question to question, and out.

extension TakeScreen {
    mutating func finish(despiteGaps: Bool) -> [Effect] {
        let missing = numbers(in: .missing)
        let wrong = numbers(in: .wrong)
        if let first = (missing + wrong).min() {
            message = Message(
                text: words.blocked(
                    missing: missing, wrong: wrong,
                    isNumbers: wrong.allSatisfy { isNotNumber(questionnaire.questions[visible[$0 - 1]]) }))
            highlight = first - 1
            reveal()
            noteResume()
            return [.bell]
        }
        let open = numbers(in: .open)
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
            if let question, let problem = settleAnswer() {
                message = Message(text: words.problem(problem, with: question))
                reveal()
                return [.bell]
            }
            return go(to: visible.first { $0 > index }.map(Place.question) ?? .review)
        }
    }

    mutating func goBack() -> [Effect] {
        switch place {
        case .review:
            guard let last = visible.last else { return [.bell] }
            return go(to: .question(last))
        case .question(let index):
            guard let previous = visible.last(where: { $0 < index }) else {
                message = Message(text: words.isFirst, isError: false)
                return [.bell]
            }
            return go(to: .question(previous))
        }
    }

    mutating func go(to place: Place) -> [Effect] {
        // An incomplete number stays as written; the review names it.
        _ = settleAnswer()
        enter(place)
        return [.save]
    }
}
