/// Reads the subset of TeX: fractions, roots, powers, indices, Greek, relations, sums, integrals, matrices, text.
///
/// What is outside makes the complete formula unreadable: it is then shown as its source, never in part.
struct MathReader {
    /// The longest formula, in characters, and how deep its parts may nest.
    static let maximumLength = 2000
    static let maximumDepth = 24

    static func read(_ source: String) -> MathExpression? {
        let characters = Array(source)
        guard characters.count <= maximumLength, !characters.allSatisfy(\.isWhitespace) else { return nil }
        var reader = MathReader(characters: characters)
        guard let row = reader.row(until: .end, depth: 0), reader.place == characters.count else { return nil }
        return row
    }

    private let characters: [Character]
    private var place = 0

    private init(characters: [Character]) { self.characters = characters }

    /// Where a row of expressions ends.
    private enum End: Equatable {
        case end
        case brace
        case bracket
        case right
        /// A cell of a matrix.
        case cell
    }

    private var next: Character? { place < characters.count ? characters[place] : nil }

    private mutating func skipSpaces() { while next?.isWhitespace == true { place += 1 } }

    private mutating func skip(_ character: Character) -> Bool {
        guard next == character else { return false }
        place += 1
        return true
    }

    /// Whether a command is next; it is not consumed.
    private func isNext(_ command: String) -> Bool {
        let text = "\\" + command
        guard characters.count - place >= text.count, String(characters[place..<(place + text.count)]) == text else {
            return false
        }
        let after = place + text.count
        return !command.allSatisfy(\.isLetter) || after == characters.count || !characters[after].isASCIILetter
    }

    private mutating func row(until end: End, depth: Int) -> MathExpression? {
        guard depth <= Self.maximumDepth else { return nil }
        var items: [MathExpression] = []
        while true {
            skipSpaces()
            guard let character = next else { return end == .end ? .row(items) : nil }
            switch end {
            case .brace where character == "}", .bracket where character == "]": return .row(items)
            case .right where isNext("right"): return .row(items)
            case .cell where character == "&" || isNext("\\") || isNext("end"): return .row(items)
            default: break
            }
            guard let item = scripted(depth: depth + 1) else { return nil }
            items.append(item)
        }
    }

    /// An atom with its indices and powers.
    private mutating func scripted(depth: Int) -> MathExpression? {
        guard depth <= Self.maximumDepth, let base = next == "^" || next == "_" ? .row([]) : atom(depth: depth) else {
            return nil
        }
        var sub: MathExpression?
        var sup: MathExpression?
        var primes = ""
        while true {
            skipSpaces()
            if skip("'") {
                primes += "′"
            } else if skip("^") {
                guard sup == nil, let script = argument(depth: depth) else { return nil }
                sup = script
            } else if skip("_") {
                guard sub == nil, let script = argument(depth: depth) else { return nil }
                sub = script
            } else if isNext("limits") || isNext("nolimits") {
                place += isNext("limits") ? 7 : 9
            } else {
                break
            }
        }
        if !primes.isEmpty {
            let marks = MathExpression.symbol(MathSymbol(primes, .ordinary))
            sup = sup.map { .row([marks, $0]) } ?? marks
        }
        return sub == nil && sup == nil ? base : .script(base, sub: sub, sup: sup)
    }

    /// What follows `^`, `_` or a command: a group, or one sign.
    private mutating func argument(depth: Int) -> MathExpression? {
        skipSpaces()
        guard let character = next, character != "}", character != "^", character != "_", character != "&" else {
            return nil
        }
        if character.isASCIIDigit {
            place += 1
            return .number(String(character))
        }
        return atom(depth: depth + 1)
    }

    private mutating func atom(depth: Int) -> MathExpression? {
        guard depth <= Self.maximumDepth, let character = next else { return nil }
        if character == "\\" { return command(depth: depth) }
        if skip("{") {
            guard let row = row(until: .brace, depth: depth + 1), skip("}") else { return nil }
            return row
        }
        if character.isASCIIDigit { return number() }
        if character == "~" {
            place += 1
            return .space(6)
        }
        place += 1
        if let sign = MathSymbols.sign(character) { return .symbol(sign) }
        return character.isLetter ? .identifier(String(character)) : nil
    }

    private mutating func number() -> MathExpression {
        var digits = ""
        while let character = next {
            if character.isASCIIDigit {
                digits.append(character)
                place += 1
            } else if character == "." || character == ",", place + 1 < characters.count,
                characters[place + 1].isASCIIDigit
            {
                digits.append(character)
                place += 1
            } else if place + 3 < characters.count, characters[place...place + 2] == ["{", ",", "}"],
                characters[place + 3].isASCIIDigit
            {
                // `1{,}5` is TeX's way to write it; `1,5` without spaces means the same to people.
                digits.append(",")
                place += 3
            } else {
                return .number(digits)
            }
        }
        return .number(digits)
    }

    // MARK: Commands

    private mutating func command(depth: Int) -> MathExpression? {
        place += 1
        guard let first = next else { return nil }
        var name = ""
        while let character = next, character.isASCIILetter {
            name.append(character)
            place += 1
        }
        if name.isEmpty {
            name = String(first)
            place += 1
            if "{}%$#_&".contains(first) {
                let form: MathSymbol.Form = first == "{" ? .opening : first == "}" ? .closing : .ordinary
                return .symbol(MathSymbol(name, form))
            }
            if name == "|" { return .symbol(MathSymbol("‖", .ordinary)) }
        }
        if let letter = MathSymbols.letters[name] { return .identifier(letter) }
        if let symbol = MathSymbols.symbols[name] { return .symbol(symbol) }
        if let width = MathSymbols.spaces[name] { return .space(width) }
        if MathSymbols.functions.contains(name) { return .identifier(name) }
        if MathSymbols.limits.contains(name) { return .symbol(MathSymbol(name, .large)) }
        if let (mark, isBelow) = MathSymbols.accents[name] {
            return argument(depth: depth).map { .accent($0, mark, isBelow: isBelow) }
        }
        return structure(name, depth: depth)
    }

    private mutating func structure(_ name: String, depth: Int) -> MathExpression? {
        switch name {
        case "frac", "dfrac", "tfrac":
            guard let above = argument(depth: depth), let below = argument(depth: depth) else { return nil }
            return .fraction(above, below)
        case "binom":
            guard let above = argument(depth: depth), let below = argument(depth: depth) else { return nil }
            let brackets = (MathSymbol("(", .opening, stretches: true), MathSymbol(")", .closing, stretches: true))
            return .row([.symbol(brackets.0), .stack(above, below), .symbol(brackets.1)])
        case "sqrt":
            skipSpaces()
            var index: MathExpression?
            if skip("[") {
                guard let row = row(until: .bracket, depth: depth + 1), skip("]") else { return nil }
                index = row
            }
            return argument(depth: depth).map { .root($0, index: index) }
        case "text", "textrm", "mbox", "mathrm", "operatorname": return words().map { .text($0) }
        case "mathbf", "boldsymbol", "mathbb":
            let style: MathSymbols.LetterStyle = name == "mathbb" ? .doubleStruck : .bold
            guard let words = words() else { return nil }
            let letters = words.map { MathSymbols.letter($0, in: style) }
            return letters.contains(nil) ? nil : .identifier(letters.compactMap { $0 }.joined())
        case "left": return delimited(depth: depth)
        case "begin": return environment(depth: depth)
        case "displaystyle", "textstyle": return .row([])
        default: return nil
        }
    }

    /// The words of `\text{…}`, with the escapes of signs that TeX reserves.
    private mutating func words() -> String? {
        skipSpaces()
        guard skip("{") else { return nil }
        var text = ""
        while let character = next {
            place += 1
            switch character {
            case "}": return text
            case "{": return nil
            case "\\":
                guard let sign = next, "{}%$#_& ".contains(sign) else { return nil }
                text.append(sign)
                place += 1
            default: text.append(character)
            }
        }
        return nil
    }

    private mutating func delimited(depth: Int) -> MathExpression? {
        guard let opening = delimiter(.opening), let content = row(until: .right, depth: depth + 1), isNext("right")
        else { return nil }
        place += 6
        guard let closing = delimiter(.closing) else { return nil }
        return .row([opening, content, closing].filter { $0 != .row([]) || $0 == content })
    }

    /// A bracket after `\left` or `\right`; a point is none.
    private mutating func delimiter(_ form: MathSymbol.Form) -> MathExpression? {
        skipSpaces()
        guard let character = next else { return nil }
        if character == "\\" {
            guard case .symbol(let symbol) = command(depth: Self.maximumDepth) else { return nil }
            return .symbol(MathSymbol(symbol.text, form, stretches: true))
        }
        place += 1
        if character == "." { return .row([]) }
        return "()[]|/<>".contains(character) ? .symbol(MathSymbol(String(character), form, stretches: true)) : nil
    }

    private mutating func environment(depth: Int) -> MathExpression? {
        guard let name = words(), let style = MathSymbols.environments[name] else { return nil }
        var rows: [[MathExpression]] = [[]]
        while true {
            guard let cell = row(until: .cell, depth: depth + 1) else { return nil }
            rows[rows.count - 1].append(cell)
            if skip("&") { continue }
            if isNext("\\") {
                place += 2
                rows.append([])
                continue
            }
            guard isNext("end") else { return nil }
            place += 4
            guard words() == name else { return nil }
            if rows.last == [.row([])], rows.count > 1 { rows.removeLast() }
            return .matrix(rows, style)
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && ("0"..."9").contains(self) }
    fileprivate var isASCIILetter: Bool { isASCII && isLetter }
}
