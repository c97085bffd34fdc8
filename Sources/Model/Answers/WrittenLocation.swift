/// What coordinates mean that a person writes: `55.75, 37.62`, `55,75; 37,62`, `55.75° N 37.62° E`, `geo:55.75,37.62`.
///
/// `rules.js` reads the same; both pass `Tests/Vectors/locations.json`. What may be two things is never guessed.
package enum WrittenLocation: Hashable, Sendable {
    case location(Location)
    /// There is no such latitude or longitude.
    case outOfRange
    case none

    private static let longest = 100

    package init(_ written: String) {
        let text = Self.plain(written)
        let parts = text.hasPrefix("geo:") ? Self.uri(text.dropFirst(4)) : Self.halves(text)
        guard let parts, let latitude = Self.degrees(parts.latitude, "n", "s"),
            let longitude = Self.degrees(parts.longitude, "e", "w")
        else {
            self = .none
            return
        }
        let location = Location(latitude: latitude, longitude: longitude, accuracyMeters: parts.accuracy)
        self = location.isOnEarth ? .location(location) : .outOfRange
    }

    private struct Parts {
        var latitude: Substring
        var longitude: Substring
        var accuracy: Double?
    }

    /// Lowercase, with one sign for minus and one kind of space.
    private static func plain(_ written: String) -> String {
        guard written.utf8.count <= longest else { return "" }
        let characters = written.lowercased().map { character -> Character in
            switch character {
            case "\u{2212}", "–": "-"
            case _ where character.isWhitespace: " "
            default: character
            }
        }
        return String(trimmed(Substring(String(characters))))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " }
        return start.dropLast(start.reversed().prefix { $0 == " " }.count)
    }

    /// `55.75,37.62;u=12` (RFC 5870).
    private static func uri(_ text: Substring) -> Parts? {
        let fields = text.split(separator: ";", omittingEmptySubsequences: false)
        let numbers = fields[0].split(separator: ",", omittingEmptySubsequences: false)
        guard (2...3).contains(numbers.count) else { return nil }
        let accuracy = fields.dropFirst().first { $0.hasPrefix("u=") }.flatMap { number($0.dropFirst(2)) }
        return Parts(latitude: numbers[0], longitude: numbers[1], accuracy: accuracy)
    }

    /// Parts that a semicolon separates, a comma with a space, a comma alone beside a decimal point, or else a space.
    private static func halves(_ text: String) -> Parts? {
        var rest = Substring(text)
        var accuracy: Double?
        if let mark = rest.firstRange(of: "(±"), rest.hasSuffix(" m)") {
            accuracy = number(rest[mark.upperBound...].dropLast(3))
            guard accuracy != nil else { return nil }
            rest = trimmed(rest[..<mark.lowerBound])
        }
        func made(_ halves: [Substring]) -> Parts? {
            halves.count == 2 ? Parts(latitude: halves[0], longitude: halves[1], accuracy: accuracy) : nil
        }
        if rest.contains(";") { return made(rest.split(separator: ";", omittingEmptySubsequences: false)) }
        let spaced = rest.split(separator: ", ", omittingEmptySubsequences: false)
        if spaced.count > 1 { return made(spaced) }
        if rest.contains(","), rest.contains(".") {
            return made(rest.split(separator: ",", omittingEmptySubsequences: false))
        }
        var words: [Substring] = []
        for word in rest.split(separator: " ") {
            // A letter or a sign of degrees belongs to the number before it.
            if let last = words.last, !word.contains(where: \.isNumber) {
                words[words.count - 1] = rest[last.startIndex..<word.endIndex]
            } else {
                words.append(word)
            }
        }
        return made(words)
    }

    /// A number of degrees, with a sign or a letter.
    private static func degrees(_ text: Substring, _ positive: Character, _ negative: Character) -> Double? {
        var rest = trimmed(text)
        var letter: Character?
        if let last = rest.last, last == positive || last == negative {
            letter = last
            rest = trimmed(rest.dropLast())
        }
        if rest.last == "°" { rest = trimmed(rest.dropLast()) }
        let isNegative = rest.first == "-"
        if let first = rest.first, first == "-" || first == "+" {
            guard letter == nil else { return nil }
            rest = rest.dropFirst()
        }
        guard let size = number(rest) else { return nil }
        return (isNegative || letter == negative) && size != 0 ? -size : size
    }

    /// Digits with at most one decimal point or comma.
    private static func number(_ text: Substring) -> Double? {
        let plain = text.replacing(",", with: ".")
        let parts = plain.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            parts.count <= 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && $0.isNumber }
            }
        return isNumber ? Double(plain) : nil
    }
}
