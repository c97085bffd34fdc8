import Model
import Results
import Terminal
import Wording

/// A table of results for people at a terminal.
struct ResultText {
    let table: ResultTable
    let language: Language

    /// A column is at most this wide, in cells of the terminal.
    private static let widest = 24
    private static let widestAnswer = 16

    var text: String {
        guard !table.rows.isEmpty else {
            return terminalSafe(language.text("No tests of “\(table.title)” have arrived.")) + "\n"
        }
        let head =
            [
                language.text("Name"), language.text("Attempt"), language.text("Status"),
                language.text("Score"), "%",
            ] + table.columns.map { clip($0.writtenID, width: Self.widestAnswer) }
        return terminalSafe(table.title) + "\n\n" + Self.lines([head] + table.rows.map(cells)) + legend
    }

    private func cells(_ row: ResultTable.Row) -> [String] {
        let name = row.person?.fullName ?? String(row.test.description.prefix(8))
        var score = ""
        if let points = row.score, let maximum = row.maximum {
            score = "\(CSVText.number(points))/\(CSVText.number(maximum))"
        }
        let status = row.status.words(language) + (row.late ? ", " + language.text("late") : "")
        let percent = row.percent.map { "\($0)" } ?? ""
        return [clip(name, width: Self.widest), "\(row.attempt)", status, score, percent] + row.cells.map(cell)
    }

    private func cell(_ cell: ResultTable.Cell) -> String {
        if !cell.isAsked { return "·" }
        if cell.waits { return "?" }
        if let points = cell.points, let maximum = cell.maximum, maximum > 0 { return CSVText.number(points) }
        return clip(cell.line, width: Self.widestAnswer)
    }

    private var legend: String {
        let cells = table.rows.flatMap(\.cells)
        var lines: [String] = []
        if cells.contains(where: \.waits) { lines.append(language.text("? waits for a person")) }
        if cells.contains(where: { !$0.isAsked }) { lines.append(language.text("· was not asked")) }
        return lines.isEmpty ? "" : "\n" + lines.joined(separator: "   ") + "\n"
    }

    /// Rows with aligned columns.
    static func lines(_ rows: [[String]]) -> String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { place in
            rows.map { place < $0.count ? displayWidth($0[place]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            var line = ""
            for (place, cell) in row.enumerated() {
                line += cell
                if place < row.count - 1 {
                    line += String(repeating: " ", count: max(0, widths[place] - displayWidth(cell)) + 2)
                }
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
