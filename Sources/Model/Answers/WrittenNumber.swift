/// The meaning of a number as a person writes it: `3 500`, `1,5`, `−7`, `1.234,56`.
///
/// The only place that reads written numbers; `numbers.js` of the phone app is its twin, and both pass the cases of
/// `Tests/Vectors/numbers.json`. An ambiguous number is never guessed.
package enum WrittenNumber: Hashable, Sendable {
    /// The number in plain form: ASCII digits, a decimal point, `-` as its sign, no thousands separators.
    case number(String)
    /// A comma before three digits: `1,500` is one and a half in some countries and fifteen hundred in others.
    case ambiguous(fraction: String, whole: String)
    /// Not a number.
    case none

    /// Reads a text, with or without surrounding white space.
    ///
    /// A point that is the only separator is always the decimal point, so that each number has an unambiguous form.
    /// Thousands are separated by spaces (also no-break and narrow ones), apostrophes, or several commas or points.
    package init(_ text: String) {
        var rest = Substring(text)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        var sign = ""
        if let first = rest.first, let mark = Self.sign(first) {
            sign = mark
            rest.removeFirst()
        }
        let mantissa = rest.prefix { $0 != "e" && $0 != "E" }
        let exponent = rest.dropFirst(mantissa.count)
        guard exponent.isEmpty || Self.isExponent(exponent.dropFirst()) else {
            self = .none
            return
        }
        func plain(_ mantissa: String) -> String? {
            let text = sign + mantissa + String(exponent).replacing("\u{2212}", with: "-")
            return Double(text)?.isFinite == true ? text : nil
        }
        switch Self.read(mantissa) {
        case .number(let digits): self = plain(digits).map(Self.number) ?? .none
        case .ambiguous(let fraction, let whole):
            if let fraction = plain(fraction), let whole = plain(whole) {
                self = .ambiguous(fraction: fraction, whole: whole)
            } else {
                self = .none
            }
        case .none: self = .none
        }
    }

    /// The plain form; `nil` for an ambiguous number and any other text.
    package var plain: String? {
        if case .number(let text) = self { text } else { nil }
    }

    /// The value of a written number; `nil` for an ambiguous number and any other text.
    package static func value(of text: String) -> Double? { WrittenNumber(text).plain.flatMap { Double($0) } }

    // MARK: Parts

    private static func sign(_ character: Character) -> String? {
        switch character {
        case "-", "\u{2212}": "-"
        case "+": "+"
        default: nil
        }
    }

    private static func isExponent(_ text: Substring) -> Bool {
        let digits = text.first.flatMap(sign) == nil ? text : text.dropFirst()
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) && character.isASCII }

    /// Separators that differ only in print are one: ` ` and `'`.
    private static func separator(_ character: Character) -> Character? {
        switch character {
        case ".", ",": character
        case " ", "\u{A0}", "\u{2007}", "\u{2009}", "\u{202F}": " "
        case "'", "\u{2019}": "'"
        default: nil
        }
    }

    private static func read(_ mantissa: Substring) -> WrittenNumber {
        var pieces = [""]
        var separators: [Character] = []
        for character in mantissa {
            if isDigit(character) {
                pieces[pieces.count - 1].append(character)
            } else if let mark = separator(character) {
                separators.append(mark)
                pieces.append("")
            } else {
                return .none
            }
        }
        let joined = pieces.joined()
        guard !joined.isEmpty else { return .none }
        guard let last = separators.last else { return .number(joined) }
        let isAlone = separators.count == 1
        if isAlone, last == "." { return .number(pieces[0] + "." + pieces[1]) }
        if isAlone, last == "," {
            guard isGrouped(pieces[...]) else { return .number(pieces[0] + "." + pieces[1]) }
            return .ambiguous(fraction: shortest(pieces[0], pieces[1]), whole: joined)
        }
        let first = separators[0]
        if separators.allSatisfy({ $0 == first }) { return isGrouped(pieces[...]) ? .number(joined) : .none }
        guard last == "." || last == ",", last != first, separators.dropLast().allSatisfy({ $0 == first }),
            let fraction = pieces.last, !fraction.isEmpty, isGrouped(pieces.dropLast())
        else { return .none }
        return .number(pieces.dropLast().joined() + "." + fraction)
    }

    /// One to three digits, without a leading zero, then groups of three.
    private static func isGrouped(_ pieces: ArraySlice<String>) -> Bool {
        guard let first = pieces.first, (1...3).contains(first.count), first.first != "0" else { return false }
        return pieces.dropFirst().allSatisfy { $0.count == 3 }
    }

    private static func shortest(_ whole: String, _ fraction: String) -> String {
        var digits = Substring(fraction)
        while digits.last == "0" { digits.removeLast() }
        return digits.isEmpty ? whole : whole + "." + digits
    }
}
