import Model

// The effects of the keys.

extension TakeScreen {
    /// Takes one key.
    mutating func handle(_ key: Key) -> [Effect] {
        if let asked = confirmation {
            confirmation = nil
            switch asked {
            case .leavingUnsaved: return isYes(key) ? [.leaveUnsaved] : []
            case .finishingWithGaps: if key == .enter { return finish(despiteGaps: true) }
            case .instance(let section, let number):
                if let effects = change(section, number, by: TakeScreen.instanceChange(key)) { return effects }
            case .removingInstance(let section, let number):
                return isYes(key) ? removeInstance(section, number) : keptInstance()
            }
        }
        message = nil
        var effects = settleDigits(before: key)
        effects += act(on: key)
        scroll = min(scroll, lastScroll)
        noteResume()
        return effects
    }

    /// No second digit has come: the first one was the whole number.
    mutating func settleDigits() -> [Effect] {
        guard let digit = pendingDigit else { return [] }
        pendingDigit = nil
        choose(digit - 1)
        noteResume()
        return [.save]
    }

    private mutating func settleDigits(before key: Key) -> [Effect] {
        if case .character(let character) = key, TakeScreen.digit(character) != nil { return [] }
        return settleDigits()
    }

    func isYes(_ key: Key) -> Bool {
        switch key {
        case .character(let letter): Language.allCases.contains { $0.text("y") == letter.lowercased() }
        case .control("c"): true
        default: false
        }
    }

    private mutating func act(on key: Key) -> [Effect] {
        if question?.input == .order, let effects = actInRanking(on: key) { return effects }
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
        case .pageDown: return scroll(by: viewHeight - 1) ? followScroll(down: true) : goForward()
        case .pageUp: return scroll(by: 1 - viewHeight) ? followScroll(down: false) : goBack()
        default: break
        }
        if place == .review { return actInReview(on: key) }
        return isWriting ? actInText(on: key) : actInOptions(on: key)
    }

    /// The highlight of the review goes along with a page.
    private mutating func followScroll(down: Bool) -> [Effect] {
        guard place == .review else { return [] }
        let (row, titles) = (down ? scroll + viewHeight - 1 : scroll, reviewTitles)
        highlight = (0...visible.count).last { reviewRow($0, titles) <= row } ?? 0
        reveal()
        return []
    }

    // MARK: Options

    private mutating func actInOptions(on key: Key) -> [Effect] {
        guard let active else { return [.bell] }
        let last = active.options.count - 1
        switch key {
        case .up:
            if readOn(down: false) { return [] }
            if highlight > 0, last >= 0 {
                highlightOption(highlight - 1)
            } else if part > 0 {
                enterPart(part - 1)
                highlightOption(max(0, parts[part].options.count - 1))
            } else {
                _ = scroll(by: -scrollStep)
            }
        case .down:
            if last < 0 {
                _ = scroll(by: scrollStep)
            } else if !readOn(down: true) {
                if highlight < last {
                    highlightOption(highlight + 1)
                } else if parts.indices.contains(part + 1) {
                    enterPart(part + 1)
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
            guard focusIsVisible else { return revealed() }
            // Going on takes no other answer for one that no option says.
            let match = activeMatch
            if active.kind.isMultiple || match.places.contains(highlight) || !match.own.isEmpty {
                return goToNextPart()
            }
            choose(highlight)
            return [.save] + goToNextRow()
        case .backspace, .delete:
            clearAnswer()
            return [.save]
        case .character(let character):
            if let digit = TakeScreen.digit(character) { return type(digit) }
            return actOnLetter(character)
        default: return [.bell]
        }
        return []
    }

    private mutating func chooseHighlighted() -> [Effect] {
        guard focusIsVisible else { return revealed() }
        choose(highlight)
        return [.save]
    }

    /// An invisible option is not chosen.
    private mutating func revealed() -> [Effect] {
        reveal()
        return []
    }

    private mutating func highlightOption(_ index: Int) {
        highlight = index
        reveal()
    }

    /// Commands of one letter, by the key and not by the layout: they are where q and r are on a Russian keyboard.
    private mutating func actOnLetter(_ character: Character) -> [Effect] {
        switch character {
        case "o", "O", "щ", "Щ":
            guard question?.allowsOther == true else { return [.bell] }
            writeOther()
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
        guard let active, !active.options.isEmpty else { return [.bell] }
        let count = active.options.count
        var effects: [Effect] = []
        var number = digit
        if let first = pendingDigit {
            pendingDigit = nil
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
            pendingDigit = number
            return effects
        }
        choose(number - 1)
        return effects + [.save] + (active.kind.isMultiple ? [] : goToNextRow())
    }

    /// A row that has its one option is done; after the last one the person stays.
    private mutating func goToNextRow() -> [Effect] {
        guard parts.indices.contains(part + 1) else { return [] }
        enterPart(part + 1)
        reveal()
        return []
    }

    // MARK: Text and numbers

    private mutating func actInText(on key: Key) -> [Effect] {
        switch key {
        case .up:
            if readOn(down: false) { return [] }
            guard field.moveRow(by: -1, width: fieldWidth) else {
                if part > 0 { return goToFormerPart() }
                _ = scroll(by: -scrollStep)
                return []
            }
        case .down:
            if readOn(down: true) { return [] }
            if !field.moveRow(by: 1, width: fieldWidth), parts.indices.contains(part + 1) { return goToNextPart() }
        case .enter: return goToNextPart()
        default:
            if let moved = move(by: key) {
                if !moved { return [.bell] }
            } else if let changed = edit(by: key) {
                putField()
                reveal()
                return changed ? [] : [.bell]
            } else {
                return [.bell]
            }
        }
        reveal()
        return []
    }

    /// - Returns: `nil` when the key is none that moves the cursor.
    private mutating func move(by key: Key) -> Bool? {
        switch key {
        case .left, .control("b"): field.moveLeft()
        case .right, .control("f"): field.moveRight()
        case .wordLeft: field.moveWordLeft()
        case .wordRight: field.moveWordRight()
        case .home, .control("a"):
            // At the edge already: nothing to complain of.
            field.moveToLineStart() || true
        case .end, .control("e"): field.moveToLineEnd() || true
        default: nil
        }
    }

    /// - Returns: `nil` when the key writes nothing.
    private mutating func edit(by key: Key) -> Bool? {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text): insert(text)
        case .lineBreak: breakLine()
        case .backspace: field.backspace()
        case .delete, .control("d"): field.delete()
        case .deleteWord, .control("w"): field.deleteWord()
        case .control("u"): field.deleteToLineStart()
        case .control("k"): field.deleteToLineEnd()
        default: nil
        }
    }

    private mutating func breakLine() -> Bool {
        if field.isOneLine { message = Message(text: words.text("The answer to this question has one line.")) }
        return field.isNumber || field.isOneLine ? false : insert("\n")
    }

    private mutating func insert(_ text: String) -> Bool {
        let isWhole = field.insert(text)
        if !isWhole { message = Message(text: field.isNumber ? words.onlyNumbers : words.tooLong) }
        return isWhole
    }

    // MARK: Review

    private mutating func actInReview(on key: Key) -> [Effect] {
        let rows = visible
        let last = rows.count
        switch key {
        case .up: highlight = max(0, highlight - 1)
        case .down: highlight = min(last, highlight + 1)
        case .home: highlight = 0
        case .end: highlight = last
        case .left: return goBack()
        case .right: return [.bell]
        case .enter, .character(" "):
            if highlight < last { return go(to: .question(rows[highlight])) }
            return key == .enter ? finish(despiteGaps: false) : [.bell]
        case .character(let character): return actOnLetter(character)
        default: return [.bell]
        }
        reveal()
        return []
    }
}
