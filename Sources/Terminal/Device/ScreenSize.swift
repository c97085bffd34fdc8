/// The size of a terminal, in character cells.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
    }

    /// Text wider than this is hard to read.
    static let widestText = 76

    /// The empty columns on the left.
    var margin: Int { columns >= 30 ? 2 : 0 }

    /// The width of the column of text.
    var textWidth: Int { max(4, min(ScreenSize.widestText, columns - 2 * margin)) }

    /// The width of the input, without the bar on its left and with room for the cursor after it.
    var fieldWidth: Int { max(2, textWidth - 3) }

    /// The width of code, which is better kept whole than narrow.
    var codeWidth: Int { max(textWidth, columns - 2 * margin) }
}
