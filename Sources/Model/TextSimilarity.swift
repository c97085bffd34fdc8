/// Whether two texts are the same but for their spelling.
enum TextSimilarity {
    /// Longer texts are compared by their beginnings.
    private static let longest = 400

    /// A question in which a spelling was corrected: a letter in five at most.
    static func isSameQuestion(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        let (first, second) = (folded(one), folded(other))
        let length = max(first.count, second.count)
        return length > 0 && distance(first, second) * 5 <= length
    }

    /// The same of an option; never in its first letter, which turns “adequate” into “inadequate”, and in no digit.
    static func isSameOption(_ one: String, _ other: String) -> Bool {
        let (first, second) = (folded(one), folded(other))
        guard let head = first.first, head == second.first, digits(first) == digits(second) else { return false }
        return distance(first, second) * 5 <= max(first.count, second.count)
    }

    private static func folded(_ text: String) -> [Unicode.Scalar] {
        Array(TextFolding.fold(text).unicodeScalars.prefix(longest))
    }

    private static func digits(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        text.filter { $0.properties.numericType != nil }
    }

    /// How many letters must be put in, taken out or replaced (Levenshtein).
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
