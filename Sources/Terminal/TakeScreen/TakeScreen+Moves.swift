import Model

// From question to question, and out.

extension TakeScreen {
    mutating func finish(despiteGaps: Bool) -> [Effect] {
        let missing = numbers(in: .missing)
        let wrong = numbers(in: .wrong)
        if let first = (missing + wrong).min() {
            message = Message(text: words.blocked(missing: missing, wrong: wrong))
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
            guard settleNumber() else {
                message = Message(text: words.notANumber(field.text))
                reveal()
                return [.bell]
            }
            return go(to: index + 1 < questionnaire.questions.count ? .question(index + 1) : .review)
        }
    }

    mutating func goBack() -> [Effect] {
        switch place {
        case .review:
            guard !questionnaire.questions.isEmpty else { return [.bell] }
            return go(to: .question(questionnaire.questions.count - 1))
        case .question(let index):
            guard index > 0 else {
                message = Message(text: words.isFirst, isError: false)
                return [.bell]
            }
            return go(to: .question(index - 1))
        }
    }

    mutating func go(to place: Place) -> [Effect] {
        // An incomplete number stays as written; the review names it.
        _ = settleNumber()
        enter(place)
        return [.save]
    }
}
