import Model

/// The keys that help here, in a word each.
struct KeyHints {
    struct Hint: Hashable, Sendable {
        var key: String
        var does: String

        init(_ key: String, _ does: String) {
            self.key = key
            self.does = does
        }
    }

    let words: TakeWords
    let editor: QuestionEditor
    /// In the review, where the person is at the button.
    let button: String?
    /// Whether the text above the question is shown; `nil` where there is none.
    let showsPassage: Bool?
    /// What can be done with instances; `nil` where nothing is repeated.
    let instances: String?
    /// Whether the question is flagged; `nil` where there is none.
    let isFlagged: Bool?
    let hasLanguages: Bool
    let isPlain: Bool

    /// Two groups: for answering, and for going elsewhere. In each the most needed first: not all fit everywhere.
    var groups: [[Hint]] {
        let upDown = isPlain ? "Up/Down" : "↑↓"
        let leave = Hint("Esc", words.text("exit"))
        let review = Hint("Ctrl-R", words.text("review"))
        let goOn = words.text("next")
        let move = Hint(upDown, words.text("move"))
        let back = Hint("Shift-Tab", words.text("back"))
        let others = Hint(isPlain ? "Left/Right" : "←→", words.text("other questions"))
        let more = moreHints
        let undo = editor.undoable.isEmpty ? [] : [Hint("U", words.text("undo"))]
        let instances = self.instances.map { [Hint("Ctrl-G", $0)] } ?? []
        guard let active = editor.active else {
            let does = button.map { clip($0, width: 40) } ?? words.text("go to the question")
            return [
                [Hint("Enter", does), move] + instances,
                [leave, Hint(isPlain ? "Left" : "←", words.text("back"))] + more,
            ]
        }
        let numbers = active.options.count > 1 ? "1–\(active.options.count)" : "1"
        let other = active.allowsOther ? [Hint("O", words.text("own answer"))] : []
        let passage =
            showsPassage.map {
                instances + [Hint("Ctrl-T", $0 ? words.text("hide the text") : words.text("show the text"))]
            } ?? instances
        switch editor.writesOther ? .text : active.input {
        case .order where editor.isMoving:
            return [[move, Hint("Space", words.text("put down"))], [leave, review] + more]
        case .order:
            let isPlaced = editor.highlight < editor.ranking.places.count
            let pick = Hint("Space", isPlaced ? words.text("pick up") : words.text("next place"))
            let remove = isPlaced ? [Hint("Backspace", words.text("no place"))] : []
            return [
                [move, pick, Hint(numbers, words.text("place", context: "of an option")), Hint("Enter", goOn)] + remove
                    + undo + passage, [leave, others, review] + more,
            ]
        case .text, .rows, .gaps:
            let newLine = active.isOneLine ? [] : [Hint("Alt-Enter", words.text("new line"))]
            return [[Hint("Enter", goOn)] + newLine + passage, [leave, back, review] + more]
        case .files, .nothing: return [[Hint("Enter", goOn)] + passage, [leave, others, review] + more]
        case .decimal, .moment, .location: return [[Hint("Enter", goOn)] + passage, [leave, back, review] + more]
        case .options:
            let keys = numbers + words.text(" or Space")
            let mark = Hint(keys, words.text("mark"))
            return [[move, mark, Hint("Enter", goOn)] + other + undo + passage, [leave, others, review] + more]
        case .option:
            let choose = words.text("choose")
            let isChosen = editor.activeMatch.places.contains(editor.highlight)
            let enter = Hint("Enter", isChosen ? goOn : choose)
            return [[move, Hint(numbers, choose), enter] + other + undo + passage, [leave, others, review] + more]
        }
    }

    /// The keys for the flag of the question, and for the language.
    private var moreHints: [Hint] {
        let flag = isFlagged.map { Hint("Ctrl-O", $0 ? words.text("remove the flag") : words.text("flag")) }
        return [flag].compactMap { $0 } + (hasLanguages ? [Hint("Ctrl-Y", words.text("language"))] : [])
    }

    /// A row for each group; where there is little room, one row.
    func lines(_ size: ScreenSize) -> [Line] {
        let groups = groups
        guard size.rows < 20 else { return groups.map { line($0, width: size.textWidth) } }
        // The keys for leaving are shown even there.
        let first = groups[0].prefix(1) + groups[1].prefix(1)
        return [line(first + groups[0].dropFirst() + groups[1].dropFirst(), width: size.textWidth)]
    }

    private func line(_ hints: some Sequence<Hint>, width: Int) -> Line {
        var spans: [Line.Span] = []
        var column = 0
        for hint in hints {
            let gap = spans.isEmpty ? "" : "   "
            let length = gap.count + displayWidth(hint.key) + 1 + displayWidth(hint.does)
            if !spans.isEmpty, column + length > width { continue }
            spans += [Line.Span(gap), Line.Span(hint.key), Line.Span(" " + hint.does, .faint)]
            column += length
        }
        return Line(spans)
    }
}
