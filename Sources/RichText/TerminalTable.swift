/// A table of a terminal: columns as wide as their content where the width allows it, else narrower with wrapped cells.
struct TerminalTable {
    private let table: FormattedText.Table
    private let columns: (Character) -> Int
    /// The fewest columns that a cell gets before the table becomes a list.
    private static let narrowest = 4
    private static let separator = " │ "

    init(_ table: FormattedText.Table, columns: @escaping (Character) -> Int) {
        self.table = table
        self.columns = columns
    }

    func lines(width: Int) -> [TerminalLine] {
        let natural = table.header.indices.map { column in
            ([table.header] + table.rows).map { self.width(of: $0[column]) }.max() ?? 0
        }
        guard let widths = Self.fit(natural, into: width - Self.separator.count * max(0, natural.count - 1)) else {
            return list(width: width)
        }
        var lines = row(table.header, widths, style: .strong)
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
        lines.append(TerminalLine(rule, .frame))
        for cells in table.rows { lines += row(cells, widths, style: []) }
        return lines
    }

    /// Takes columns from the widest until all fit; `nil` where some would be too narrow.
    static func fit(_ natural: [Int], into width: Int) -> [Int]? {
        var excess = natural.reduce(0, +) - width
        guard excess > 0 else { return natural }
        // Cut all that is above a level, then the rest of one step from left to right.
        var level = natural.max() ?? 0
        func removed(_ level: Int) -> Int { natural.reduce(0) { $0 + max(0, $1 - level) } }
        while level > narrowest, removed(level) < excess { level -= max(1, (excess - removed(level)) / natural.count) }
        level = max(level, narrowest)
        guard removed(level) >= excess else { return nil }
        var widths = natural.map { min($0, level) }
        excess = natural.reduce(0, +) - removed(level)
        var spare = width - excess
        for index in widths.indices where spare > 0 && widths[index] < natural[index] {
            widths[index] += 1
            spare -= 1
        }
        return widths
    }

    private func width(of cell: [FormattedText.Inline]) -> Int {
        var filler = LineFiller(width: .max, columns: columns)
        filler.add(cell, [])
        return filler.finish().map { width(of: $0) }.max() ?? 0
    }

    private func width(of line: TerminalLine) -> Int { line.text.reduce(0) { $0 + columns($1) } }

    private func row(
        _ cells: [[FormattedText.Inline]], _ widths: [Int], style: TerminalLine.Style
    ) -> [TerminalLine] {
        let filled = zip(cells, widths).map { cell, width in
            var filler = LineFiller(width: width, columns: columns)
            filler.add(cell, style)
            return filler.finish()
        }
        return (0..<(filled.map(\.count).max() ?? 0)).map { index in
            var line = TerminalLine()
            for (column, cell) in filled.enumerated() {
                if column > 0 { line.append(Self.separator, .frame) }
                let content = index < cell.count ? cell[index] : TerminalLine()
                let space = max(0, widths[column] - width(of: content))
                let before =
                    switch table.alignments.indices.contains(column) ? table.alignments[column] : .natural {
                    case .right: space
                    case .center: space / 2
                    case .natural, .left: 0
                    }
                line.append(String(repeating: " ", count: before), [])
                line.append(content)
                if column < filled.count - 1 { line.append(String(repeating: " ", count: space - before), []) }
            }
            return line
        }
    }

    /// Each row as lines of “header: cell”, for a window too narrow for the table.
    private func list(width: Int) -> [TerminalLine] {
        var lines: [TerminalLine] = []
        for (index, row) in table.rows.enumerated() {
            if index > 0 { lines.append(TerminalLine()) }
            for (header, cell) in zip(table.header, row) {
                var filler = LineFiller(width: width, columns: columns)
                filler.add(header, .strong)
                filler.add(": ", .strong)
                filler.add(cell, [])
                lines += filler.finish()
            }
        }
        return lines
    }
}
