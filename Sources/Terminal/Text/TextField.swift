/// A text that is being written, and the place in it.
struct TextField: Hashable, Sendable {
    private(set) var text: String
    /// Counted in Unicode scalars; always between two characters.
    private(set) var cursor: Int
    /// Where up and down aim at, while they follow one another.
    private(set) var goalColumn: Int?
    /// Line breaks and all characters, or only those of a number.
    let isNumber: Bool
    /// Line breaks that are put in are spaces.
    let isOneLine: Bool

    /// Longer than any answer; further input is rejected.
    static let longest = 100_000

    /// - Parameter cursor: a place past the end is the end.
    init(_ text: String = "", cursor: Int? = nil, isNumber: Bool = false, isOneLine: Bool = false) {
        self.isNumber = isNumber
        self.isOneLine = isOneLine
        self.text = text
        self.cursor = 0
        self.cursor = snapped(cursor ?? .max)
    }

    // MARK: Writing

    /// Puts text in at the cursor.
    ///
    /// - Returns: `false` when some of it does not belong in the field, or the field is full.
    mutating func insert(_ addition: String) -> Bool {
        var accepted = isNumber ? String(addition.compactMap(TextField.numberCharacter)) : typedText(addition)
        if isOneLine { accepted = accepted.split(whereSeparator: \.isNewline).joined(separator: " ") }
        let (before, after) = parts
        let isWhole = isNumber ? accepted.count == addition.count : true
        guard
            before.unicodeScalars.count + after.unicodeScalars.count + accepted.unicodeScalars.count
                <= TextField.longest
        else { return false }
        replace(before: before + accepted, after: after)
        return isWhole
    }

    mutating func backspace() -> Bool {
        let (before, after) = parts
        guard !before.isEmpty else { return false }
        replace(before: String(before.dropLast()), after: after)
        return true
    }

    mutating func delete() -> Bool {
        let (before, after) = parts
        guard !after.isEmpty else { return false }
        replace(before: before, after: String(after.dropFirst()))
        return true
    }

    mutating func deleteWord() -> Bool {
        var (before, after) = parts
        guard !before.isEmpty else { return false }
        before.removeLast(TextField.wordLength(before.reversed()))
        replace(before: before, after: after)
        return true
    }

    /// Deletes from the beginning of the line to the cursor; at the beginning of a line, the line break before it.
    mutating func deleteToLineStart() -> Bool {
        let (before, after) = parts
        guard !before.isEmpty else { return false }
        let line = before.reversed().prefix { $0 != "\n" }.count
        replace(before: String(before.dropLast(max(1, line))), after: after)
        return true
    }

    mutating func deleteToLineEnd() -> Bool {
        let (before, after) = parts
        guard !after.isEmpty else { return false }
        let line = after.prefix { $0 != "\n" }.count
        replace(before: before, after: String(after.dropFirst(max(1, line))))
        return true
    }

    // MARK: Moving

    mutating func moveLeft() -> Bool { move { parts in parts.before.isEmpty ? 0 : -1 } }

    mutating func moveRight() -> Bool { move { parts in parts.after.isEmpty ? 0 : 1 } }

    mutating func moveWordLeft() -> Bool { move { parts in -TextField.wordLength(parts.before.reversed()) } }

    mutating func moveWordRight() -> Bool { move { parts in TextField.wordLength(Array(parts.after)) } }

    mutating func moveToLineStart() -> Bool { move { parts in -parts.before.reversed().prefix { $0 != "\n" }.count } }

    mutating func moveToLineEnd() -> Bool { move { parts in parts.after.prefix { $0 != "\n" }.count } }

    /// Moves by rows as they are shown.
    ///
    /// - Returns: `false` at the first or last row.
    mutating func moveRow(by rows: Int, width: Int) -> Bool {
        let layout = self.layout(width: width)
        let place = layout.position(of: cursor)
        guard layout.rows.indices.contains(place.row + rows) else { return false }
        let column = goalColumn ?? place.column
        cursor = snapped(layout.offset(row: place.row + rows, column: column))
        goalColumn = column
        return true
    }

    /// The rows as they are shown, which have the same places for the cursor.
    func layout(width: Int) -> TextLayout { TextLayout(terminalSafeInPlace(text), width: width, style: .editing) }

    // MARK: Parts

    /// The text on both sides of the cursor.
    private var parts: (before: String, after: String) {
        let place = text.unicodeScalars.index(text.startIndex, offsetBy: cursor)
        return (String(text.unicodeScalars[..<place]), String(text.unicodeScalars[place...]))
    }

    private mutating func replace(before: String, after: String) {
        text = before + after
        // Separate scalars may have become one character: a letter and its mark.
        cursor = snapped(before.unicodeScalars.count)
        goalColumn = nil
    }

    /// Moves by whole characters.
    private mutating func move(_ distance: ((before: String, after: String)) -> Int) -> Bool {
        let (before, after) = parts
        let count = distance((before, after))
        goalColumn = nil
        if count < 0 { cursor -= before.suffix(-count).unicodeScalars.count }
        if count > 0 { cursor += after.prefix(count).unicodeScalars.count }
        return count != 0
    }

    /// The nearest place between two characters at or after an offset.
    private func snapped(_ offset: Int) -> Int {
        guard offset > 0 else { return 0 }
        var place = 0
        for character in text where place < offset { place += character.unicodeScalars.count }
        return place
    }

    /// Characters from the edge of the cursor to the far edge of the next word.
    private static func wordLength(_ characters: [Character]) -> Int {
        let gap = characters.prefix { !isWord($0) }.count
        return gap + characters.dropFirst(gap).prefix(while: isWord).count
    }

    private static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "'" || character == "’"
    }

    /// Thousands separators stay: `WrittenNumber` reads them. Digits of any script become ASCII digits, and a
    /// typographic minus a hyphen.
    private static func numberCharacter(_ character: Character) -> Character? {
        switch character {
        case "-", "+", ".", ",", "'", "’", " ", "\u{A0}", "\u{2009}", "\u{202F}": character
        case "−", "–": "-"
        case "٫": "."
        default: character.wholeNumberValue.flatMap { (0...9).contains($0) ? Character(String($0)) : nil }
        }
    }
}
