/// A text broken into the rows of a column.
///
/// Rows are broken at spaces, after hyphens and dashes, and between ideographs; a word longer than a row is cut.
/// Spaces at the end of a row hang over its edge, so that no row begins with them.
struct TextLayout {
    struct Row: Equatable {
        /// Places in the text, counted in Unicode scalars; the end is after the hanging spaces.
        var start: Int
        var end: Int
        /// As shown: tabs are spaces, hanging spaces are gone.
        var text: String
        /// The columns before the text.
        var indent = 0
    }

    enum Style {
        /// Prose: words are kept whole, and the rows after the first are indented like the first.
        case words
        /// Code: rows are cut where the column ends.
        case code
        /// Text being edited: words are kept together, nothing is indented.
        case editing
    }

    private(set) var rows: [Row] = []
    private let characters: [Character]
    /// The place of each character, in Unicode scalars, and of the end.
    private let offsets: [Int]
    private let width: Int
    private let style: Style

    init(_ text: String, width: Int, style: Style) {
        self.width = max(2, width)
        self.style = style
        characters = Array(text)
        var offset = 0
        offsets =
            characters.map { character in
                defer { offset += character.unicodeScalars.count }
                return offset
            } + [text.unicodeScalars.count]
        var start = 0
        for end in characters.indices where characters[end].isNewline {
            breakParagraph(start..<end)
            start = end + 1
        }
        breakParagraph(start..<characters.count)
    }

    private mutating func breakParagraph(_ paragraph: Range<Int>) {
        var start = paragraph.lowerBound
        var indent = 0
        var column = 0
        var chance: Int?
        var hasWord = false
        var index = start
        while index < paragraph.upperBound {
            let character = characters[index]
            let step = displayWidth(character, column: column)
            let isSpace = TextLayout.isSpace(character)
            if column + step > width, index > start, !(isSpace && style != .code) {
                let cut = chance ?? index
                append(start..<cut, indent: indent)
                if start == paragraph.lowerBound, style == .words { indent = continuationIndent(paragraph) }
                start = cut
                chance = nil
                column = indent
                // The part of a word that moves down is shorter than the row that it was cut from, but for the indent.
                index = start
                hasWord = false
                continue
            }
            column += step
            if !isSpace { hasWord = true }
            index += 1
            if style != .code, hasWord, index < paragraph.upperBound, canBreak(after: index - 1) { chance = index }
        }
        append(start..<paragraph.upperBound, indent: indent)
    }

    private mutating func append(_ range: Range<Int>, indent: Int) {
        var end = range.upperBound
        while end > range.lowerBound, TextLayout.isSpace(characters[end - 1]) { end -= 1 }
        rows.append(
            Row(
                start: offsets[range.lowerBound], end: offsets[range.upperBound],
                text: shown(range.lowerBound..<end, from: indent), indent: indent))
    }

    private func shown(_ range: Range<Int>, from column: Int) -> String {
        var column = column
        var text = ""
        for character in characters[range] {
            let step = displayWidth(character, column: column)
            column += step
            if character == "\t" { text += String(repeating: " ", count: step) } else { text.append(character) }
        }
        return text
    }

    /// The white space that a paragraph begins with.
    private func continuationIndent(_ paragraph: Range<Int>) -> Int {
        var indent = 0
        for character in characters[paragraph] {
            guard TextLayout.isSpace(character) else { break }
            indent += displayWidth(character, column: indent)
        }
        // Half of the row, and a wide character, must have room beside it.
        return indent <= width / 2 && indent <= width - 2 ? indent : 0
    }

    private func canBreak(after index: Int) -> Bool {
        let character = characters[index]
        let next = characters[index + 1]
        if TextLayout.isSpace(character) { return !TextLayout.isSpace(next) }
        if TextLayout.isSpace(next) { return false }
        switch TextLayout.single(character) {
        case "-", "\u{2010}", "\u{00AD}": return next.isLetter && index > 0 && characters[index - 1].isLetter
        case "–", "—", "…": return next.isLetter
        case "\u{200B}": return true
        default: break
        }
        guard displayWidth(character, column: 0) == 2 || displayWidth(next, column: 0) == 2 else { return false }
        return !TextLayout.opening.contains(character) && !TextLayout.closing.contains(next) && !next.isPunctuation
    }

    /// White space at which a line may be broken (UAX #14, classes SP and BA).
    private static func isSpace(_ character: Character) -> Bool {
        guard let scalar = single(character) else { return false }
        return switch scalar.value {
        case 0x20, 0x09, 0x1680, 0x2000...0x2006, 0x2008...0x200A, 0x205F, 0x3000: true
        default: false
        }
    }

    /// The scalar of a single-scalar character. Comparing characters compares texts, each of which is normalised for
    /// it: a hundred times the work, and most of the time of a page of text.
    private static func single(_ character: Character) -> Unicode.Scalar? {
        let scalars = character.unicodeScalars
        guard let first = scalars.first, scalars.dropFirst().isEmpty else { return nil }
        return first
    }

    private static let opening: Set<Character> = ["（", "「", "『", "【", "〈", "《", "〔", "［", "｛", "“", "‘", "«", "("]
    private static let closing: Set<Character> = ["ー", "々", "ぁ", "ぃ", "ぅ", "ぇ", "ぉ", "っ", "ゃ", "ゅ", "ょ", "…", "～"]
}

// MARK: - The cursor of what is being written

extension TextLayout {
    /// The row and column of a place in the text.
    func position(of offset: Int) -> (row: Int, column: Int) {
        // The place between two rows belongs to the second, where the next character will stand.
        let row = rows.lastIndex { $0.start <= offset } ?? 0
        guard rows.indices.contains(row) else { return (0, 0) }
        var column = rows[row].indent
        for (character, place) in zip(characters, offsets) where place >= rows[row].start && place < offset {
            column += displayWidth(character, column: column)
        }
        return (row, min(column, width))
    }

    /// The place in the text nearest to a row and column.
    func offset(row: Int, column: Int) -> Int {
        guard rows.indices.contains(row) else { return 0 }
        let isLast = row == rows.count - 1 || rows[row + 1].start > rows[row].end
        var reached = rows[row].indent
        var best = rows[row].start
        for (index, character) in characters.enumerated() where offsets[index] >= rows[row].start {
            // The end of a row that continues is the start of the next.
            guard offsets[index] < rows[row].end else { break }
            reached += displayWidth(character, column: reached)
            guard reached <= column, isLast || offsets[index + 1] < rows[row].end else { break }
            best = offsets[index + 1]
        }
        return best
    }
}
