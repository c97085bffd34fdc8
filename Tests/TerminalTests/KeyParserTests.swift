import Testing

@testable import Terminal

@Suite("Keys made of bytes")
struct KeyParserTests {
    static let sequences: [(String, Key)] = [
        ("a", .character("a")), ("ж", .character("ж")), ("中", .character("中")), ("🥑", .character("🥑")),
        ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left),
        ("\u{1B}[1;5C", .wordRight), ("\u{1B}[1;3D", .wordLeft), ("\u{1B}b", .wordLeft), ("\u{1B}f", .wordRight),
        ("\u{1B}\u{1B}[D", .wordLeft), ("\u{1B}Oc", .wordRight), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
        ("\u{1B}[7~", .home), ("\u{1B}OF", .end), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
        ("\u{1B}[6~", .pageDown), ("\u{1B}[Z", .backTab), ("\t", .tab), ("\r", .enter), ("\n", .lineBreak),
        ("\u{1B}\r", .lineBreak), ("\u{1B}[13;2u", .lineBreak), ("\u{1B}[27;5;13~", .lineBreak),
        ("\u{1B}[27u", .escape), ("\u{1B}[99;5u", .control("c")), ("\u{3}", .control("c")), ("\u{7F}", .backspace),
        ("\u{8}", .backspace), ("\u{1B}\u{7F}", .deleteWord), ("\u{1B}ж", .alt("ж")), ("\u{1B}OM", .enter),
        // Not understood, and above all not text.
        ("\u{1B}[?1;2c", .unknown), ("\u{1B}[[A", .unknown), ("\u{1B}[I", .unknown), ("\u{1B}[12;34R", .unknown),
        ("\0", .unknown), ("\u{9B}", .unknown), ("\u{202E}", .character("\u{202E}")),
    ]

    @Test("each sequence is one key, however it is split over reads", arguments: sequences)
    func sequence(_ bytes: String, _ key: Key) {
        let bytes = Array(bytes.utf8)
        for cut in 0...bytes.count {
            var parser = KeyParser()
            let keys = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
            #expect(keys == [key], "cut at \(cut)")
            #expect(!parser.isWaiting)
        }
    }

    @Test("all sequences, one byte at a time, make the same keys as all at once")
    func stream() {
        let bytes = KeyParserTests.sequences.flatMap { Array($0.0.utf8) }
        var whole = KeyParser()
        var single = KeyParser()
        let expected = KeyParserTests.sequences.map(\.1)
        #expect(whole.feed(bytes) == expected)
        #expect(bytes.flatMap { single.feed([$0]) } == expected)
    }

    @Test("a lone ESC is the Escape key once nothing follows it")
    func loneEscape() {
        var parser = KeyParser()
        #expect(parser.feed([0x1B]) == [])
        #expect(parser.isWaiting)
        #expect(parser.flush() == [.escape])
        #expect(!parser.isWaiting)
        #expect(parser.flush() == [])
        #expect(parser.feed([0x1B, 0x1B]) == [])
        #expect(parser.flush() == [.escape, .escape])
        #expect(parser.feed(Array("\u{1B}[".utf8)) == [])
        #expect(parser.flush() == [.alt("[")])
    }

    @Test("half a character is no key, and the next one is whole")
    func halfCharacter() {
        var parser = KeyParser()
        #expect(parser.feed([0xD0]) == [])
        #expect(parser.flush() == [.unknown])
        #expect(parser.feed([0xD0, 0x61]) == [.unknown, .character("a")])
        #expect(parser.feed([0xFF, 0x80, 0x62]) == [.unknown, .unknown, .character("b")])
        #expect(parser.feed([0xED, 0xA0, 0x80]) == [.unknown])
    }

    @Test("a paste is text with its line breaks, however it is split")
    func paste() {
        let bytes = Array("\u{1B}[200~one\r\ntwo\rthree\u{1B}[A\u{7} четыре\u{1B}[201~x".utf8)
        for cut in 0...bytes.count {
            var parser = KeyParser()
            let keys = parser.feed(bytes[..<cut]) + parser.feed(bytes[cut...])
            #expect(keys == [.paste("one\ntwo\nthree[A четыре"), .character("x")])
        }
    }

    @Test(
        "a paste that is not UTF-8 is an unknown key and no other text",
        arguments: [[0xE9], [0x63, 0xE9, 0x20, 0x61]] as [[UInt8]])
    func pasteOfBytes(_ bytes: [UInt8]) {
        var parser = KeyParser()
        let keys = parser.feed(Array("\u{1B}[200~".utf8) + bytes + Array("\u{1B}[201~x".utf8))
        #expect(keys == [.unknown, .character("x")])
        #expect(!parser.isWaiting)
    }

    @Test("a pause in the middle of a pasted character loses none of it", arguments: ["ж", "中", "🥑"])
    func pausedPaste(_ character: String) {
        let bytes = Array(character.utf8)
        for cut in 1..<bytes.count {
            var parser = KeyParser()
            #expect(parser.feed(Array("\u{1B}[200~a".utf8) + bytes[..<cut]) == [])
            #expect(parser.isWaiting)
            #expect(parser.flush() == [.paste("a")])
            #expect(!parser.isWaiting)
            #expect(parser.flush() == [])
            let rest = parser.feed(bytes[cut...] + Array("b\u{1B}[201~".utf8))
            #expect(rest == [.paste(character + "b")], "cut at \(cut)")
        }
    }

    @Test("a paste without an end comes in pieces that cut no character")
    func endlessPaste() {
        var parser = KeyParser()
        var text = ""
        _ = parser.feed(Array("\u{1B}[200~".utf8))
        let piece = Array(String(repeating: "жук\u{1B}[20 ", count: 10_000).utf8)
        for start in stride(from: 0, to: piece.count, by: 997) {
            for case .paste(let part) in parser.feed(piece[start..<min(start + 997, piece.count)]) { text += part }
        }
        for case .paste(let part) in parser.flush() { text += part }
        #expect(text == String(repeating: "жук[20 ", count: 10_000))
    }

    @Test("no bytes whatever make a key that holds a control character")
    func noise() {
        var generator = SeededGenerator(seed: 7)
        let favourites: [UInt8] = [0x1B, 0x5B, 0x4F, 0x32, 0x30, 0x31, 0x7E, 0x3B, 0xC2, 0x9B, 0xE2, 0x80, 0xAE]
        for _ in 0..<300 {
            var parser = KeyParser()
            var keys: [Key] = []
            for _ in 0..<40 {
                let byte =
                    Bool.random(using: &generator)
                    ? favourites.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
                keys += parser.feed([byte])
                if Int.random(in: 0..<10, using: &generator) == 0 { keys += parser.flush() }
            }
            keys += parser.flush()
            for key in keys {
                let text: String
                switch key {
                case .character(let character), .alt(let character): text = String(character)
                case .paste(let pasted): text = pasted
                default: continue
                }
                #expect(text.unicodeScalars.allSatisfy { !isControl($0) })
            }
        }
    }

    @Test("a sequence without an end is dropped, not collected")
    func endlessSequence() {
        var parser = KeyParser()
        let keys = parser.feed(Array(("\u{1B}[" + String(repeating: "1;", count: 5000) + "A").utf8))
        #expect(keys.contains(.unknown))
        #expect(!parser.isWaiting)
    }
}
