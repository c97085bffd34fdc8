// The keys, in a word each.

extension TakeScreen {
    struct Hint: Hashable, Sendable {
        var key: String
        var does: String

        init(_ key: String, _ does: String) {
            self.key = key
            self.does = does
        }
    }

    /// Two groups: for answering, and for going elsewhere. In each the most needed first: not all fit everywhere.
    var hints: [[Hint]] {
        let upDown = isPlain ? "Up/Down" : "↑↓"
        let leave = Hint("Esc", words.text("exit"))
        let review = Hint("Ctrl-R", words.text("review"))
        let goOn = words.text("next")
        let move = Hint(upDown, words.text("move"))
        let back = Hint("Shift-Tab", words.text("back"))
        let others = Hint(isPlain ? "Left/Right" : "←→", words.text("other questions"))
        guard let question else {
            let isAtButton = highlight == visible.count
            let does = isAtButton ? clip(buttonTitle, width: 40) : words.text("go to the question")
            return [[Hint("Enter", does), move], [leave, Hint(isPlain ? "Left" : "←", words.text("back"))]]
        }
        let numbers = question.options.count > 1 ? "1–\(question.options.count)" : "1"
        let other = question.allowsOther ? [Hint("O", words.text("own answer"))] : []
        switch writesOther ? .text : question.input {
        case .text, .order, .rows, .gaps:
            let newLine = question.isOneLine ? [] : [Hint("Alt-Enter", words.text("new line"))]
            return [[Hint("Enter", goOn)] + newLine, [leave, back, review]]
        case .files, .nothing: return [[Hint("Enter", goOn)], [leave, others, review]]
        case .decimal, .moment, .location: return [[Hint("Enter", goOn)], [leave, back, review]]
        case .options:
            let keys = numbers + words.text(" or Space")
            let mark = Hint(keys, words.text("mark"))
            return [[move, mark, Hint("Enter", goOn)] + other, [leave, others, review]]
        case .option:
            let choose = words.text("choose")
            let isChosen = chosenOptions(of: question).contains(highlight)
            let enter = Hint("Enter", isChosen ? goOn : choose)
            return [[move, Hint(numbers, choose), enter] + other, [leave, others, review]]
        }
    }

    /// A row for each group; where there is little room, one row.
    var hintLines: [Line] {
        let groups = hints
        guard size.rows < 20 else { return groups.map(hintLine) }
        // The keys for leaving are shown even there.
        let first = groups[0].prefix(1) + groups[1].prefix(1)
        return [hintLine(first + groups[0].dropFirst() + groups[1].dropFirst())]
    }

    private func hintLine(_ hints: some Sequence<Hint>) -> Line {
        var spans: [Line.Span] = []
        var column = 0
        for hint in hints {
            let gap = spans.isEmpty ? "" : "   "
            let length = gap.count + displayWidth(hint.key) + 1 + displayWidth(hint.does)
            if !spans.isEmpty, column + length > size.textWidth { continue }
            spans += [Line.Span(gap), Line.Span(hint.key), Line.Span(" " + hint.does, .faint)]
            column += length
        }
        return Line(spans)
    }
}
