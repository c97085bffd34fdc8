import Testing

@testable import Terminal

@Suite("Writing in a field")
struct TextFieldTests {
    @Test("text goes in where the cursor is")
    func insert() {
        var field = TextField("ac", cursor: 1)
        #expect(field.insert("b") == true)
        #expect(field.text == "abc")
        #expect(field.cursor == 2)
    }

    @Test("a cursor past the end is the end, and one inside a character is after it")
    func restoredCursor() {
        #expect(TextField("abc", cursor: 99).cursor == 3)
        #expect(TextField("e\u{301}x", cursor: 1).cursor == 2)
        #expect(TextField("👨‍👩‍👧x", cursor: 3).cursor == 5)
    }

    @Test("a mark that is typed after its letter becomes one character with it")
    func combining() {
        var field = TextField()
        _ = field.insert("e")
        _ = field.insert("\u{301}")
        #expect(field.cursor == 2)
        #expect(field.moveLeft() == true)
        #expect(field.cursor == 0)
        #expect(field.delete() == true)
        #expect(field.text.isEmpty)
    }

    @Test("words and lines are deleted as in a shell")
    func deleting() {
        var field = TextField("one two\nthree four")
        #expect(field.deleteWord() == true)
        #expect(field.text == "one two\nthree ")
        #expect(field.deleteToLineStart() == true)
        #expect(field.text == "one two\n")
        #expect(field.deleteToLineStart() == true)
        #expect(field.text == "one two")
        #expect(field.moveToLineStart() == true)
        #expect(field.moveWordRight() == true)
        #expect(field.deleteToLineEnd() == true)
        #expect(field.text == "one")
        #expect(field.delete() == false)
    }

    @Test("a number field takes digits of any script, and nothing else")
    func numbers() {
        var field = TextField(isNumber: true)
        #expect(field.insert("−٣") == true)
        #expect(field.insert(",5") == true)
        #expect(field.insert("x") == false)
        #expect(field.insert("1 000") == true)
        #expect(field.text == "-3,51 000")
    }

    @Test("up and down keep to their column through a short line")
    func rows() {
        var field = TextField("long line\nab\nlong again", cursor: 7)
        #expect(field.moveRow(by: 1, width: 40) == true)
        #expect(field.cursor == 12)
        #expect(field.moveRow(by: 1, width: 40) == true)
        #expect(field.cursor == 20)
        #expect(field.moveRow(by: 1, width: 40) == false)
        #expect(field.moveRow(by: -1, width: 40) == true)
        #expect(field.moveRow(by: -1, width: 40) == true)
        #expect(field.cursor == 7)
    }

    @Test("a field that is full refuses more and keeps what it has")
    func full() {
        var field = TextField(String(repeating: "x", count: TextField.longest))
        #expect(field.insert("y") == false)
        #expect(field.text.count == TextField.longest)
    }

    @Test("a text keeps its marks of direction, and is shown without what could command a terminal")
    func marks() {
        let text = "a\u{1B}[2J\u{202E}b\u{2067}c\r\nd\u{2028}e"
        var field = TextField(text)
        #expect(field.text == text)
        #expect(field.insert("\u{2067}قطر\u{2069}\u{202E}\r\nx\ry\u{7}\u{2028}z") == true)
        #expect(field.text == text + "\u{2067}قطر\u{2069}\u{202E}\nx\ny\u{FFFD}\u{2028}z")
        let shown = terminalSafeInPlace(field.text)
        #expect(shown.unicodeScalars.count == field.text.unicodeScalars.count)
        #expect(terminalSafe(shown) == shown)
        #expect(terminalSafeInPlace("\u{2067}قطر\u{2069}") == "\u{2067}قطر\u{2069}")
    }

    @Test("whatever is done, the cursor stands between two characters", arguments: 0..<40)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "a", "é", "e\u{301}", "\u{301}", "\n", " ", "мир ", "👩🏽‍🚀", "\u{200D}", "🇫🇷", "🇫", "中文", "\t", "قطر",
            "\u{202E}", "\u{2067}", "\u{2069}", "\u{2028}",
        ]
        var field = TextField()
        for _ in 0..<200 {
            switch Int.random(in: 0..<14, using: &generator) {
            case 0...4: _ = field.insert(pieces.randomElement(using: &generator) ?? "")
            case 5: _ = field.backspace()
            case 6: _ = field.delete()
            case 7: _ = field.moveLeft()
            case 8: _ = field.moveRight()
            case 9: _ = field.moveWordLeft()
            case 10: _ = field.moveRow(by: -1, width: 7)
            case 11: _ = field.moveRow(by: 1, width: 7)
            case 12: _ = field.deleteWord()
            default: _ = field.moveToLineStart()
            }
            var places: Set<Int> = [0]
            var place = 0
            for character in field.text {
                place += character.unicodeScalars.count
                places.insert(place)
            }
            #expect(places.contains(field.cursor))
            let layout = field.layout(width: 7)
            let position = layout.position(of: field.cursor)
            #expect(layout.rows.indices.contains(position.row))
            #expect(position.column <= 7)
        }
    }
}
