import Model

extension ResultTable {
    /// The rows as JSON Lines: an object for each test, on a line of its own.
    package func jsonLines() throws -> [UInt8] {
        try rows.flatMap { try DocumentCoding.encodeLine($0.document(columns)) }
    }
}

extension ResultTable.Row {
    /// A row as scripts read it. What is not known is left out.
    package struct Document: Encodable {
        var test: TestID
        var person: Person?
        var attempt: Int
        var score: Double?
        var maximum: Double?
        var status: TestStatus
        var late: Bool
        var receivedAt: Timestamp?
        var parent: TestID?
        /// By question id, in an instance of a repeated section `name[2]`.
        var answers: [String: JSONValue]
        /// By question id; `null` where an answer waits for a person.
        var points: [String: JSONValue]
    }

    /// - Parameter columns: those of its table.
    package func document(_ columns: [ResultTable.Column]) -> Document {
        var answers: [String: JSONValue] = [:]
        var points: [String: JSONValue] = [:]
        for (column, cell) in zip(columns, cells) {
            let values = cell.answers.map(\.value.json)
            if values.count == 1 { answers[column.writtenID] = values[0] }
            if values.count > 1 { answers[column.writtenID] = .array(values) }
            if cell.maximum != nil { points[column.writtenID] = cell.points.map { .number($0) } ?? .null }
        }
        return Document(
            test: test, person: person, attempt: attempt, score: score, maximum: maximum, status: status, late: late,
            receivedAt: receivedAt, parent: parent, answers: answers, points: points)
    }
}
