import RichText
import Testing

@Suite("Formatted text in a terminal")
struct TerminalTests {
    private func lines(_ markdown: String, _ width: Int = 40) -> [String] {
        FormattedText(markdown: markdown).terminalLines(width: width).map(\.text)
    }

    @Test("paragraphs are filled, lists and quotations have their marks")
    func blocks() {
        #expect(lines("one two three four", 9) == ["one two", "three", "four"])
        #expect(lines("abcdefghijkl", 5) == ["abcde", "fghij", "kl"])
        #expect(lines("- a\n- b c d e f\n  1. x", 8) == ["• a", "• b c d", "  e f", "  1. x"])
        #expect(lines("9. a\n10. b") == ["9. a", "10. b"])
        #expect(lines("> a b\n\nc", 6) == ["│ a b", "", "c"])
        #expect(lines("a\\\nb") == ["a", "b"])
        #expect(lines("") == [])
    }

    @Test("emphasis and code are styles, and a link says where it leads")
    func styles() {
        let runs = FormattedText(markdown: "a **b *c*** `d  e` [f](https://example.org)").terminalLines(width: 80)[0]
            .runs
        #expect(runs.map(\.text) == ["a ", "b ", "c", " ", "d  e", " ", "f", " (https://example.org)"])
        #expect(runs.map(\.style) == [[], .strong, [.strong, .emphasis], [], .code, [], .link, []])
    }

    @Test("code keeps its characters, in pieces of the width")
    func code() {
        #expect(lines("```\nif x:\n    y  =  2\n\n\tz\n```", 8) == ["if x:", "    y  =", "  2", "", "    z"])
    }

    @Test("a table is fitted to the width, and is a list where it cannot be")
    func tables() {
        let table = "| Name | n |\n|:--|--:|\n| Anna Maria | 1 |\n| Bo | 10 |"
        #expect(lines(table) == ["Name       │  n", "───────────┼───", "Anna Maria │  1", "Bo         │ 10"])
        #expect(lines(table, 10) == ["Name  │  n", "──────┼───", "Anna  │  1", "Maria │   ", "Bo    │ 10"])
        #expect(
            lines("| a | b | c |\n|-|-|-|\n| one one | two two | three |", 8) == [
                "a: one", "one", "b: two", "two", "c: three",
            ])
        for width in 4...60 {
            for line in lines(
                "| Head | Two | Three words here |\n|-|-|-|\n| some text | *x* | and a long cell of text |", width)
            {
                #expect(line.count <= width, "\(width): \(line)")
            }
        }
    }

    @Test("columns are counted by the caller's rule, and no line is wider than it")
    func wide() {
        func columns(_ character: Character) -> Int { "漢字".contains(character) ? 2 : 1 }
        let text = FormattedText(markdown: "漢字漢字 漢字\n\n- 漢字漢字\n\n| 漢字 | b |\n|-|-|\n| 漢字漢字漢字 | 漢 |\n\n`漢字漢字漢字`")
        for width in 6...30 {
            for line in text.terminalLines(width: width, columns: columns) {
                #expect(line.text.reduce(0) { $0 + columns($1) } <= width, "\(width): \(line.text)")
            }
        }
    }

    @Test("formulas are lines of Unicode, or their source")
    func math() {
        #expect(lines("so $x^2 \\ge 0$.") == ["so x² ≥ 0."])
        #expect(lines("$$\n\\frac{a}{b}\n$$") == ["  a/b"])
        #expect(lines("$\\foo$") == ["$\\foo$"])
    }

    @Test("no control character reaches the terminal")
    func controls() {
        #expect(lines("a\u{1B}[31mb \u{9B}c \u{202E}d") == ["a\u{FFFD}[31mb \u{FFFD}c \u{FFFD}d"])
        #expect(lines("`\u{7}`") == ["\u{FFFD}"])
    }
}
