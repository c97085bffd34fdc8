/// What keeps the work for a text linear, whatever the text is.
///
/// cmark-gfm needs quadratic time or space for some texts: many unclosed brackets, wide tables of short rows, deep
/// quotations, many references to one long URL. A text beyond these limits is shown as its source. The limits are
/// counted before the parser sees the text, and far above what people write.
package struct MarkdownLimits: Sendable {
    /// Bytes of UTF-8.
    package var bytes = 128 << 10
    /// Brackets, asterisks, underscores, backticks, angle brackets and dollars, each kind alone.
    package var marks = 4000
    /// Markers of quotations and lists at the start of one line.
    package var markersPerLine = 12
    /// Blocks and inlines inside one another.
    package var depth = 48
    /// Lines times the most vertical bars of a line: the cells that a table may have.
    package var cells = 60_000
    /// Bytes of all texts and destinations of the tree, as a multiple of the source's.
    package var growth = 4

    package static let standard = MarkdownLimits()

    /// Whether the parser may have the text.
    func allow(_ text: String) -> Bool {
        guard text.utf8.count <= bytes else { return false }
        var counts = [Int](repeating: 0, count: 128)
        var lines = 1
        var bars = 0
        var mostBars = 0
        var markers = 0
        var isAtStart = true
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                lines += 1
                mostBars = max(mostBars, bars)
                (bars, markers, isAtStart, previous) = (0, 0, true, 0)
                continue
            }
            if byte < 128 { counts[Int(byte)] += 1 }
            if byte == UInt8(ascii: "|") { bars += 1 }
            guard isAtStart else { continue }
            switch byte {
            case UInt8(ascii: ">"): markers += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"): if "-+*.)".utf8.contains(previous) { markers += 1 }
            case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "*"), UInt8(ascii: "."), UInt8(ascii: ")"),
                0x30...0x39:
                break
            default: isAtStart = false
            }
            previous = byte
            if markers > markersPerLine { return false }
        }
        mostBars = max(mostBars, bars)
        return mostBars * lines <= cells && "[]*_`<>$!&".utf8.allSatisfy { counts[Int($0)] <= marks }
    }
}
