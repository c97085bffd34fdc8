import Model

/// A code that proves who a person is: a taker's key that can be typed, as it is printed on a card.
package struct PersonalCode: Hashable, Sendable {
    /// Capital letters and digits, without spaces and hyphens: what is hashed, compared and sent.
    package let text: String

    /// Without characters that look alike.
    private static let alphabet = Array("23456789ABCDEFGHJKMNPQRTVWXY")
    /// 76 bits.
    private static let madeCharacters = 16
    private static let groupCharacters = 4

    package static let fewestCharacters = 8
    package static let mostCharacters = 64

    /// A random code.
    package static func make() -> PersonalCode {
        var generator = SystemRandomNumberGenerator()
        return PersonalCode(
            trusted: String(
                (0..<madeCharacters).map { _ in
                    alphabet[Int(UInt64.random(in: 0..<UInt64(alphabet.count), using: &generator))]
                }))
    }

    /// Reads a code as people type it: with or without hyphens, in small letters, or with Cyrillic letters of the same shape.
    ///
    /// - Returns: `nil` for a text that is not 8 to 64 Latin letters and digits.
    package init?(_ written: some StringProtocol) {
        var text = ""
        for character in written.uppercased() where character != "-" && !character.isWhitespace {
            let plain = Self.lookalikes[character] ?? character
            guard plain.isASCII, plain.isLetter || plain.isNumber else { return nil }
            text.append(plain)
        }
        guard (Self.fewestCharacters...Self.mostCharacters).contains(text.count) else { return nil }
        self.text = text
    }

    private init(trusted text: String) { self.text = text }

    /// In groups of four, as cards show it.
    package var grouped: String {
        var groups: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(Self.groupCharacters))
            rest = rest.dropFirst(Self.groupCharacters)
        }
        return groups.joined(separator: "-")
    }

    /// Whether it is shorter than those that are made here, so that trying is worth while.
    package var isGuessable: Bool { text.count < Self.madeCharacters }

    package var digest: Digest { Digest(sha256Of: text.utf8) }

    /// Capital Cyrillic letters, by code point, that look like Latin ones on a card.
    private static let lookalikes: [Character: Character] = [
        "\u{0410}": "A", "\u{0412}": "B", "\u{0415}": "E", "\u{041A}": "K", "\u{041C}": "M", "\u{041D}": "H",
        "\u{0420}": "P", "\u{0421}": "C", "\u{0422}": "T", "\u{0423}": "Y", "\u{0425}": "X",
    ]
}
