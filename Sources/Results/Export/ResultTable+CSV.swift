import Model

extension ResultTable {
    /// What the cells of questions show.
    package enum Content: String, Sendable, CaseIterable { case answers, points }

    /// The columns before those of the questions, with their meaning.
    private static let fixed: [(name: String, meaning: String)] = [
        ("test", "the test's UUID"),
        ("person", "the person's id"),
        ("name", "the person's name"),
        ("group", "the person's class or group"),
        ("attempt", "counts the person's tests in the order of their arrival, from 1"),
        ("status", "sent: it arrived; checking: an answer waits for a person; rated: the score is final"),
        ("score", "the points; not final unless the status is rated"),
        ("maximum", "the most points that there were"),
        ("late", "true where the time limit was exceeded"),
        ("received", "when the host had stored it (UTC)"),
    ]

    /// One row a test, one column a question.
    package func csv(_ content: Content = .answers, separator: CSVText.Separator = .comma) -> [UInt8] {
        var csv = CSVText(separator: separator)
        csv.add(names.map { .text($0) })
        for row in rows {
            let facts: [CSVText.Cell] = [
                .text(row.test.description), row.person.map { .text($0.id) } ?? .empty,
                row.person.map { .text($0.name) } ?? .empty, row.person?.group.map { .text($0) } ?? .empty,
                .number(Double(row.attempt)), .text(row.status.rawValue), row.score.map { .number($0) } ?? .empty,
                row.maximum.map { .number($0) } ?? .empty, .truth(row.late),
                row.receivedAt.map { .text($0.description) } ?? .empty,
            ]
            let cells = zip(row.cells, columns).map { cell, column in
                content == .points ? Self.points(cell) : Self.answer(cell, column.question)
            }
            csv.add(facts + cells)
        }
        return csv.bytes
    }

    private static func points(_ cell: Cell) -> CSVText.Cell { cell.points.map { .number($0) } ?? .empty }

    private static func answer(_ cell: Cell, _ question: Question) -> CSVText.Cell {
        if cell.answers.count == 1, cell.files.isEmpty, let digits = cell.answers[0].digits(of: question) {
            // A spreadsheet keeps fifteen digits of a number.
            return digits.count(where: \.isNumber) > 15 ? .text(digits) : .given(digits)
        }
        return cell.line.isEmpty ? .empty : .text(cell.line)
    }

    /// What each column of the table means, as a table.
    package func codeBook(separator: CSVText.Separator = .comma) -> [UInt8] {
        var csv = CSVText(separator: separator)
        csv.add(["column", "meaning", "kind", "options", "maximum", "required"].map { .text($0) })
        for (name, meaning) in Self.fixed {
            csv.add([.text(name), .text(meaning)] + Array(repeating: .empty, count: 4))
        }
        for (place, column) in columns.enumerated() {
            let question = column.question
            let maximum = rows.compactMap { $0.cells[place].maximum }.max() ?? question.points
            let parts = question.rows + question.options
            csv.add([
                .text(names[Self.fixed.count + place]), .text(question.text),
                .text(question.unknownKind ?? question.kind.rawValue),
                parts.isEmpty ? .empty : .text(parts.joined(separator: "; ")),
                maximum.map { .number($0) } ?? .empty, .truth(question.required),
            ])
        }
        return csv.bytes
    }

    /// The names of all columns: those of questions are their ids, of an instance `name[2]`, made different from the others where they are not.
    private var names: [String] {
        var names = Self.fixed.map(\.name)
        var known = Set(names)
        for column in columns {
            var name = column.writtenID
            while !known.insert(name).inserted { name = "question:" + name }
            names.append(name)
        }
        return names
    }
}
