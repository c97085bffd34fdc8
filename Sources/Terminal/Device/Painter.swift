/// Turns frames into terminal sequences. The only place through which text reaches the terminal.
struct Painter {
    let usesColour: Bool
    private var shown: Frame?
    private var size: ScreenSize?

    init(usesColour: Bool) { self.usesColour = usesColour }

    /// Forgets what the terminal shows, so that all of it is drawn again.
    mutating func forget() { size = nil }

    /// The bytes that make the terminal show the frame: only the rows that differ from the last one.
    mutating func paint(_ frame: Frame, size: ScreenSize) -> String {
        let former = size == self.size ? shown : nil
        guard frame != former else { return "" }
        var output = "\u{1B}[?25l"
        if former == nil { output += "\u{1B}[0m\u{1B}[2J" }
        for row in 0..<size.rows {
            let line = Painter.line(row, of: frame)
            if let former, Painter.line(row, of: former) == line { continue }
            output += "\u{1B}[\(row + 1);1H" + encode(line, columns: size.columns) + "\u{1B}[K"
        }
        shown = frame
        self.size = size
        output += "\u{1B}[\(frame.cursorRow + 1);\(frame.cursorColumn + 1)H"
        return frame.showsCursor ? output + "\u{1B}[?25h" : output
    }

    private static func line(_ row: Int, of frame: Frame) -> Line {
        frame.lines.indices.contains(row) ? frame.lines[row] : Line()
    }

    /// One row, cut at the edge of the screen.
    func encode(_ line: Line, columns: Int) -> String {
        var output = ""
        var column = 0
        spans: for span in line.spans {
            var text = ""
            var isCut = false
            for character in span.text {
                let step = displayWidth(character, column: column)
                if column + step > columns {
                    isCut = true
                    break
                }
                column += step
                text.append(character)
            }
            let codes = codes(of: span.style)
            let safe = Painter.onOneRow(text)
            output += codes.isEmpty ? safe : "\u{1B}[\(codes)m" + safe + "\u{1B}[0m"
            if isCut { break spans }
        }
        return output
    }

    /// Whatever was laid out: no control character passes, and no line break.
    private static func onOneRow(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) || $0 == "\n" || $0 == "\t" }) else { return text }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            safe.append(isControl(scalar) || scalar == "\n" ? "\u{FFFD}" : scalar == "\t" ? " " : scalar)
        }
        return String(safe)
    }

    /// Select Graphic Rendition (ECMA-48, 8.3.117). Bold and faint stay where colours are not wanted.
    private func codes(of style: Line.Style) -> String {
        switch style {
        case .plain: ""
        case .strong: "1"
        case .emphasis: "3"
        case .code: usesColour ? "36" : ""
        case .link: "4"
        case .faint: "2"
        case .focused: usesColour ? "1;36" : "1"
        case .error: usesColour ? "1;31" : "1"
        case .good: usesColour ? "32" : ""
        case .warning: usesColour ? "33" : ""
        }
    }
}
