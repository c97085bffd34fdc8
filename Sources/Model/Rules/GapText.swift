/// Finds the markers of gaps in a text: `{{1}}`.
package enum GapText {
    package enum Piece: Hashable, Sendable {
        case text(String)
        case gap(String)
    }

    /// The longest name of a gap, in bytes.
    package static let maximumNameLength = 64

    /// The text in pieces, in order. What is not a marker is text to the letter.
    package static func pieces(of text: String) -> [Piece] {
        var pieces: [Piece] = []
        var plain = text.startIndex
        var place = text.startIndex
        while let opening = text[place...].firstRange(of: "{{") {
            let rest = text[opening.upperBound...]
            let name = rest.prefix { $0 != "{" && $0 != "}" && !$0.isNewline }
            guard !name.isEmpty, name.utf8.count <= maximumNameLength, text[name.endIndex...].hasPrefix("}}"),
                name.first?.isWhitespace == false, name.last?.isWhitespace == false
            else {
                place = text.index(after: opening.lowerBound)
                continue
            }
            if plain < opening.lowerBound { pieces.append(.text(String(text[plain..<opening.lowerBound]))) }
            pieces.append(.gap(String(name)))
            place = text.index(name.endIndex, offsetBy: 2)
            plain = place
        }
        if plain < text.endIndex || pieces.isEmpty { pieces.append(.text(String(text[plain...]))) }
        return pieces
    }

    /// The names of the gaps that a text has, in order; a name may occur twice.
    package static func names(in text: String) -> [String] {
        pieces(of: text).compactMap { if case .gap(let name) = $0 { name } else { nil } }
    }
}
