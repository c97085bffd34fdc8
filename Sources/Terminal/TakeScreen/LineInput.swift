import Model

/// A line that was entered on a terminal that only prints: it answers the question on the screen, or is a command.
struct LineInput {
    private let line: String
    /// Spaces at the end are part of a text, and of nothing else.
    private let text: Substring

    init(_ line: String) {
        self.line = line.last == "\r" ? String(line.dropLast()) : line
        var text = Substring(line)
        while text.last?.isWhitespace == true { text.removeLast() }
        self.text = text
    }

    /// Does what the line says.
    func enter(into screen: inout TakeScreen) -> [TakeScreen.Effect] {
        if let asked = screen.confirmation {
            screen.confirmation = nil
            switch asked {
            case .leavingUnsaved: return isYes ? [.leaveUnsaved] : []
            case .finishingWithGaps: if text.isEmpty || text == ":s" { return screen.finish(despiteGaps: true) }
            case .instance(let section, let number):
                let key = text.count == 1 ? text.first.map(Key.character) : nil
                if let effects = screen.change(section, number, by: key.flatMap(TakeScreen.instanceChange)) {
                    return effects
                }
            case .removingInstance(let section, let number):
                return isYes ? screen.removeInstance(section, number) : screen.keptInstance()
            }
        }
        screen.message = nil
        let effects = act(on: &screen)
        screen.noteResume()
        return effects
    }

    private var isYes: Bool { text.first.map { TakeScreen.isYes(.character($0)) } ?? false }

    private func act(on screen: inout TakeScreen) -> [TakeScreen.Effect] {
        switch text {
        case ":q": return screen.leave()
        case ":b": return screen.goToFormerPart()
        case ":n": return screen.goForward()
        case ":r": return screen.go(to: .review)
        case ":t": return screen.turnPassage()
        case ":i": return screen.askAboutInstance()
        case ":f": return screen.toggleFlag()
        case ":l": return screen.switchLanguage()
        case ":s" where screen.place == .review: return screen.finish(despiteGaps: false)
        case "": return screen.place == .review ? [] : screen.goToNextPart()
        default: break
        }
        let numbers = line.split { !$0.isNumber }.map { Int($0) ?? 0 }
        guard let active = screen.editor.active else {
            return choosable(numbers, count: screen.test.visible.count, &screen)
                ? screen.go(to: .question(screen.test.visible[numbers[0] - 1])) : [.bell]
        }
        switch active.input {
        case .nothing: return screen.goForward()
        case .files:
            screen.message = .init(text: screen.words.text("Files are attached with the command above; then go on."))
            return [.bell]
        case .text, .decimal, .moment, .location, .rows, .gaps:
            // The line is the whole answer, whatever was there before.
            var written = TextField(isNumber: screen.editor.field.isNumber)
            guard written.insert(line) else {
                screen.message = .init(
                    text: screen.editor.field.isNumber ? screen.words.onlyNumbers : screen.words.tooLong)
                return [.bell]
            }
            screen.edit { editor in
                editor.field = written
                editor.putField()
            }
        case .order: return order(numbers, of: active, &screen)
        case .option, .options:
            if numbers.isEmpty, active.allowsOther {
                screen.edit { $0.putOther(line) }
                break
            }
            guard choosable(numbers, count: active.options.count, &screen) else { return [.bell] }
            if !active.kind.isMultiple, numbers.count > 1 {
                screen.message = .init(text: screen.words.onlyOne)
                return [.bell]
            }
            let own = active.kind.isMultiple ? screen.editor.activeMatch.own : []
            screen.edit { $0.put(active.answer(choosingShown: numbers.map { $0 - 1 }, keeping: own)) }
        }
        return [.save] + screen.goToNextPart()
    }

    /// The options of a ranking by their numbers in the question's order.
    private func order(
        _ numbers: [Int], of question: Question, _ screen: inout TakeScreen
    ) -> [TakeScreen.Effect] {
        guard choosable(numbers, count: question.options.count, &screen) else { return [.bell] }
        var seen: Set<Int> = []
        if let twice = numbers.first(where: { !seen.insert($0).inserted }) {
            screen.message = .init(text: screen.words.placedTwice(twice))
            return [.bell]
        }
        screen.edit { $0.put(question.answer(ranking: numbers.map { $0 - 1 })) }
        if let problem = question.problem(with: screen.editor.activeAnswer) {
            screen.message = .init(text: screen.words.problem(problem, with: question))
            return [.save, .bell]
        }
        return [.save] + screen.goForward()
    }

    /// The numbers, if each is valid; otherwise an error is shown.
    private func choosable(_ numbers: [Int], count: Int, _ screen: inout TakeScreen) -> Bool {
        guard !numbers.isEmpty else {
            screen.message = .init(text: screen.words.enterANumber(count: count))
            return false
        }
        guard let wrong = numbers.first(where: { $0 < 1 || $0 > count }) else { return true }
        screen.message = .init(text: screen.words.noSuchOption(wrong, count: count))
        return false
    }
}
