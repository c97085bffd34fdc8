import Model

/// A section of a questionnaire, and its columns of a table of results.
package struct SectionColumns: Hashable, Sendable {
    package var id: String
    /// Its place in the questionnaire, from 1.
    package var number: Int
    package var title: String?
    /// Whether the title is formatted.
    package var textFormat: TextFormat
    /// Of its questions in the table, those of all instances.
    package var places: [Int]

    /// The sections of a questionnaire that have questions in a table.
    static func all(of questionnaire: Questionnaire?, in columns: [ResultTable.Column]) -> [SectionColumns] {
        let questions = columns.map { QuestionInstance($0.id).question }
        guard let questionnaire else { return [] }
        return questionnaire.sections.enumerated().compactMap { place, section in
            let own = Set(section.questions)
            let places = questions.indices.filter { own.contains(questions[$0]) }
            guard !places.isEmpty else { return nil }
            return SectionColumns(
                id: section.id, number: place + 1, title: section.title, textFormat: questionnaire.textFormat,
                places: places)
        }
    }

    /// What one test has for its questions together.
    package struct Points: Hashable, Sendable {
        package var points: Double
        package var maximum: Double
        /// Whether a person has to give some of them.
        package var waits: Bool
    }

    /// - Returns: `nil` where none of its questions has points in this test.
    package func points(of row: ResultTable.Row) -> Points? {
        let cells = places.map { row.cells[$0] }.filter { $0.maximum != nil }
        guard !cells.isEmpty else { return nil }
        return Points(
            points: cells.reduce(0) { $0 + ($1.points ?? 0) }, maximum: cells.reduce(0) { $0 + ($1.maximum ?? 0) },
            waits: cells.contains { $0.waits })
    }
}
