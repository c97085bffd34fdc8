/// The text in rows of at most `width` columns, made safe for a terminal.
///
/// Line breaks and the indentation of each line survive; a word wider than a row is cut.
package func wrap(_ text: String, width: Int) -> [String] {
    rows(of: terminalSafe(text), width: width, style: .words)
}

/// The text on one row of at most `width` columns, made safe; the rest is replaced with “…”.
package func clip(_ text: String, width: Int) -> String {
    // A list clips many long texts: only the visible part is examined.
    let head = text.prefix(8 * max(0, width) + 80)
    let line = terminalSafe(String(head)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard displayWidth(line) > width || head.endIndex < text.endIndex else { return line }
    guard width > 0 else { return "" }
    var kept = ""
    var column = 0
    for character in line {
        let step = displayWidth(character, column: column)
        if column + step > width - 1 { break }
        column += step
        kept.append(character)
    }
    while kept.last == " " { kept.removeLast() }
    return BidirectionalControls.balanced(rows: [kept])[0] + "…"
}

func rows(of safeText: String, width: Int, style: TextLayout.Style) -> [String] {
    let layout = TextLayout(safeText, width: width, style: style)
    let texts = layout.rows.map { String(repeating: " ", count: $0.indent) + $0.text }
    return BidirectionalControls.balanced(rows: texts)
}
