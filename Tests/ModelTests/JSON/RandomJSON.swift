import Simulation

/// Valid JSON texts of every shape, the same for the same seed.
struct RandomJSON {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func coin() -> Bool { Bool.random(using: &generator) }

    mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(below: elements.count)] }

    mutating func text(depth: Int) -> [UInt8] { bytes(space() + value(depth: depth) + space()) }

    mutating func object(depth: Int) -> [UInt8] { bytes(space() + objectText(depth: depth) + space()) }

    private mutating func value(depth: Int) -> String {
        switch number(below: depth > 0 ? 7 : 5) {
        case 0: return pick(["null", "true", "false"])
        case 1, 2: return numberText()
        case 3, 4: return string()
        case 5: return objectText(depth: depth)
        default:
            var parts: [String] = []
            for _ in 0..<number(below: 5) { parts.append(space() + value(depth: depth - 1) + space()) }
            return "[" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "]"
        }
    }

    private mutating func objectText(depth: Int) -> String {
        var parts: [String] = []
        for place in 0..<number(below: 6) {
            // No name stands in an object twice.
            let name = string().dropLast() + "\(place)\""
            parts.append(space() + name + space() + ":" + space() + value(depth: depth - 1) + space())
        }
        return "{" + (parts.isEmpty ? space() : parts.joined(separator: ",")) + "}"
    }

    private mutating func numberText() -> String {
        let whole = pick(["0", "7", "10", "4294967296", "1234567890123"])
        let fraction = pick(["", "", ".0", ".5", ".125"])
        return (coin() ? "-" : "") + whole + fraction + pick(["", "", "e1", "E+2", "e-3", "e00"])
    }

    private mutating func string() -> String {
        var text = "\""
        for _ in 0..<number(below: 6) {
            text += pick([
                "a", "b", "c", " ", "/", "é", "й", "\u{4E00}", "\u{1F600}", "\u{7F}", "\\n", "\\t", "\\\\", "\\\"",
                "\\/",
                "\\u0041", "\\u00e9", "\\ud83d\\ude00", "\\u0000", "{", "}", "[", "]", ",", ":", "e\u{301}",
            ])
        }
        return text + "\""
    }

    private mutating func space() -> String { pick(["", "", "", " ", "\n", "\t", "\r\n", "  "]) }

    /// The same text, damaged in one to three places.
    mutating func damaged(_ text: [UInt8]) -> [UInt8] {
        let junk: [UInt8] =
            bytes("{}[]\",:\\/u0123456789eE+-.tfnrls \n\t'aé") + [0, 1, 0x1F, 0x80, 0xC3, 0xED, 0xF0, 0xFF]
        var text = text
        for _ in 0...number(below: 3) {
            let place = number(below: text.count + 1)
            switch number(below: 5) {
            case 0 where place < text.count: text[place] = pick(junk)
            case 1 where place < text.count: text.remove(at: place)
            case 2 where place < text.count: text.insert(text[place], at: place)
            case 3: text.removeLast(min(text.count, number(below: 3)))
            default: text.insert(pick(junk), at: place)
            }
        }
        return text
    }
}
