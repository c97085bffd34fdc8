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
            case .instance(let section, let number):
                let key = text.count == 1 ? text.first.map(Key.character) : nil
                if let effects = change(section, number, by: key.flatMap(TakeScreen.instanceChange)) { return effects }
            case .removingInstance(let section, let number):
                return text.first.map { isYes(.character($0)) } == true
                    ? removeInstance(section, number) : keptInstance()
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
        case ":b": return goToFormerPart()
        case ":n": return goForward()
        case ":r": return go(to: .review)
        case ":t": return turnPassage()
        case ":i": return askAboutInstance()
        case ":f": return toggleFlag()
        case ":l": return switchLanguage()
        case ":s" where place == .review: return finish(despiteGaps: false)
        case "": return place == .review ? [] : goToNextPart()
        default: break
        }
        let numbers = line.split { !$0.isNumber }.map { Int($0) ?? 0 }
        guard let active else {
            return choosable(numbers, count: visible.count)
                ? go(to: .question(visible[numbers[0] - 1])) : [.bell]
        }
        switch active.input {
        case .nothing: return goForward()
        case .files:
            message = Message(text: words.text("Files are attached with the command above; then go on."))
            return [.bell]
        case .text, .decimal, .moment, .location, .rows, .gaps:
            // The line is the whole answer, whatever was there before.
            var written = TextField(isNumber: field.isNumber)
            guard written.insert(line) else {
                message = Message(text: field.isNumber ? words.onlyNumbers : words.tooLong)
                return [.bell]
            }
            field = written
            putField()
        case .order: return order(numbers, of: active)
        case .option, .options:
            if numbers.isEmpty, active.allowsOther {
                putOther(line, to: active)
                break
            }
            guard choosable(numbers, count: active.options.count) else { return [.bell] }
            if !active.kind.isMultiple, numbers.count > 1 {
                message = Message(text: words.onlyOne)
                return [.bell]
            }
            let own = active.kind.isMultiple ? activeMatch.own : []
            putActive(active.answer(choosingShown: numbers.map { $0 - 1 }, keeping: own))
        }
        return [.save] + goToNextPart()
    }

    /// The options of a ranking by their numbers in the question's order.
    private mutating func order(_ numbers: [Int], of question: Question) -> [Effect] {
        guard choosable(numbers, count: question.options.count) else { return [.bell] }
        var seen: Set<Int> = []
        if let twice = numbers.first(where: { !seen.insert($0).inserted }) {
            message = Message(text: words.placedTwice(twice))
            return [.bell]
        }
        putActive(question.answer(ranking: numbers.map { $0 - 1 }))
        if let problem = question.problem(with: activeAnswer) {
            message = Message(text: words.problem(problem, with: question))
            return [.save, .bell]
        }
        return [.save] + goForward()
    }

    /// What a terminal that only prints shows: the question, or the next of its parts.
    func printedLines(isNewQuestion: Bool) -> [Line] {
        guard case .question = place, let question else { return contentLines }
        guard question.input == .order else {
            return Array(content.head.dropFirst(isNewQuestion ? 0 : content.partStart)) + askedLines
        }
        let options = question.optionLabels.enumerated().flatMap { index, option in
            wrap("\(index + 1) \(line(option))", width: size.textWidth).map { Line($0) }
        }
        let answer = record.answer(to: question.id)
        let order = ranking.places.isEmpty ? [] : [Line(words.order(question.line(answer, author: line)))]
        return content.head + options + order + ownLines
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
