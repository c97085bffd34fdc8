/// A line for a terminal: runs of text, each in one style. Free of control characters.
package struct TerminalLine: Hashable, Sendable {
    package struct Style: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let strong = Style(rawValue: 1)
        package static let emphasis = Style(rawValue: 2)
        package static let code = Style(rawValue: 4)
        package static let heading = Style(rawValue: 8)
        package static let link = Style(rawValue: 16)
        /// Lines of tables, marks of quotations.
        package static let frame = Style(rawValue: 32)
    }

    package struct Run: Hashable, Sendable {
        package var text: String
        package var style: Style
    }

    package private(set) var runs: [Run] = []

    package init() {}

    package init(_ text: String, _ style: Style = []) { append(text, style) }

    /// The text without its styles.
    package var text: String { runs.map(\.text).joined() }

    /// Appends a text; control characters become U+FFFD, so that none commands the terminal.
    mutating func append(_ text: String, _ style: Style) {
        guard !text.isEmpty else { return }
        let safe = Self.withoutControls(text)
        if let last = runs.last, last.style == style {
            runs[runs.count - 1].text += safe
        } else {
            runs.append(Run(text: safe, style: style))
        }
    }

    mutating func append(_ line: TerminalLine) { for run in line.runs { append(run.text, run.style) } }

    private static func withoutControls(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { safe.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(safe)
    }

    /// C0, DEL, C1, line separators, and the overrides that turn the text after them around.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202D, 0x202E: true
        default: false
        }
    }
}
