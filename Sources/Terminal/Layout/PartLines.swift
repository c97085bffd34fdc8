import Model

/// The rows or gaps of a question with their answers, around the one that is asked.
struct PartLines {
    /// An answer in words, and the parts up to the one that is asked.
    private(set) var above: [Line] = []
    /// Rows of the name of the part that is asked.
    private(set) var headingHeight = 0
    private(set) var below: [Line] = []

    /// - Parameter line: an author's text as one line of words.
    init(
        _ editor: QuestionEditor, words: TakeWords, size: ScreenSize, isPlain: Bool, line: (String) -> String
    ) {
        guard let question = editor.question else { return }
        if let text = editor.answerInWords {
            above += wrap(words.earlierWords(text), width: size.textWidth).map { Line($0, .warning) } + [Line()]
        }
        for (index, part) in editor.parts.enumerated() {
            let isHere = index == editor.part
            let title = question.input == .gaps ? "[\(part.text)]" : line(part.text)
            let answer = part.line(question.answer(of: part, in: editor.answer), author: line)
            let isOpen = answer.allSatisfy(\.isWhitespace)
            let text = isHere ? title : title + (isPlain ? " -> " : " → ") + (isOpen ? "…" : answer)
            let style: Line.Style = isHere ? .strong : isOpen ? .faint : .plain
            let lines = wrap(text, width: max(1, size.textWidth - 2)).enumerated().map { row, text in
                Line((isHere && row == 0 ? (isPlain ? "* " : "▸ ") : "  ") + text, style)
            }
            if isHere { headingHeight = lines.count }
            if index <= editor.part { above += lines } else { below += lines }
        }
    }
}
