import Foundation

/// An SVG picture of a terminal's screen.
struct TerminalPicture {
    /// Characters of one look beside each other, at a column counted from 0.
    struct Run: Equatable {
        var column: Int
        var text: String
        var style: Style
    }

    struct Style: Equatable {
        var isBold = false
        var isDim = false
        var color: Int?
    }

    /// The lines of a screen, with the escape sequences of `tmux capture-pane -e`.
    static func runs(_ line: Substring, _ style: inout Style) -> [Run] {
        var runs: [Run] = []
        var column = 0
        var spaces = 0
        var rest = line
        while let character = rest.popFirst() {
            if character == "\u{1b}" {
                guard rest.first == "[", let end = rest.firstIndex(of: "m") else { continue }
                for code in rest[rest.index(after: rest.startIndex)..<end].split(separator: ";") { apply(code, &style) }
                rest = rest[rest.index(after: end)...]
                continue
            }
            defer { column += 1 }
            if character == " " {
                spaces += 1
                continue
            }
            if var last = runs.last, last.style == style, spaces < 2, last.column + last.text.count + spaces == column {
                last.text += String(repeating: " ", count: spaces) + String(character)
                runs[runs.count - 1] = last
            } else {
                runs.append(Run(column: column, text: String(character), style: style))
            }
            spaces = 0
        }
        return runs
    }

    private static func apply(_ code: Substring, _ style: inout Style) {
        switch Int(code) ?? 0 {
        case 0: style = Style()
        case 1: style.isBold = true
        case 2: style.isDim = true
        case 22: (style.isBold, style.isDim) = (false, false)
        case 39: style.color = nil
        case let color where (30...37).contains(color): style.color = color - 30
        default: break
        }
    }

    /// - Parameters:
    ///   - title: stands above the screen.
    ///   - about: says what the picture shows to those who do not see it.
    static func svg(_ screen: String, columns: Int, title: String, about: String) -> String {
        let cell = 8.4
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
        let width = Int((Double(columns) * cell).rounded()) + 32
        let height = lines.count * 20 + 58
        var style = Style()
        var texts = ""
        for (index, line) in lines.enumerated() {
            for run in runs(line, &style) {
                let place = "x=\"\(tenths(16 + Double(run.column) * cell))\" y=\"\(59 + index * 20)\""
                let length = "textLength=\"\(tenths(Double(run.text.count) * cell))\" lengthAdjust=\"spacingAndGlyphs\""
                texts += "<text \(place) \(length)\(look(run.style))>\(escaped(run.text))</text>\n"
            }
        }
        let name = escaped(about)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img" \
            aria-label="\(name)">
            <title>\(name)</title>
            <rect width="\(width)" height="\(height)" rx="10" fill="#1b1e26"/>
            <path d="M0 34V10A10 10 0 0 1 10 0H\(width - 10)A10 10 0 0 1 \(width) 10V34Z" fill="#262a34"/>
            <circle cx="20" cy="17" r="6" fill="#ef6a5e"/><circle cx="40" cy="17" r="6" fill="#f2bd4f"/>\
            <circle cx="60" cy="17" r="6" fill="#62c554"/>
            <text x="\(width / 2)" y="22" text-anchor="middle" font-family="system-ui, sans-serif" font-size="13" \
            fill="#9aa1ad">\(escaped(title))</text>
            <g font-family="'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace" font-size="14" fill="#d4d7dd" \
            xml:space="preserve">
            \(texts)</g>
            </svg>

            """
    }

    private static func look(_ style: Style) -> String {
        let colors = [1: "#ef6a5e", 2: "#8fd07e", 3: "#f2bd4f", 4: "#7fb2f0", 5: "#d59bf6", 6: "#7fd4e8"]
        let color = style.color.flatMap { colors[$0] } ?? (style.isDim ? "#858c99" : style.isBold ? "#ffffff" : nil)
        return (style.isBold ? " font-weight=\"bold\"" : "") + (color.map { " fill=\"\($0)\"" } ?? "")
    }

    private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
