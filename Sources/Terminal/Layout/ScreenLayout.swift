import Model

/// How the screen looks: its header, content and footer as rows, computed from its state.
struct ScreenLayout {
    let screen: TakeScreen
    private var test: TakenTest { screen.test }
    private var words: TakeWords { screen.test.words }
    private var size: ScreenSize { screen.size }
    private var isPlain: Bool { screen.isPlain }

    init(_ screen: TakeScreen) { self.screen = screen }

    /// All rows of the screen, never more than there is room for.
    var frame: Frame {
        var header = headerLines
        var footer = footerLines
        let height = max(1, size.rows - header.count - footer.count)
        let all = contentLines
        let top = min(screen.scroll, max(0, all.count - height))
        var lines = Array(all[min(top, all.count)..<min(top + height, all.count)])
        lines += Array(repeating: Line(), count: height - lines.count)
        if top > 0, !isCompact { header[header.count - 1] = moreLine("↑", "^") }
        if top + height < all.count, !footer.isEmpty {
            let more = moreLine("↓", "v")
            let left = Line.Span(footer[0].text, footer[0].spans.first?.style ?? .plain)
            footer[0] = isCompact ? Line(left, right: more.spans, width: size.textWidth) : more
        }
        let cursor = page.map(\.cursorPlace) ?? (row: review.focusRows.lowerBound, column: 0)
        let isVisible = cursor.row >= top && cursor.row < top + height
        return Frame(
            lines: Array((header + lines + footer).prefix(size.rows).map { $0.indented(by: size.margin) }),
            cursorRow: isVisible ? min(header.count + cursor.row - top, size.rows - 1) : 0,
            cursorColumn: isVisible ? min(size.margin + cursor.column, size.columns - 1) : 0,
            showsCursor: isVisible && screen.editor.isWriting)
    }

    private func moreLine(_ arrow: String, _ plainArrow: String) -> Line {
        Line((isPlain ? plainArrow : arrow) + " " + words.more, .faint)
    }

    /// Little room: only what is needed.
    private var isCompact: Bool { size.rows < 12 }
    private var isTiny: Bool { size.rows < 6 }

    // MARK: Content

    /// `nil` in the review.
    var page: QuestionPage? {
        guard case .question = screen.place else { return nil }
        return QuestionPage(
            content: screen.content, editor: screen.editor, words: words, size: size, isPlain: isPlain)
    }

    var review: ReviewPage {
        ReviewPage(
            test: test, highlight: screen.reviewRow, buttonTitle: screen.buttonTitle, size: size, isPlain: isPlain)
    }

    var contentLines: [Line] { page?.lines ?? review.lines }

    var viewport: Viewport {
        let page = page
        return Viewport(
            top: screen.scroll, height: max(1, size.rows - headerLines.count - footerLines.count),
            contentHeight: page?.height ?? review.height, focus: page?.focusRows ?? review.focusRows)
    }

    // MARK: Header

    var headerLines: [Line] {
        var lines: [Line] = []
        let width = size.textWidth
        if !isTiny {
            let state = screen.networkState.map { [Line.Span(clip($0, width: 24), .faint)] } ?? []
            lines.append(Line(Line.Span(test.questionnaire.title, .strong), right: state, width: width))
        }
        lines.append(progressLine)
        if let notice = screen.notice, !isCompact {
            lines += wrap((isPlain ? "! " : "▲ ") + notice, width: width).prefix(2).map { Line($0, .warning) }
        }
        if !isCompact { lines.append(Line()) }
        return lines
    }

    private var progressLine: Line {
        let rows = test.visible
        let count = rows.count
        let width = size.textWidth
        let label: String
        let done: Int
        switch screen.place {
        case .question(let index):
            done = rows.count { $0 <= index }
            let isFlagged = test.record.flagged.contains(test.questionnaire.questions[index].id)
            label = words.place(done, of: count) + (isFlagged ? (isPlain ? " [F]" : " ⚑") : "")
        case .review:
            label = words.review
            done = count
        }
        var time: [Line.Span] = []
        if let left = screen.timeLeft {
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
        if !isCompact { lines += hints.lines(size) }
        return lines
    }

    private var statusLines: [Line] {
        let width = size.textWidth
        let saveFault = screen.saveFault
        if screen.confirmation == .leavingUnsaved {
            return wrap(words.leaveUnsaved(saveFault ?? ""), width: width).map { Line($0, .error) }
        }
        if let message = screen.message {
            let lines = wrap(message.text, width: width).map { Line($0, message.isError ? .error : .warning) }
            // A failure to save is shown first.
            return (saveFault.map { [Line(clip(words.notSaved($0), width: width), .error)] } ?? []) + lines
        }
        if let saveFault { return wrap(words.notSaved(saveFault), width: width).map { Line($0, .error) } }
        let answers = test.record.answers
        let isSaved = !answers.isEmpty && answers == screen.savedRecord.answers
        return [isSaved ? Line(words.saved, .faint) : Line()]
    }

    var hints: KeyHints {
        let isAtButton = screen.place == .review && screen.reviewRow == test.visible.count
        let question = screen.questionHere.map { test.questionnaire.questions[$0] }
        return KeyHints(
            words: words, editor: screen.editor, button: isAtButton ? screen.buttonTitle : nil,
            showsPassage: test.passage(of: screen.editor.question) == nil ? nil : screen.showsPassage,
            instances: screen.instanceWords, isFlagged: question.map { test.record.flagged.contains($0.id) },
            hasLanguages: !test.questionnaire.languages.isEmpty, isPlain: isPlain)
    }
}
