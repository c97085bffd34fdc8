import Testing

@testable import Terminal

@Suite("Hostile text")
struct TerminalSafeTests {
    @Test(
        "what could command a terminal is taken out",
        arguments: [
            ("a\u{1B}[31mb", "a\u{FFFD}[31mb"), ("\u{1B}]0;title\u{7}", "\u{FFFD}]0;title\u{FFFD}"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("x\u{7F}\u{8}y", "x\u{FFFD}\u{FFFD}y"),
            ("over\rwritten", "over\u{FFFD}written"),
            ("a\r\nb\r\n", "a\nb\n"), ("end\r", "end\u{FFFD}"), ("a\tb\nc", "a\tb\nc"), ("a\u{2028}b", "a\nb"),
            ("abc\u{202E}fdp.exe", "abc\u{FFFD}fdp.exe"), ("\0", "\u{FFFD}"),
            // Embeddings and isolates stay, closed at the end of their line.
            ("\u{202B}قطر\u{202C}", "\u{202B}قطر\u{202C}"), ("\u{202B}قطر\nx", "\u{202B}قطر\u{202C}\nx"),
            ("\u{2067}\u{202A}a", "\u{2067}\u{202A}a\u{202C}\u{2069}"), ("a\u{202C}\u{2069}b", "ab"),
            ("\u{2067}\u{202A}a\u{2069}b", "\u{2067}\u{202A}a\u{2069}b"), ("Ёж 👍🏽 e\u{301}", "Ёж 👍🏽 e\u{301}"),
        ])
    func safe(_ text: String, _ expected: String) {
        #expect(Array(terminalSafe(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("safe text stays as it is", arguments: 0..<50)
    func idempotent(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scalars: [Unicode.Scalar] = [
            "a", "\n", "\r", "\u{1B}", "\u{9C}", "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{2066}", "\u{2068}",
            "\u{2069}", "\u{2029}", "\t", "ж",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<40 { text.append(scalars.randomElement(using: &generator) ?? "a") }
        let safe = terminalSafe(String(text))
        #expect(safe.unicodeScalars.allSatisfy { !isControl($0) })
        #expect(Array(terminalSafe(safe).unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test("the painter passes no control character, whatever it is given")
    func painter() {
        let line = Line([Line.Span("a\u{1B}[2J\u{9B}\n\tb", .strong)])
        let output = Painter(usesColour: true).encode(line, columns: 40)
        #expect(output == "\u{1B}[1ma\u{FFFD}[2J\u{FFFD}\u{FFFD} b\u{1B}[0m")
        #expect(Painter(usesColour: false).encode(Line("wide 中文", .good), columns: 6) == "wide ")
    }
}
