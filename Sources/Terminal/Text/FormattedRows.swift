import Model
import RichText

/// An author's text in rows of at most `width` columns, made safe for a terminal and without styles.
package func wrap(_ text: String, in format: TextFormat, width: Int) -> [String] {
    guard let tree = format.tree(of: text) else { return wrap(text, width: width) }
    return FormattedRows(size: ScreenSize(columns: width, rows: 1), isPlain: false).texts(of: tree, width: width)
}

/// Formatted texts as rows of the screen.
struct FormattedRows {
    let size: ScreenSize
    /// No symbols beyond ASCII in tables, lists and quotations.
    let isPlain: Bool

    /// Rows with their styles. Code and tables may be wider than what is read.
    func rows(of text: FormattedText, style: Line.Style = .plain) -> [Line] {
        var lines: [Line] = []
        for block in text.blocks {
            if !lines.isEmpty { lines.append(Line()) }
            let width =
                switch block {
                case .code, .table: size.codeWidth
                default: size.textWidth
                }
            lines += terminalLines(of: FormattedText(blocks: [block]), width: width).map { line($0, style) }
        }
        return lines
    }

    /// Rows of a width without styles, for an option.
    func texts(of text: FormattedText, width: Int) -> [String] {
        terminalLines(of: text, width: width).map { line($0, .plain).text }
    }

    private func terminalLines(of text: FormattedText, width: Int) -> [TerminalLine] {
        text.terminalLines(width: width) { displayWidth($0, column: 0) }
    }

    private func line(_ line: TerminalLine, _ style: Line.Style) -> Line {
        Line(
            line.runs.map { run in
                let text = BidirectionalControls.balanced(rows: [run.text])[0]
                guard run.style.contains(.frame) else { return Line.Span(text, Self.style(run.style, style)) }
                return Line.Span(isPlain ? String(text.map { Self.plainSigns[$0] ?? $0 }) : text, .faint)
            })
    }

    private static let plainSigns: [Character: Character] = ["│": "|", "─": "-", "┼": "+", "•": "*"]

    private static func style(_ style: TerminalLine.Style, _ base: Line.Style) -> Line.Style {
        if style.contains(.code) { return .code }
        if !style.isDisjoint(with: [.strong, .heading]) { return .strong }
        if style.contains(.link) { return .link }
        return style.contains(.emphasis) ? .emphasis : base
    }
}
