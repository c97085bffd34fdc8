import Model

/// A question as rows: what is read, its options or its field, its other parts; and where in them the person is.
struct QuestionPage {
    let content: QuestionContent
    let editor: QuestionEditor
    let words: TakeWords
    let size: ScreenSize
    let isPlain: Bool

    var lines: [Line] { content.head + askedLines + content.tail }

    var height: Int {
        // A title above the field.
        (editor.isWriting
            ? content.head.count + 1 + fieldLayout.rows.count
            : (content.optionRanges.last?.upperBound ?? content.head.count) + ownLines.count) + content.tail.count
    }

    /// The rows on which the person is.
    var focusRows: Range<Int> {
        if editor.isWriting {
            let row = content.head.count + 1 + fieldLayout.position(of: editor.field.cursor).row
            return row..<row + 1
        }
        return content.optionRanges.indices.contains(editor.highlight)
            ? content.optionRanges[editor.highlight] : 0..<0
    }

    /// The cursor's row, and its column in the text. For options it is, invisible, at the person's position: braille
    /// displays and screen readers follow it.
    var cursorPlace: (row: Int, column: Int) {
        guard editor.isWriting else { return (focusRows.lowerBound, 0) }
        let place = fieldLayout.position(of: editor.field.cursor)
        return (content.head.count + 1 + place.row, 2 + place.column)
    }

    /// What is asked, or its field.
    var askedLines: [Line] { editor.isWriting ? fieldLines : optionLines }

    private var fieldLayout: TextLayout { editor.field.layout(width: size.fieldWidth) }

    private var fieldLines: [Line] {
        let bar = isPlain ? "| " : "┃ "
        let title = Line(
            clip(editor.active.map(words.fieldTitle) ?? words.answerTitle, width: size.textWidth), .faint)
        let texts = BidirectionalControls.balanced(rows: fieldLayout.rows.map(\.text))
        return [title] + texts.map { Line([Line.Span(bar, .good), Line.Span($0)]) }
    }

    private var optionLines: [Line] {
        guard let active = editor.active else { return [] }
        let chosen = Set(editor.activeMatch.places)
        let placed = active.input == .order ? editor.ranking.places.count : nil
        let pointer = isPlain ? "> " : "› "
        var lines: [Line] = []
        for (index, rows) in content.options.enumerated() {
            let number = placed.map { index < $0 } ?? true ? String(index + 1) : isPlain ? "-" : "–"
            let isFocused = index == editor.highlight
            let isMoved = isFocused && editor.isMoving
            let mark =
                placed == nil
                ? mark(active.kind.isMultiple, chosen.contains(index))
                : isMoved ? (isPlain ? "<->" : " ↕ ") : "   "
            let style: Line.Style = isFocused ? .focused : .plain
            for (row, text) in rows.enumerated() {
                guard row == 0 else {
                    lines.append(Line(text, style).indented(by: content.optionIndent))
                    continue
                }
                let padding = String(repeating: " ", count: content.numberWidth - number.count)
                lines.append(
                    Line([
                        Line.Span((isFocused ? pointer : "  ") + padding + number + " ", style),
                        Line.Span(mark, chosen.contains(index) || isMoved ? .good : style),
                        Line.Span(" " + text, style),
                    ]))
            }
        }
        return lines + ownLines
    }

    /// Texts of the answer that are none of the options.
    var ownLines: [Line] {
        guard let active = editor.active, !editor.isWriting else { return [] }
        let own = active.input == .order ? editor.ranking.own : editor.activeMatch.own
        if own.isEmpty { return [] }
        return [Line()]
            + wrap(
                active.allowsOther ? words.otherAnswer(own) : words.ownAnswer(own), width: size.textWidth
            ).map { Line($0, active.allowsOther ? .plain : .warning) }
    }

    private func mark(_ isMultiple: Bool, _ isChosen: Bool) -> String {
        switch (isMultiple, isChosen) {
        case (true, true): "[x]"
        case (true, false): "[ ]"
        case (false, true): isPlain ? "(*)" : "(•)"
        case (false, false): "( )"
        }
    }
}
