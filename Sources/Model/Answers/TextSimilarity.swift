/// Compares two texts that may differ only in spelling.
package enum TextSimilarity {
    /// Only the first part of longer texts is compared.
    private static let longest = 400

    /// Whether only the spelling of a question was corrected: a letter in five at most.
    static func isSameQuestion(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        let (first, second) = (folded(one), folded(other))
        let length = max(first.count, second.count)
        return length > 0 && distance(first, second) * 5 <= length
    }

    /// The same for an option; never in its first letter, which turns “adequate” into “inadequate”, and in no digit.
    static func isSameOption(_ one: String, _ other: String) -> Bool {
        let (first, second) = (folded(one), folded(other))
        guard let head = first.first, head == second.first, digits(first) == digits(second) else { return false }
        return distance(first, second) * 5 <= max(first.count, second.count)
    }

    /// Those of the candidates that are nearest to a mistyped text: a letter or two are different, three in a long word.
    ///
    /// - Parameter name: the text of a candidate that is compared; upper case, accents and ё do not matter.
    /// - Returns: all that are equally near, in their order; none where nothing is near.
    package static func nearest<Candidate>(
        to text: String, among candidates: some Sequence<Candidate>, by name: (Candidate) -> String
    ) -> [Candidate] {
        let typed = folded(text)
        guard !typed.isEmpty else { return [] }
        var most = typed.count <= 3 ? 1 : typed.count <= 8 ? 2 : 3
        var found: [Candidate] = []
        for candidate in candidates {
            let other = folded(name(candidate))
            guard abs(other.count - typed.count) <= most else { continue }
            let distance = distance(typed, other)
            if distance < most || found.isEmpty && distance == most {
                (most, found) = (distance, [candidate])
            } else if distance == most {
                found.append(candidate)
            }
        }
        return found
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        Array(TextFolding.fold(text).unicodeScalars.prefix(longest))
    }

    private static func digits(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        text.filter { $0.properties.numericType != nil }
    }

    /// The number of insertions, deletions and replacements (Levenshtein).
    private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
        var row = Array(0...other.count)
        for (place, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for (index, another) in other.enumerated() {
                let replaced = diagonal + (letter == another ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(replaced, row[index] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
