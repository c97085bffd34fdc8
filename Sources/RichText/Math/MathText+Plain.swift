extension MathText {
    /// The formula as one line of Unicode, `(a + b)/2 ≤ √x`; the source where it is outside of the subset.
    package var plain: String {
        guard let expression else { return written }
        var writer = PlainMath()
        writer.write(expression)
        return writer.finish()
    }
}

/// Writes a formula as a line of text.
private struct PlainMath {
    private var text = ""

    func finish() -> String {
        var words = text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        for (loose, tight) in [("( ", "("), (" )", ")"), ("[ ", "["), (" ]", "]"), (" ,", ","), (" ;", ";")] {
            words = words.replacing(loose, with: tight)
        }
        return words
    }

    mutating func write(_ expression: MathExpression) {
        switch expression {
        case .identifier(let name): word(name)
        case .number(let digits): text += digits
        case .text(let words): text += words
        case .space(let width): if width > 0 { text += " " }
        case .symbol(let symbol): write(symbol)
        case .row(let items):
            for (index, item) in items.enumerated() {
                if index > 0, case .identifier(let name) = items[index - 1], name.count > 1, Self.isOperand(item) {
                    text += " "
                }
                write(item)
            }
        case .fraction(let above, let below):
            group(above)
            text += "/"
            group(below)
        case .stack(let above, let below):
            write(above)
            text += " ¦ "
            write(below)
        case .root(let radicand, let index):
            if let index, let raised = Self.raised(index) { text += raised } else if let index { group(index) }
            text += "√"
            group(radicand)
        case .script(let base, let sub, let sup):
            write(base)
            if let sub { text += Self.lowered(sub) ?? "_" + Self.grouped(sub) }
            if let sup { text += Self.raised(sup) ?? "^" + Self.grouped(sup) }
            if case .symbol(let symbol) = base, symbol.form == .large { text += " " }
        case .accent(let base, let mark, _):
            group(base)
            text +=
                ["¯": "\u{0305}", "→": "\u{20D7}", "^": "\u{0302}", "˙": "\u{0307}", "¨": "\u{0308}", "~": "\u{0303}"][
                    mark] ?? ""
        case .matrix(let rows, let style):
            text += style.opening.isEmpty && !style.isLeftAligned ? "[" : style.opening
            text += rows.map { $0.map(Self.plain).joined(separator: style.isLeftAligned ? " " : ", ") }
                .joined(separator: "; ")
            text += style.opening.isEmpty && !style.isLeftAligned ? "]" : style.closing
        }
    }

    private mutating func word(_ name: String) {
        if name.count > 1, let last = text.last, last.isLetter || last.isNumber { text += " " }
        text += name
    }

    private mutating func write(_ symbol: MathSymbol) {
        switch symbol.form {
        case .operation where symbol.text == "/" || symbol.text == "⋅": text += symbol.text
        case .operation, .relation:
            // A sign at the beginning belongs to what follows.
            let isSign = text.isEmpty || "([{,;=≤≥<>".contains(text.last { $0 != " " } ?? "(")
            text += isSign && symbol.form == .operation ? symbol.text : " \(symbol.text) "
        case .punctuation: text += symbol.text + " "
        case .large where symbol.text.count > 1: word(symbol.text)
        default: text += symbol.text
        }
    }

    private mutating func group(_ expression: MathExpression) { text += Self.grouped(expression) }

    private static func isOperand(_ expression: MathExpression) -> Bool {
        switch expression {
        case .symbol(let symbol): symbol.form == .ordinary
        case .space: false
        default: true
        }
    }

    private static func plain(_ expression: MathExpression) -> String {
        var writer = PlainMath()
        writer.write(expression)
        return writer.finish()
    }

    /// In brackets, unless it is one sign, number or word.
    private static func grouped(_ expression: MathExpression) -> String {
        let text = plain(expression)
        let isSimple =
            text.count == 1 || text.allSatisfy { $0.isNumber || $0 == "." }
            || text.allSatisfy(\.isLetter) && text.count < 2
        return isSimple ? text : "(\(text))"
    }

    private static func raised(_ expression: MathExpression) -> String? { converted(expression, superscripts) }
    private static func lowered(_ expression: MathExpression) -> String? { converted(expression, subscripts) }

    private static func converted(_ expression: MathExpression, _ table: [Character: Character]) -> String? {
        let text = plain(expression).filter { $0 != " " }
        let converted = text.compactMap { table[$0] }
        return converted.count == text.count && !text.isEmpty ? String(converted) : nil
    }

    private static let superscripts = Dictionary(
        uniqueKeysWithValues: zip("0123456789+−()ni′″∘°", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿⁱ′″°°"))
    private static let subscripts = Dictionary(
        uniqueKeysWithValues: zip("0123456789+−()aeijoruvx", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₐₑᵢⱼₒᵣᵤᵥₓ"))
}
