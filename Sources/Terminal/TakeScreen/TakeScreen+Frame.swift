import Model

// How the screen looks.

extension TakeScreen {
    /// All rows of the screen, never more than there is room for.
    var frame: Frame {
        var header = headerLines
        var footer = footerLines
        let height = viewHeight
        let all = contentLines
        let top = min(scroll, max(0, all.count - height))
        var lines = Array(all[min(top, all.count)..<min(top + height, all.count)])
        lines += Array(repeating: Line(), count: height - lines.count)
        if top > 0, !isCompact { header[header.count - 1] = moreLine("↑", "^") }
        if top + height < all.count, !footer.isEmpty {
            let more = moreLine("↓", "v")
            let left = Line.Span(footer[0].text, footer[0].spans.first?.style ?? .plain)
            footer[0] = isCompact ? Line(left, right: more.spans, width: size.textWidth) : more
        }
        let cursor = cursorPlace
        let isVisible = cursor.row >= top && cursor.row < top + height
        return Frame(
            lines: Array((header + lines + footer).prefix(size.rows).map { $0.indented(by: size.margin) }),
            cursorRow: isVisible ? min(header.count + cursor.row - top, size.rows - 1) : 0,
            cursorColumn: isVisible ? min(size.margin + cursor.column, size.columns - 1) : 0,
            showsCursor: isVisible && isWriting)
    }

    /// Little room: only what is needed.
    private var isCompact: Bool { size.rows < 12 }
    private var isTiny: Bool { size.rows < 6 }

    /// The cursor's row in the content and its column in the text. For options it is, invisible, at the person's
    /// position: braille displays and screen readers follow it.
    private var cursorPlace: (row: Int, column: Int) {
        guard isWriting else { return (focusRows.lowerBound, 0) }
        let place = fieldLayout.position(of: field.cursor)
        return (content.head.count + 1 + place.row, 2 + place.column)
    }

    private func moreLine(_ arrow: String, _ plainArrow: String) -> Line {
        Line((isPlain ? plainArrow : arrow) + " " + words.more, .faint)
    }

    // MARK: Header

    var headerLines: [Line] {
        var lines: [Line] = []
        let width = size.textWidth
        if !isTiny {
            let state = networkState.map { [Line.Span(clip($0, width: 24), .faint)] } ?? []
            lines.append(Line(Line.Span(questionnaire.title, .strong), right: state, width: width))
        }
        lines.append(progressLine)
        if let notice, !isCompact {
            lines += wrap((isPlain ? "! " : "▲ ") + notice, width: width).prefix(2).map { Line($0, .warning) }
        }
        if !isCompact { lines.append(Line()) }
        return lines
    }

    private var progressLine: Line {
        let rows = visible
        let count = rows.count
        let width = size.textWidth
        let label: String
        let done: Int
        switch place {
        case .question(let index):
            done = rows.count { $0 <= index }
            let isFlagged = record.flagged.contains(questionnaire.questions[index].id)
            label = words.place(done, of: count) + (isFlagged ? (isPlain ? " [F]" : " ⚑") : "")
        case .review:
            label = words.review
            done = count
        }
        var time: [Line.Span] = []
        if let left = timeLeft {
            time = [
                Line.Span(
                    "  " + (left == 0 ? words.timeIsOver : words.timeLeft(left)), left < 60 ? .error : .plain)
            ]
        }
        let bar = ProgressBar(done: done, total: count, isPlain: isPlain)
        let room = width - displayWidth(label) - 2 - time.reduce(0) { $0 + displayWidth($1.text) }
        guard room >= 5 else { return Line([Line.Span(clip(label, width: width))] + (room >= -2 ? time : [])) }
        let filled = bar.filledColumns(of: room)
        let text = bar.text(width: room)
        return Line(
            [
                Line.Span(label + "  "), Line.Span(String(text.prefix(filled)), .good),
                Line.Span(String(text.dropFirst(filled)), .faint),
            ] + time)
    }

    // MARK: Footer

    /// The same number of rows wherever the content is scrolled to.
    var footerLines: [Line] {
        var lines: [Line] = isCompact ? [] : [Line()]
        let status = statusLines
        if !isTiny || status.contains(where: { $0.spans.first?.style == .error }) {
            lines += status.prefix(isTiny ? 1 : 3)
        }
        if !isCompact { lines += hintLines }
        return lines
    }

    private var statusLines: [Line] {
        let width = size.textWidth
        if confirmation == .leavingUnsaved {
            return wrap(words.leaveUnsaved(saveFault ?? ""), width: width).map { Line($0, .error) }
        }
        if let message {
            let lines = wrap(message.text, width: width).map { Line($0, message.isError ? .error : .warning) }
            // A failure to save is shown first.
            return (saveFault.map { [Line(clip(words.notSaved($0), width: width), .error)] } ?? []) + lines
        }
        if let saveFault { return wrap(words.notSaved(saveFault), width: width).map { Line($0, .error) } }
        let isSaved = !record.answers.isEmpty && record.answers == savedRecord.answers
        return [isSaved ? Line(words.saved, .faint) : Line()]
    }

    // MARK: Content

    var contentLines: [Line] {
        switch place {
        case .review: reviewLines
        case .question: content.head + askedLines + content.tail
        }
    }

    /// What is asked, or its field.
    var askedLines: [Line] { isWriting ? fieldLines : optionLines }

    private var optionLines: [Line] {
        guard let active else { return [] }
        let chosen = Set(activeMatch.places)
        let placed = active.input == .order ? ranking.places.count : nil
        let pointer = isPlain ? "> " : "› "
        var lines: [Line] = []
        for (index, rows) in content.options.enumerated() {
            let number = placed.map { index < $0 } ?? true ? String(index + 1) : isPlain ? "-" : "–"
            let isFocused = index == highlight
            let mark =
                placed == nil
                ? mark(active.kind.isMultiple, chosen.contains(index))
                : isFocused && isMoving ? (isPlain ? "<->" : " ↕ ") : "   "
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
                        Line.Span(mark, chosen.contains(index) || isFocused && isMoving ? .good : style),
                        Line.Span(" " + text, style),
                    ]))
            }
        }
        return lines + ownLines
    }

    /// Texts of the answer that are none of the options.
    var ownLines: [Line] {
        guard let active, !isWriting else { return [] }
        let own = active.input == .order ? ranking.own : activeMatch.own
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

    private var fieldLines: [Line] {
        let bar = isPlain ? "| " : "┃ "
        let title = Line(clip(active.map(words.fieldTitle) ?? words.answerTitle, width: size.textWidth), .faint)
        let texts = BidirectionalControls.balanced(rows: fieldLayout.rows.map(\.text))
        return [title] + texts.map { Line([Line.Span(bar, .good), Line.Span($0)]) }
    }

    // MARK: Review

    private var reviewLines: [Line] {
        let rows = visible
        let summary = words.answered(answeredCount, of: askedCount)
        var lines = [Line(clip(summary, width: size.textWidth), .strong), Line()]
        let titles = Dictionary(reviewTitles.map { ($0.row, $0.text) }) { first, _ in first }
        for (row, index) in rows.enumerated() {
            if let title = titles[row] { lines.append(Line(clip(title, width: size.textWidth), .strong)) }
            lines.append(reviewLine(row, questionnaire.questions[index], of: rows.count))
        }
        lines.append(Line())
        let isFocused = highlight == rows.count
        let pointer = isFocused ? (isPlain ? "> " : "› ") : "  "
        let title = clip(buttonTitle, width: size.textWidth - 6)
        lines.append(Line([Line.Span(pointer, .focused), Line.Span("[ \(title) ]", isFocused ? .focused : .plain)]))
        return lines
    }

    private func reviewLine(_ index: Int, _ question: Question, of count: Int) -> Line {
        let state = state(of: question)
        let isFocused = index == highlight
        let style: Line.Style = isFocused ? .focused : .plain
        let width = size.textWidth
        let numberWidth = String(count).count
        let number = String(index + 1)
        let room = width - 2 - numberWidth - 3
        let (mark, answer, markStyle): (String, String, Line.Style) =
            switch state {
            case .answered where !question.kind.takesAnswer: (" ", "", .faint)
            case .answered: (isPlain ? "+" : "✓", answerText(question), .good)
            case .open: (isPlain ? "." : "·", words.notAnswered, .faint)
            case .missing: ("!", words.needsAnswer, .error)
            case .wrong: ("!", words.needsCorrection(question), .error)
            }
        let front = Line.Span(
            (isFocused ? (isPlain ? "> " : "› ") : "  ")
                + String(repeating: " ", count: numberWidth - number.count) + number + " ", style)
        let questionWidth = room < 44 ? room : room * 11 / 20
        let flag = record.flagged.contains(question.id) ? (isPlain ? "[F] " : "⚑ ") : ""
        let text = clip(flag + question.textWithBlanks(author: line), width: questionWidth)
        var spans = [front, Line.Span(mark, markStyle), Line.Span(" " + text, style)]
        if room >= 44 {
            let gap = questionWidth - displayWidth(text) + 2
            spans.append(Line.Span(String(repeating: " ", count: gap)))
            spans.append(
                Line.Span(
                    clip(answer, width: room - questionWidth - 2), state == .answered ? .plain : markStyle))
        }
        return Line(spans)
    }

    private func answerText(_ question: Question) -> String {
        let separator =
            question.input.isStructured ? question.separator : question.kind.isMultiple ? "; " : "\n"
        let text = question.shown(record.answer(to: question.id), author: line).joined(separator: separator)
        // A file alone is an answer, too.
        return text.isEmpty ? attachedWords(question) ?? "" : text
    }
}
