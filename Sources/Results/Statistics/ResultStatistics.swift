import Model

/// The figures of a questionnaire's results.
package struct ResultStatistics: Sendable {
    /// A bar of the histogram: the tests with this part of their points.
    package struct Bar: Hashable, Sendable, Encodable {
        /// In percent. The lower limit belongs to the bar; the upper one only where it is 100.
        package var from: Int
        package var to: Int
        package var count: Int
    }

    package var tests: Int
    /// Tests with a final score.
    package var rated: Int
    /// Tests that wait for a person.
    package var waiting: Int
    package var late: Int
    /// Of the rated tests; `nil` where none is rated, or no question has points.
    package var scores: NumberSummary?
    /// The most points of a test.
    package var mostPoints: Double?
    package var histogram: [Bar]
    package var reliability: Reliability?
    package var questions: [QuestionStatistics]
    /// Those with points.
    package var sections: [SectionStatistics]
    /// How many tests are in the strongest third, and in the weakest.
    package var third: Int

    static let bars = 10

    /// - Parameters:
    ///   - table: with the attempts that count.
    ///   - mapping: makes the figures of many questions.
    package init(
        _ table: ResultTable,
        mapping: ([Int], @Sendable (Int) -> QuestionStatistics) throws -> [QuestionStatistics]
    ) rethrows {
        let rated = table.rows.filter { $0.status == .rated && ($0.maximum ?? 0) > 0 }
        tests = table.rows.count
        self.rated = rated.count
        waiting = table.rows.count { $0.status == .checking }
        late = table.rows.count { $0.late }
        scores = NumberSummary(rated.compactMap(\.score))
        mostPoints = rated.compactMap(\.maximum).max()
        histogram = rated.isEmpty ? [] : Self.histogram(rated.compactMap(\.fraction))
        let thirds = Thirds(rated)
        third = thirds.weakest.count
        questions = try mapping(Array(table.columns.indices)) {
            QuestionStatistics($0, table.columns[$0], table.rows, thirds)
        }
        sections = table.sections.compactMap { SectionStatistics($0, rated, thirds) }
        let common = table.columns.indices.filter { place in
            rated.allSatisfy { $0.cells[place].points != nil && ($0.cells[place].maximum ?? 0) > 0 }
        }
        reliability = Reliability(rated.map { row in common.map { row.cells[$0].points ?? 0 } })
    }

    /// The same, its questions one after the other.
    package init(_ table: ResultTable) { self.init(table) { $0.map($1) } }

    private static func histogram(_ fractions: [Double]) -> [Bar] {
        var counts = Array(repeating: 0, count: bars)
        for fraction in fractions {
            // 0.7 of 10 points is 7, although 0.7 * 10 is a little more or less.
            let place = Int(bounded: (fraction * Double(bars) + 1e-9).rounded(.down))
            counts[min(bars - 1, max(0, place))] += 1
        }
        let width = 100 / bars
        return counts.enumerated().map { Bar(from: $0 * width, to: ($0 + 1) * width, count: $1) }
    }
}
