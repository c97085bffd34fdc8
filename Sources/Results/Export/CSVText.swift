/// A table as comma-separated values (RFC 4180), which spreadsheets open as they are: UTF-8 with a byte order mark, rows that
/// end with CR LF.
package struct CSVText: Sendable {
    package enum Separator: String, Sendable, CaseIterable {
        case comma, semicolon, tab

        var character: Character {
            switch self {
            case .comma: ","
            case .semicolon: ";"
            case .tab: "\t"
            }
        }
    }

    package enum Cell: Hashable, Sendable {
        case text(String)
        /// A computed number, without needless digits.
        case number(Double)
        case truth(Bool)
        /// The digits of a number as a person gave it, with a decimal point.
        case given(String)
        case empty
    }

    private let separator: Separator
    private var text = "\u{FEFF}"

    package init(separator: Separator = .comma) { self.separator = separator }

    package mutating func add(_ row: [Cell]) {
        text += row.map(field).joined(separator: String(separator.character)) + "\r\n"
    }

    package var bytes: [UInt8] { Array(text.utf8) }

    private func field(_ cell: Cell) -> String {
        switch cell {
        case .empty: ""
        case .truth(let isTrue): isTrue ? "true" : "false"
        case .number(let number): decimal(Self.number(number))
        case .given(let digits): decimal(digits)
        case .text(let text): quoted(Self.withoutFormula(text))
        }
    }

    /// Spreadsheets that separate columns by semicolons have a decimal comma, and read `3.5` as a date.
    private func decimal(_ number: String) -> String {
        separator == .semicolon ? number.replacing(".", with: ",") : number
    }

    private func quoted(_ text: String) -> String {
        // By scalars: CR LF is one character.
        let needsQuotes = text.unicodeScalars.contains {
            $0 == "\"" || $0 == "\r" || $0 == "\n" || Character($0) == separator.character
        }
        // Spaces at the ends are a part of a field, and some readers drop them unless it is quoted. What looks like a value stays a
        // text where the reader of the file wants quoted fields as texts.
        guard needsQuotes || text.hasPrefix(" ") || text.hasSuffix(" ") || Self.isLikeValue(text) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    /// The same text, behind an apostrophe where a spreadsheet would calculate it as a formula.
    ///
    /// A text that begins with apostrophes and then such a character gets another one, so that one is taken away again.
    package static func withoutFormula(_ text: String) -> String {
        let first = text.unicodeScalars.first { $0 != "'" && $0 != " " && $0 != "\u{A0}" && $0 != "\u{FEFF}" }
        return first.map(beginsFormula) == true ? "'" + text : text
    }

    /// What stands between the digits of numbers, dates, times and amounts.
    private static let valueSigns = Set(" \u{A0}\u{202F}.,:/+-−%$€£¥₽()eE'’".unicodeScalars)

    /// Whether a spreadsheet may read the text as a number, a date, a time or a truth value.
    private static func isLikeValue(_ text: String) -> Bool {
        if ["true", "false"].contains(text.lowercased()) { return true }
        // An apostrophe in front makes a text of it.
        if text.hasPrefix("'") { return false }
        var hasDigit = false
        for scalar in text.unicodeScalars {
            if scalar.properties.numericType == .decimal {
                hasDigit = true
            } else if !valueSigns.contains(scalar) {
                return false
            }
        }
        return hasDigit
    }

    private static func beginsFormula(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        // The full-width signs, too: Excel reads them like the others.
        case "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}": true
        default: false
        }
    }

    /// A number with a decimal point, without needless digits.
    package static func number(_ number: Double) -> String {
        // Beyond that no digit after the point is left to round.
        guard abs(number) < 1e15 else { return String(number) }
        return Int64(exactly: number).map { String($0) } ?? String((number * 1e9).rounded() / 1e9)
    }
}
