extension HTMLWriter {
    /// Writes a formula as MathML Core; where it is outside of the subset, its source as code.
    package mutating func math(_ math: MathText) {
        guard let expression = math.expression else {
            element("code", [Attribute("class", "math")], text: math.written)
            return
        }
        var attributes = [Attribute("alttext", math.source)]
        if math.isDisplayed { attributes.append(Attribute("display", "block")) }
        element("math", attributes) { $0.expression(expression, isDisplayed: math.isDisplayed) }
    }

    private mutating func expression(_ expression: MathExpression, isDisplayed: Bool) {
        func write(_ part: MathExpression, _ writer: inout HTMLWriter) {
            writer.expression(part, isDisplayed: isDisplayed)
        }
        switch expression {
        case .identifier(let name): element("mi", text: name)
        case .number(let digits): element("mn", text: digits)
        case .text(let words): element("mtext", text: Self.fixedSpaces(words))
        case .space(let width):
            // A thin space of negative width is one that is left out.
            if width > 0 { element("mspace", [Attribute("width", "\(Self.thousandths(width))em")], text: "") }
        case .symbol(let symbol): self.symbol(symbol)
        case .row(let items): element("mrow") { writer in for item in items { write(item, &writer) } }
        case .fraction(let above, let below):
            element("mfrac") { writer in
                write(above, &writer)
                write(below, &writer)
            }
        case .stack(let above, let below):
            element("mfrac", [Attribute("linethickness", "0")]) { writer in
                write(above, &writer)
                write(below, &writer)
            }
        case .root(let radicand, nil): element("msqrt") { write(radicand, &$0) }
        case .root(let radicand, let index?):
            element("mroot") { writer in
                write(radicand, &writer)
                write(index, &writer)
            }
        case .script(let base, let sub, let sup):
            scripts(base, sub, sup, isUnder: isDisplayed && Self.hasLimits(base), isDisplayed: isDisplayed)
        case .accent(let base, let mark, let isBelow):
            let attribute = Attribute(isBelow ? "accentunder" : "accent", "true")
            element(isBelow ? "munder" : "mover", [attribute]) { writer in
                write(base, &writer)
                writer.element("mo", [Attribute("stretchy", "true")], text: mark)
            }
        case .matrix(let rows, let style): matrix(rows, style, isDisplayed: isDisplayed)
        }
    }

    private mutating func scripts(
        _ base: MathExpression, _ sub: MathExpression?, _ sup: MathExpression?, isUnder: Bool, isDisplayed: Bool
    ) {
        let name: StaticString =
            switch (sub != nil, sup != nil) {
            case (true, true): isUnder ? "munderover" : "msubsup"
            case (true, false): isUnder ? "munder" : "msub"
            default: isUnder ? "mover" : "msup"
            }
        element(name) { writer in
            for part in [base, sub, sup] {
                if let part { writer.expression(part, isDisplayed: isDisplayed) }
            }
        }
    }

    private static func hasLimits(_ base: MathExpression) -> Bool {
        switch base {
        case .symbol(let symbol): symbol.form == .large && !MathSymbols.integrals.contains(symbol.text)
        case .accent(_, let mark, _): mark == "⏞" || mark == "⏟"
        default: false
        }
    }

    private mutating func symbol(_ symbol: MathSymbol) {
        // Brackets grow with their content only between `\left` and `\right`, as in TeX.
        let size = symbol.stretches ? [] : [Attribute("stretchy", "false")]
        switch symbol.form {
        // The name of a limit is a word, not a stretched sign.
        case .large where symbol.text.first?.isLetter == true:
            element("mo", [Attribute("movablelimits", "false"), Attribute("largeop", "false")], text: symbol.text)
        case .large: element("mo", [Attribute("movablelimits", "false")], text: symbol.text)
        case .opening: element("mo", [Attribute("form", "prefix")] + size, text: symbol.text)
        case .closing: element("mo", [Attribute("form", "postfix")] + size, text: symbol.text)
        case .ordinary where symbol.text == "|": element("mo", size, text: symbol.text)
        case .ordinary: element("mi", text: symbol.text)
        default: element("mo", text: symbol.text)
        }
    }

    private mutating func matrix(
        _ rows: [[MathExpression]], _ style: MathExpression.MatrixStyle, isDisplayed: Bool
    ) {
        element("mrow") { writer in
            if !style.opening.isEmpty { writer.element("mo", [Attribute("form", "prefix")], text: style.opening) }
            let attributes = style.isLeftAligned ? [Attribute("class", "left")] : []
            writer.element("mtable", attributes) { writer in
                for row in rows {
                    writer.element("mtr") { writer in
                        for cell in row { writer.element("mtd") { $0.expression(cell, isDisplayed: isDisplayed) } }
                    }
                }
            }
            if !style.closing.isEmpty { writer.element("mo", [Attribute("form", "postfix")], text: style.closing) }
        }
    }

    /// White space at either end of an `mtext` is dropped unless it cannot break.
    private static func fixedSpaces(_ words: String) -> String { words.replacing(" ", with: "\u{A0}") }

    /// Eighteenths as a decimal number of ems.
    private static func thousandths(_ eighteenths: Int) -> String {
        let value = eighteenths * 1000 / 18
        let rest = String(value % 1000)
        return "\(value / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}
