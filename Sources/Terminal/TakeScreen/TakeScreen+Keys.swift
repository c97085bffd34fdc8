import Model

// The effects of the keys.

extension TakeScreen {
    /// Takes one key.
    mutating func handle(_ key: Key) -> [Effect] {
        if let asked = confirmation {
            confirmation = nil
            switch asked {
            case .leavingUnsaved: return Self.isYes(key) ? [.leaveUnsaved] : []
            case .finishingWithGaps: if key == .enter { return finish(despiteGaps: true) }
            case .instance(let section, let number):
                if let effects = change(section, number, by: TakeScreen.instanceChange(key)) { return effects }
            case .removingInstance(let section, let number):
                return Self.isYes(key) ? removeInstance(section, number) : keptInstance()
            }
        }
        message = nil
        var effects = settleDigits(before: key)
        effects += act(on: key)
        scroll = min(scroll, layout.viewport.lastTop)
        noteResume()
        return effects
    }

    /// No second digit has come: the first one was the whole number.
    mutating func settleDigits() -> [Effect] {
        guard let digit = editor.pendingDigit else { return [] }
        editor.pendingDigit = nil
        choose(digit - 1)
        noteResume()
        return [.save]
    }

    private mutating func settleDigits(before key: Key) -> [Effect] {
        if case .character(let character) = key, TakeScreen.digit(character) != nil { return [] }
        return settleDigits()
    }

    static func isYes(_ key: Key) -> Bool {
        switch key {
        case .character(let letter): Language.allCases.contains { $0.text("y") == letter.lowercased() }
        case .control("c"): true
        default: false
        }
    }

    private mutating func act(on key: Key) -> [Effect] {
        if editor.question?.input == .order, let effects = actInRanking(on: key) { return effects }
        switch key {
        case .escape, .control("c"): return leave()
        case .control("z"): return [.save, .suspend]
        case .control("l"): return [.redraw]
        case .control("r"): return go(to: .review)
        case .control("t"): return turnPassage()
        case .control("g"): return askAboutInstance()
        case .control("o"): return toggleFlag()
        case .control("y"): return switchLanguage()
        case .tab: return goToNextPart()
        case .backTab: return goToFormerPart()
        case .control("n"): return goForward()
        case .control("p"): return goBack()
        case .pageDown: return scrollPage(down: true) ? followScroll(down: true) : goForward()
        case .pageUp: return scrollPage(down: false) ? followScroll(down: false) : goBack()
        default: break
        }
        if place == .review { return actInReview(on: key) }
        return editor.isWriting ? actInText(on: key) : actInOptions(on: key)
    }

    /// The highlight of the review goes along with a page.
    private mutating func followScroll(down: Bool) -> [Effect] {
        guard place == .review else { return [] }
        reviewRow = layout.review.question(atRow: down ? scroll + layout.viewport.height - 1 : scroll)
        reveal()
        return []
    }

    private mutating func choose(_ index: Int) {
        edit { $0.choose(index) }
        if editor.question?.input == .order { reveal() }
    }

    /// Restores the answer from before the last change of this question.
    private mutating func undo() -> [Effect] {
        guard edit({ $0.undo() }) else { return [.bell] }
        layOut()
        reveal()
        return [.save]
    }

    // MARK: Rankings

    /// Keys of a ranking; `nil` for one that means here what it means in a list of options.
    private mutating func actInRanking(on key: Key) -> [Effect]? {
        if editor.isMoving {
            let target: Int? =
                switch key {
                case .up: editor.highlight - 1
                case .down: editor.highlight + 1
                case .home: 0
                case .end: editor.ranking.places.count - 1
                default: nil
                }
            if let target { return revealed(edit { $0.moveOption(to: target) }) }
            if key == .enter || key == .escape {
                editor.isMoving = false
                return []
            }
        }
        switch key {
        case .enter: return layout.viewport.focusIsVisible ? goForward() : nil
        case .character(" "):
            guard layout.viewport.focusIsVisible else { return nil }
            guard edit({ $0.pickOrPlace() }) else { return [] }
            reveal()
            return [.save]
        case .backspace, .delete: return revealed(edit { $0.removePlace() })
        // Keys that only look around.
        case .control("l"), .control("z"): return nil
        default:
            editor.isMoving = false
            return nil
        }
    }

    /// The effects of a change that may have been impossible.
    private mutating func revealed(_ isChanged: Bool) -> [Effect] {
        guard isChanged else { return [.bell] }
        reveal()
        return [.save]
    }

    // MARK: Options

    private mutating func actInOptions(on key: Key) -> [Effect] {
        guard let active = editor.active else { return [.bell] }
        let last = active.options.count - 1
        switch key {
        case .up:
            if readOn(down: false) { return [] }
            if editor.highlight > 0, last >= 0 {
                highlightOption(editor.highlight - 1)
            } else if editor.part > 0 {
                enter(part: editor.part - 1)
                highlightOption(max(0, editor.parts[editor.part].options.count - 1))
            } else {
                scrollOn(down: false)
            }
        case .down:
            if last < 0 {
                scrollOn(down: true)
            } else if !readOn(down: true) {
                if editor.highlight < last {
                    highlightOption(editor.highlight + 1)
                } else if editor.parts.indices.contains(editor.part + 1) {
                    enter(part: editor.part + 1)
                    highlightOption(0)
                }
            }
        case .home: highlightOption(0)
        case .end: highlightOption(max(0, last))
        case .left: return goBack()
        case .right: return goForward()
        case .enter, .character(" "):
            if active.options.isEmpty { return goForward() }
            if key == .character(" ") { return chooseHighlighted() }
            guard layout.viewport.focusIsVisible else { return revealed() }
            // Going on takes no other answer for one that no option says.
            let match = editor.activeMatch
            if active.kind.isMultiple || match.places.contains(editor.highlight) || !match.own.isEmpty {
                return goToNextPart()
            }
            choose(editor.highlight)
            return [.save] + goToNextRow()
        case .backspace, .delete:
            edit { $0.clear() }
            return [.save]
        case .character(let character):
            if let digit = TakeScreen.digit(character) { return type(digit) }
            return actOnLetter(character)
        default: return [.bell]
        }
        return []
    }

    private mutating func chooseHighlighted() -> [Effect] {
        guard layout.viewport.focusIsVisible else { return revealed() }
        choose(editor.highlight)
        return [.save]
    }

    /// An invisible option is not chosen.
    private mutating func revealed() -> [Effect] {
        reveal()
        return []
    }

    private mutating func highlightOption(_ index: Int) {
        editor.highlight = index
        reveal()
    }

    /// Commands of one letter, by the key and not by the layout: they are where q and r are on a Russian keyboard.
    private mutating func actOnLetter(_ character: Character) -> [Effect] {
        switch character {
        case "o", "O", "щ", "Щ":
            guard editor.question?.allowsOther == true else { return [.bell] }
            if editor.writeOther() { reveal() }
            return []
        case "u", "U", "г", "Г": return undo()
        case "q", "Q", "й", "Й": return leave()
        case "r", "R", "к", "К": return go(to: .review)
        default: return [.bell]
        }
    }

    static func digit(_ character: Character) -> Int? {
        guard let value = character.wholeNumberValue, (0...9).contains(value) else { return nil }
        return value
    }

    /// One digit of an option's number. Where a second may follow, the option is highlighted and not yet chosen.
    private mutating func type(_ digit: Int) -> [Effect] {
        guard let active = editor.active, !active.options.isEmpty else { return [.bell] }
        let count = active.options.count
        var effects: [Effect] = []
        var number = digit
        if let first = editor.pendingDigit {
            editor.pendingDigit = nil
            number = first * 10 + digit
            if number > count {
                choose(first - 1)
                effects.append(.save)
                number = digit
            }
        }
        guard (1...count).contains(number) else {
            message = Message(text: words.noSuchOption(number, count: count))
            reveal()
            return effects + [.bell]
        }
        // In a ranking it is a place, and the highlight is on the option that gets it.
        if active.input != .order { highlightOption(number - 1) }
        if number == digit, number * 10 <= count {
            editor.pendingDigit = number
            return effects
        }
        choose(number - 1)
        return effects + [.save] + (active.kind.isMultiple ? [] : goToNextRow())
    }

    /// A row that has its one option is done; after the last one the person stays.
    private mutating func goToNextRow() -> [Effect] {
        guard editor.parts.indices.contains(editor.part + 1) else { return [] }
        enter(part: editor.part + 1)
        reveal()
        return []
    }

    // MARK: Text and numbers

    private mutating func actInText(on key: Key) -> [Effect] {
        switch key {
        case .up:
            if readOn(down: false) { return [] }
            guard editor.field.moveRow(by: -1, width: size.fieldWidth) else {
                if editor.part > 0 { return goToFormerPart() }
                scrollOn(down: false)
                return []
            }
        case .down:
            if readOn(down: true) { return [] }
            if !editor.field.moveRow(by: 1, width: size.fieldWidth), editor.parts.indices.contains(editor.part + 1) {
                return goToNextPart()
            }
        case .enter: return goToNextPart()
        default:
            if let moved = editor.field.move(by: key) {
                if !moved { return [.bell] }
            } else if let changed = write(by: key) {
                edit { $0.putField() }
                reveal()
                return changed ? [] : [.bell]
            } else {
                return [.bell]
            }
        }
        reveal()
        return []
    }

    /// - Returns: `nil` when the key writes nothing.
    private mutating func write(by key: Key) -> Bool? {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .lineBreak: breakLine()
        default: editor.field.delete(by: key)
        }
    }

    private mutating func breakLine() -> Bool {
        let field = editor.field
        if field.isOneLine { message = Message(text: words.text("The answer to this question has one line.")) }
        return field.isNumber || field.isOneLine ? false : insert("\n")
    }

    private mutating func insert(_ text: String) -> Bool {
        let isWhole = editor.field.insert(text)
        if !isWhole { message = Message(text: editor.field.isNumber ? words.onlyNumbers : words.tooLong) }
        return isWhole
    }

    // MARK: Review

    private mutating func actInReview(on key: Key) -> [Effect] {
        let rows = test.visible
        let last = rows.count
        switch key {
        case .up: reviewRow = max(0, reviewRow - 1)
        case .down: reviewRow = min(last, reviewRow + 1)
        case .home: reviewRow = 0
        case .end: reviewRow = last
        case .left: return goBack()
        case .right: return [.bell]
        case .enter, .character(" "):
            if reviewRow < last { return go(to: .question(rows[reviewRow])) }
            return key == .enter ? finish(despiteGaps: false) : [.bell]
        case .character(let character): return actOnLetter(character)
        default: return [.bell]
        }
        reveal()
        return []
    }
}
