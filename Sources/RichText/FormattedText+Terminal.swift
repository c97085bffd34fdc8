extension FormattedText {
    /// The text as lines of a terminal that are at most `width` columns wide.
    ///
    /// Emphasis and code are styles, lists and quotations have their marks, a table is fitted to the width and becomes a
    /// list of its rows where it cannot be. Code keeps each of its characters.
    ///
    /// - Parameters:
    ///   - width: the columns of a line; a table needs 12 at least.
    ///   - columns: how many columns a character needs.
    package func terminalLines(width: Int, columns: @escaping (Character) -> Int = { _ in 1 }) -> [TerminalLine] {
        TerminalBlocks(columns: columns).lines(of: blocks, width: max(width, 4))
    }
}

private struct TerminalBlocks {
    let columns: (Character) -> Int

    func lines(of blocks: [FormattedText.Block], width: Int, isTight: Bool = false) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        for (index, block) in blocks.enumerated() {
            if index > 0, !isTight { lines.append(TerminalLine()) }
            lines += self.lines(of: block, width: width)
        }
        return lines
    }

    private func lines(of block: FormattedText.Block, width: Int) -> [TerminalLine] {
        switch block {
        case .paragraph(let inlines): return fill(inlines, width: width)
        case .heading(_, let inlines): return fill(inlines, width: width, style: [.heading, .strong])
        case .code(_, let code):
            return code.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .flatMap { exact(String($0), width: width) }
        case .quote(let blocks):
            return prefixed(lines(of: blocks, width: max(4, width - 2)), first: "│ ", rest: "│ ")
        case .list(let list):
            return list.items.enumerated().flatMap { index, item -> [TerminalLine] in
                let mark = list.start.map { "\($0 &+ index). " } ?? "• "
                let inner = lines(of: item, width: max(4, width - mark.count), isTight: list.isTight)
                let padding = String(repeating: " ", count: mark.count)
                let separator = list.isTight || index == 0 ? [] : [TerminalLine()]
                return separator + prefixed(inner.isEmpty ? [TerminalLine()] : inner, first: mark, rest: padding)
            }
        case .table(let table): return TerminalTable(table, columns: columns).lines(width: width)
        case .math(let math): return prefixed(fillMath(math, width: max(4, width - 2)), first: "  ", rest: "  ")
        case .rule: return [TerminalLine(String(repeating: "─", count: min(width, 40)), .frame)]
        }
    }

    private func fillMath(_ math: MathText, width: Int) -> [TerminalLine] {
        var filler = LineFiller(width: width, columns: columns)
        for (index, line) in math.plain.split(whereSeparator: \.isNewline).enumerated() {
            if index > 0 { filler.breakLine() }
            filler.add(String(line), [])
        }
        return filler.finish()
    }

    private func fill(
        _ inlines: [FormattedText.Inline], width: Int, style: TerminalLine.Style = []
    ) -> [TerminalLine] {
        var filler = LineFiller(width: width, columns: columns)
        filler.add(inlines, style)
        return filler.finish()
    }

    /// A line of code in pieces of the width. Tabs become spaces to the next multiple of four.
    private func exact(_ code: String, width: Int) -> [TerminalLine] {
        var filler = LineFiller(width: width, columns: columns)
        var column = 0
        var text = ""
        for character in code {
            let needed = character == "\t" ? 4 - column % 4 : columns(character)
            text += character == "\t" ? String(repeating: " ", count: needed) : String(character)
            column += needed
        }
        filler.addExactly(text, .code)
        return filler.finish()
    }

    private func prefixed(_ lines: [TerminalLine], first: String, rest: String) -> [TerminalLine] {
        lines.enumerated().map { index, line in
            var prefixed = TerminalLine(index == 0 ? first : rest, .frame)
            prefixed.append(line)
            return prefixed
        }
    }
}

extension LineFiller {
    mutating func add(_ inlines: [FormattedText.Inline], _ style: TerminalLine.Style) {
        for inline in inlines {
            switch inline {
            case .text(let text): add(text, style)
            case .code(let code): addCode(code, style.union(.code))
            case .emphasis(let inlines): add(inlines, style.union(.emphasis))
            case .strong(let inlines): add(inlines, style.union(.strong))
            case .link(let link, let inlines):
                add(inlines, style.union(.link))
                if FormattedText.plainText(of: inlines) != link.destination { add(" (\(link.destination))", style) }
            case .math(let math): add(math.plain, style)
            case .lineBreak: breakLine()
            case .softBreak: add(" ", style)
            }
        }
    }

    /// Code within a line keeps its spaces: they do not separate words.
    private mutating func addCode(_ code: String, _ style: TerminalLine.Style) {
        add(code, style, isUnbroken: true)
    }
}
