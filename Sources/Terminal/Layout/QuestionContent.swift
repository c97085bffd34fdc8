import Model
import RichText
import Wording

/// A question laid out at one width: computed once, drawn many times.
struct QuestionContent: Sendable {
    /// The description (before the first question), the question and its pictures, and a row of space.
    private(set) var head: [Line] = []
    /// The rows of each option, without number and mark.
    private(set) var options: [[String]] = []
    /// The rows that each option takes, counted from the top of the content.
    private(set) var optionRanges: [Range<Int>] = []
    /// The parts of the question after the one that is asked.
    private(set) var tail: [Line] = []
    /// The row of the head where the part that is asked begins.
    private(set) var partStart = 0
    /// Columns of the highlight, the number and the mark before an option's text.
    private(set) var optionIndent = 0
    /// Columns of the number.
    private(set) var numberWidth = 0

    init() {}

    /// - Parameters:
    ///   - index: the place of the question.
    ///   - showsPassage: whether the text of its section stands above it.
    ///   - isPlain: whether the terminal has no symbols beyond ASCII.
    init(
        of test: TakenTest, at index: Int, _ editor: QuestionEditor, showsPassage: Bool, size: ScreenSize,
        isPlain: Bool
    ) {
        let question = test.questionnaire.questions[index]
        // The question, or the part of it whose options are shown.
        let asked = editor.active ?? question
        let parts = PartLines(editor, words: test.words, size: size, isPlain: isPlain, line: test.line)
        let (words, format) = (test.words, test.questionnaire.textFormat)
        let formatted = FormattedRows(size: size, isPlain: isPlain)
        let description = index == 0 ? test.questionnaire.description : ""
        if !description.isEmpty {
            head +=
                format.tree(of: description).map { formatted.rows(of: $0, style: .faint) }
                ?? wrap(description, width: size.textWidth).map { Line($0, .faint) }
            head.append(Line())
        }
        if showsPassage { head += test.passageRows(of: question, size: size, isPlain: isPlain) }
        let start = head.count
        if let text = format.tree(of: question.text).map(QuestionText.init) {
            if let heading = text.heading { head += formatted.rows(of: heading, style: .strong) }
            if text.heading != nil, !text.body.blocks.isEmpty { head.append(Line()) }
            head += formatted.rows(of: text.body)
        } else {
            head += QuestionContent.prose(question.text, size: size, style: .strong)
        }
        if question.input == .gaps { head.replaceSubrange(start..., with: head[start...].map(QuestionContent.marked)) }
        if let hint = question.hint, !hint.isEmpty {
            head +=
                format.tree(of: hint).map { formatted.rows(of: $0, style: .faint) }
                ?? QuestionContent.prose(hint, size: size, style: .faint)
        }
        if question.isAskedAsText {
            head += wrap(words.language.askedAsText(question), width: size.textWidth).map { Line($0, .warning) }
        }
        if question.required, question.kind.takesAnswer {
            head.append(Line(clip(words.required, width: size.textWidth), .faint))
        }
        for picture in test.mediaLines(of: question) { head += wrap(picture, width: size.textWidth).map { Line($0) } }
        if let how = words.how(question) { head += wrap(how, width: size.textWidth).map { Line($0, .faint) } }
        head.append(Line())
        head += parts.above
        partStart = head.count - parts.headingHeight
        tail = parts.below
        let listed = asked.isListed ? asked.optionLabels : []
        let order = question.input == .order ? editor.rankedOptions : asked.optionPlaces
        let shownOptions = listed.isEmpty ? [] : order.map { listed[$0] }
        numberWidth = String(shownOptions.count).count
        // “› 12 (•) ”
        optionIndent = 2 + numberWidth + 5
        var row = head.count
        for option in shownOptions {
            let width = size.textWidth - optionIndent
            let rows =
                format.tree(of: option).map { formatted.texts(of: $0, width: width) }
                ?? wrap(QuestionContent.trimmed(option), width: width)
            options.append(rows)
            optionRanges.append(row..<row + rows.count)
            row += rows.count
        }
    }

    /// Markers of gaps in the form that names the fields below: `[1]`.
    private static func marked(_ line: Line) -> Line {
        Line(line.spans.map { Line.Span(GapText.filled($0.text) { "[\($0)]" }, $0.style) })
    }

    /// Rows of a text in which fenced code keeps its columns.
    static func prose(_ text: String, size: ScreenSize, style: Line.Style) -> [Line] {
        var lines: [Line] = []
        var prose: [Substring] = []
        var isCode = false
        func flush() {
            guard !prose.isEmpty else { return }
            let width = isCode ? size.codeWidth : size.textWidth
            lines += rows(of: prose.joined(separator: "\n"), width: width, style: isCode ? .code : .words)
                .map { Line($0, isCode ? .plain : style) }
            prose = []
        }
        for line in terminalSafe(trimmed(text)).split(separator: "\n", omittingEmptySubsequences: false) {
            let mark = line.drop { $0 == " " }.prefix(3)
            if mark == "```" || mark == "~~~" {
                flush()
                isCode.toggle()
                lines.append(Line(clip(String(line), width: size.codeWidth), .faint))
            } else {
                prose.append(line)
            }
        }
        flush()
        return lines
    }

    /// Without empty lines at both ends.
    private static func trimmed(_ text: String) -> String {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.count > 1, lines.last?.allSatisfy(\.isWhitespace) == true { lines.removeLast() }
        while lines.count > 1, lines.first?.allSatisfy(\.isWhitespace) == true { lines.removeFirst() }
        return lines.joined(separator: "\n")
    }
}

extension Question {
    /// Whether it is answered by keys on a list, and not by writing.
    fileprivate var isListed: Bool { kind.hasOptions || input == .order }
}
