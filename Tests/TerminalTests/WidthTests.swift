import Testing

@testable import Terminal

@Suite("The width of text and its rows")
struct WidthTests {
    @Test(
        "characters take as many columns as a terminal gives them",
        arguments: [
            ("abc", 3), ("Ёж", 2), ("e\u{301}", 1), ("中文", 4), ("ｆｕ", 4), ("🥑", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇫🇷", 2),
            ("❤\u{FE0F}", 2), ("❤", 1), ("1\u{FE0F}\u{20E3}", 2), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
            ("قَطَر", 3),
            ("\u{200B}\u{FEFF}", 0), ("a\tb", 5), ("\u{202B}א\u{202C}", 1), ("é—…", 3), ("", 0),
            ("नमस्ते", 4), ("🟦", 2),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(displayWidth(text) == columns)
    }

    @Test("rows are broken at spaces, and lines and indentation survive")
    func wrapping() {
        #expect(wrap("one two three", width: 8) == ["one two", "three"])
        #expect(wrap("a\n\nb", width: 8) == ["a", "", "b"])
        #expect(wrap("    if x:\n        y()", width: 30) == ["    if x:", "        y()"])
        #expect(wrap("  item of a list", width: 9) == ["  item of", "  a list"])
        #expect(wrap("well-known", width: 6) == ["well-", "known"])
        #expect(wrap("-1 -2", width: 3) == ["-1", "-2"])
        #expect(wrap("", width: 5) == [""])
        #expect(wrap("a  b", width: 10) == ["a  b"])
        #expect(wrap("full row   next", width: 8) == ["full row", "next"])
    }

    @Test("a word wider than the row is cut, and ideographs are broken anywhere but before their punctuation")
    func cutting() {
        #expect(wrap("abcdefgh", width: 3) == ["abc", "def", "gh"])
        #expect(wrap("中文字幕。好", width: 6) == ["中文字", "幕。好"])
        #expect(wrap("中文字。好", width: 6) == ["中文", "字。好"])
        #expect(wrap("👩‍🚀👩‍🚀👩‍🚀", width: 5) == ["👩‍🚀👩‍🚀", "👩‍🚀"])
    }

    @Test("an embedding is closed at the end of each row and opened again on the next")
    func embedding() {
        #expect(wrap("\u{202B}אב גד\u{202C} z", width: 3) == ["\u{202B}אב\u{202C}", "\u{202B}גד\u{202C}", "z"])
    }

    @Test("no row is wider than asked, and no word is lost", arguments: 0..<30)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "слово", " ", "  ", "\t", "\n", "中文", "👨‍👩‍👧", "-", "verylongwordindeed", "e\u{301}", "。", "قطر", "—",
        ]
        let text = (0..<60).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        for width in [2, 3, 7, 20, 76] {
            let rows = wrap(text, width: width)
            for row in rows { #expect(displayWidth(row) <= width, "\(row.debugDescription) in \(width)") }
            #expect(rows.joined().filter { !$0.isWhitespace } == text.filter { !$0.isWhitespace })
        }
    }

    @Test("what is clipped ends in an ellipsis and fits")
    func clipping() {
        #expect(clip("short", width: 5) == "short")
        #expect(clip("longer text", width: 8) == "longer…")
        #expect(clip("two\n lines", width: 20) == "two lines")
        #expect(clip("中文字", width: 4) == "中…")
        #expect(clip("abc", width: 0) == "")
        #expect(clip(String(repeating: " ", count: 5000) + "x", width: 10).count <= 10)
    }

    @Test("a bar is exactly as wide as asked, shows a beginning, and is full only at the end")
    func bar() {
        #expect(ProgressBar(done: 3, total: 20).text(width: 20) == "━━━─────────────────")
        #expect(ProgressBar(done: 1, total: 1000, isPlain: true).text(width: 5) == "#----")
        #expect(ProgressBar(done: 999, total: 1000, isPlain: true).text(width: 5) == "####-")
        #expect(ProgressBar(done: 5, total: 5, isPlain: true).text(width: 3) == "###")
        #expect(ProgressBar(done: 0, total: 0).text(width: 3) == "───")
        #expect(
            ProgressBar(done: 1, total: 2, isPlain: true).line("Pulling", "1 of 2", width: 30)
                == "Pulling #######-------- 1 of 2")
        #expect(displayWidth(ProgressBar(done: 1, total: 2).line("Pulling", "1 of 2", width: 12)) <= 12)
    }
}
