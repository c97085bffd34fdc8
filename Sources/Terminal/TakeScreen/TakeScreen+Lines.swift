import Model

// The test on a terminal that only prints: each line that is entered answers the question, or is a command.

extension TakeScreen {
    /// Processes a line.
    mutating func handle(line: String) -> [Effect] {
        let line = line.last == "\r" ? String(line.dropLast()) : line
        let text = TakeScreen.withoutSpaces(line)
        if let asked = confirmation {
            confirmation = nil
            switch asked {
            case .leavingUnsaved: return text.first.map { isYes(.character($0)) } == true ? [.leaveUnsaved] : []
            case .finishingWithGaps: if text.isEmpty || text == ":s" { return finish(despiteGaps: true) }
            }
        }
        message = nil
        let effects = act(on: line)
        noteResume()
        return effects
    }

    private static func withoutSpaces(_ line: String) -> Substring {
        var text = Substring(line)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    private mutating func act(on line: String) -> [Effect] {
        // Spaces at the end are part of a text, and of nothing else.
        switch TakeScreen.withoutSpaces(line) {
        case ":q": return leave()
        case ":b": return goBack()
        case ":n": return goForward()
        case ":r": return go(to: .review)
        case ":s" where place == .review: return finish(despiteGaps: false)
        case "": return place == .review ? [] : goForward()
        default: break
        }
        let numbers = line.split { !$0.isNumber }.map { Int($0) ?? 0 }
        guard let question else {
            return choosable(numbers, count: visible.count)
                ? go(to: .question(visible[numbers[0] - 1])) : [.bell]
        }
        switch question.input {
        case .nothing: return goForward()
        case .files:
            message = Message(text: words.text("Files are attached with the command above; then go on."))
            return [.bell]
        case .text, .decimal, .moment, .location, .order, .rows, .gaps:
            // The line is the whole answer, whatever was there before.
            var written = TextField(isNumber: field.isNumber)
            guard written.insert(line) else {
                message = Message(text: field.isNumber ? words.onlyNumbers : words.tooLong)
                return [.bell]
            }
            field = written
            putField()
        case .option, .options:
            if numbers.isEmpty, question.allowsOther {
                putOther(line, to: question)
                break
            }
            guard choosable(numbers, count: question.options.count) else { return [.bell] }
            if !question.kind.isMultiple, numbers.count > 1 {
                message = Message(text: words.onlyOne)
                return [.bell]
            }
            let own = question.kind.isMultiple ? ownAnswers(of: question) : []
            put(question.answer(choosing: numbers.map { $0 - 1 }, keeping: own))
        }
        return [.save] + goForward()
    }

    /// The numbers, if each is valid; otherwise an error is shown.
    private mutating func choosable(_ numbers: [Int], count: Int) -> Bool {
        guard !numbers.isEmpty else {
            message = Message(text: words.enterANumber(count: count))
            return false
        }
        guard let wrong = numbers.first(where: { $0 < 1 || $0 > count }) else { return true }
        message = Message(text: words.noSuchOption(wrong, count: count))
        return false
    }
}
