import Model

/// The review as rows: all questions that are shown with their answers, under the titles of their sections, and the button.
struct ReviewPage {
    let test: TakenTest
    /// The question, among those that are shown, on which the person is; their number is the button.
    let highlight: Int
    let buttonTitle: String
    let size: ScreenSize
    let isPlain: Bool

    /// A title above a question; empty where questions of no section follow those of one.
    struct Title: Hashable, Sendable {
        var row: Int
        var text: String
    }

    /// Rows above the list.
    private static let start = 2

    var titles: [Title] {
        let questionnaire = test.questionnaire
        if questionnaire.sections.isEmpty { return [] }
        var titles: [Title] = []
        var row = 0
        for group in questionnaire.groups(test.visible) {
            let title = group.section?.title ?? ""
            if !title.isEmpty || !titles.isEmpty {
                titles.append(Title(row: row, text: title.isEmpty ? "" : questionnaire.textFormat.line(of: title)))
            }
            row += group.places.count
        }
        return titles
    }

    var height: Int { Self.start + test.visible.count + titles.count + 2 }

    /// The row on which the person is.
    var focusRows: Range<Int> {
        let row = row(of: highlight, titles)
        return row..<row + 1
    }

    /// The last question, or the button, at or above a row.
    func question(atRow row: Int) -> Int {
        let titles = titles
        return (0...test.visible.count).last { self.row(of: $0, titles) <= row } ?? 0
    }

    private func row(of question: Int, _ titles: [Title]) -> Int {
        let count = test.visible.count
        return Self.start + question + titles.count { $0.row <= question && question < count }
            + (question == count ? titles.count + 1 : 0)
    }

    var lines: [Line] {
        let rows = test.visible
        let summary = test.words.answered(test.answeredCount, of: test.askedCount)
        var lines = [Line(clip(summary, width: size.textWidth), .strong), Line()]
        let titles = Dictionary(titles.map { ($0.row, $0.text) }) { first, _ in first }
        for (row, index) in rows.enumerated() {
            if let title = titles[row] { lines.append(Line(clip(title, width: size.textWidth), .strong)) }
            lines.append(line(row, test.questionnaire.questions[index], of: rows.count))
        }
        lines.append(Line())
        let isFocused = highlight == rows.count
        let pointer = isFocused ? (isPlain ? "> " : "› ") : "  "
        let title = clip(buttonTitle, width: size.textWidth - 6)
        lines.append(Line([Line.Span(pointer, .focused), Line.Span("[ \(title) ]", isFocused ? .focused : .plain)]))
        return lines
    }

    private func line(_ index: Int, _ question: Question, of count: Int) -> Line {
        let words = test.words
        let state = test.state(of: question)
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
        let flag = test.record.flagged.contains(question.id) ? (isPlain ? "[F] " : "⚑ ") : ""
        let text = clip(flag + question.textWithBlanks(author: test.line), width: questionWidth)
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
        let text = question.shown(test.record.answer(to: question.id), author: test.line)
            .joined(separator: separator)
        // A file alone is an answer, too.
        return text.isEmpty ? test.attachedWords(question) ?? "" : text
    }
}
