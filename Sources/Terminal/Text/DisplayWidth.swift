/// How many columns of a terminal the text takes, were it shown on one line.
///
/// As terminals count: marks and joiners none, East Asian wide characters and emoji two (UAX #11, UTS #51).
/// Control characters count none; a tab counts to the next fourth column.
package func displayWidth(_ text: String) -> Int {
    var width = 0
    for character in text { width += displayWidth(character, column: width) }
    return width
}

/// Columns between two tab stops.
let tabWidth = 4

func displayWidth(_ character: Character, column: Int) -> Int {
    if let ascii = character.asciiValue {
        return ascii == 0x09 ? tabWidth - column % tabWidth : ascii < 0x20 || ascii == 0x7F ? 0 : 1
    }
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return scalarWidth(first) }
    var sum = 0
    for scalar in scalars {
        switch scalar.value {
        // Emoji presentation, a joiner, a skin tone, the enclosing keycap or the second letter of a flag: one picture.
        case 0xFE0F where first.properties.isEmoji: return 2
        case 0x200D where first.properties.isEmoji: return 2
        case 0x1F3FB...0x1F3FF where scalar != first: return 2
        case 0x1F1E6...0x1F1FF where scalar != first: return 2
        default: sum += scalarWidth(scalar)
        }
    }
    return sum
}

private func scalarWidth(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value < 0x20 || (0x7F..<0xA0).contains(value) ? 0 : 1 }
    if value >= 0x1100, isWide(value) { return 2 }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
    default: break
    }
    // The vowels and finals of conjoining jamo stand inside the syllable of the first.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value) { return 0 }
    if properties.isDefaultIgnorableCodePoint { return 0 }
    return properties.isEmojiPresentation ? 2 : 1
}

/// Blocks whose East_Asian_Width is W or F (EastAsianWidth.txt of Unicode 16), without the emoji, which Swift knows.
private let wideBlocks: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
]

private func isWide(_ value: UInt32) -> Bool {
    for block in wideBlocks where value <= block.upperBound {
        // Tone marks of the ideographic block are combining.
        return value >= block.lowerBound && !(0x302A...0x302D).contains(value) && !(0x3099...0x309A).contains(value)
    }
    return false
}
