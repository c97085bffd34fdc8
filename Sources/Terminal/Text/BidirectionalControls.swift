/// The embeddings and isolates of the bidirectional algorithm (UAX #9, section 2), kept in balance: an open one would
/// reverse the text that the terminal shows after it.
enum BidirectionalControls {
    /// Takes account of one scalar.
    ///
    /// - Parameter open: the open ones, the innermost last.
    /// - Returns: `false` for a closing one without its opening, which is left out.
    static func follow(_ scalar: Unicode.Scalar, _ open: inout [Unicode.Scalar]) -> Bool {
        switch scalar.value {
        case 0x202A, 0x202B, 0x2066...0x2068:
            open.append(scalar)
        case 0x202C:
            // An embedding is not closed across the edge of an isolate (rule X7).
            guard let last = open.last, isEmbedding(last) else { return false }
            open.removeLast()
        case 0x2069:
            guard let place = open.lastIndex(where: { !isEmbedding($0) }) else { return false }
            open.removeSubrange(place...)
        default: break
        }
        return true
    }

    /// The controls that close all open ones.
    static func closing(_ open: [Unicode.Scalar]) -> [Unicode.Scalar] {
        open.reversed().map { isEmbedding($0) ? "\u{202C}" : "\u{2069}" }
    }

    /// Rows of one text, each closed at its end and opened again at the beginning of the next.
    static func balanced(rows: [String]) -> [String] {
        guard rows.contains(where: { $0.unicodeScalars.contains { isBidirectional($0) } }) else { return rows }
        var open: [Unicode.Scalar] = []
        return rows.map { row in
            var scalars = String.UnicodeScalarView()
            scalars.append(contentsOf: open)
            for scalar in row.unicodeScalars where follow(scalar, &open) { scalars.append(scalar) }
            scalars.append(contentsOf: closing(open))
            return String(scalars)
        }
    }

    private static func isEmbedding(_ scalar: Unicode.Scalar) -> Bool { scalar.value < 0x2066 }

    private static func isBidirectional(_ scalar: Unicode.Scalar) -> Bool {
        (0x202A...0x202C).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    }
}
