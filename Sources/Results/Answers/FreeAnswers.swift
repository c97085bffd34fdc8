import Model

/// The answers that people wrote themselves, question by question.
package struct FreeAnswers: Sendable {
    package struct Answer: Hashable, Sendable {
        package var test: TestID
        package var person: Person?
        package var attempt: Int
        package var text: String
    }

    package struct Of: Sendable {
        package var column: ResultTable.Column
        /// In the order of the table's rows.
        package var answers: [Answer]
    }

    /// Questions that are answered by a text, in their order; those that no one answered, too.
    package var questions: [Of]

    package init(_ table: ResultTable) {
        questions = table.columns.indices.filter { Self.isFree(table.columns[$0].question) }.map { place in
            let answers = table.rows.flatMap { row in
                row.cells[place].texts.map {
                    Answer(test: row.test, person: row.person, attempt: row.attempt, text: $0)
                }
            }
            return Of(column: table.columns[place], answers: answers)
        }
    }

    /// Whether people write the answer in their own words.
    package static func isFree(_ question: Question) -> Bool { question.input == .text }

    /// The bytes of all texts.
    package var sizeBytes: Int { questions.reduce(0) { $0 + $1.answers.reduce(0) { $0 + $1.text.utf8.count } } }
}
