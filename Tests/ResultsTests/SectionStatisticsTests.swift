import Model
import Testing

@testable import Results

@Suite("The figures of sections")
struct SectionStatisticsTests {
    private static let document = """
        {"id": "exam", "title": "Exam", "sections": [
          {"id": "a", "title": "Water", "questions": ["q1", "q2"]}, {"id": "b", "questions": ["q3"]},
          {"id": "c", "title": "Not rated", "questions": ["q4"]}, {"id": "d", "title": "A passage", "questions": []}],
         "questions": [{"id": "q1", "text": "?", "kind": "text"}, {"id": "q2", "text": "?", "kind": "text"},
          {"id": "q3", "text": "?", "kind": "text"}, {"id": "q4", "text": "?", "kind": "text"}]}
        """

    private func statistics() throws -> (ResultTable, ResultStatistics) {
        let questionnaire = try Questionnaire(json: Array(Self.document.utf8))
        let rows: [[(String, Double?, Double)]] = [
            [("q1", 1, 1), ("q2", 2, 2), ("q3", 1, 1)],
            [("q1", 1, 1), ("q2", 0.5, 2), ("q3", 0, 1)],
            // Another question of the pool: this one was not drawn.
            [("q1", 0, 1), ("q3", 0, 1)],
        ]
        var tests = rows.enumerated().map { number, points in
            ResultsFixture.test(
                number + 1, of: questionnaire, person: Person(id: "p\(number)", name: "P\(number)"), points: points)
        }
        tests.append(
            ResultsFixture.test(
                9, of: questionnaire, person: Person(id: "p9", name: "P9"),
                points: [("q1", 1, 1), ("q2", nil, 2), ("q3", 1, 1)], status: .checking))
        let table = ResultsFixture.table(questionnaire, tests)
        return (table, ResultStatistics(table))
    }

    @Test("a class of three has the figures that were worked out by hand; a test that waits counts in none")
    func hand() throws {
        let (_, statistics) = try statistics()
        #expect(statistics.sections.map(\.section.id) == ["a", "b"])
        let water = statistics.sections[0]
        // The points are 3 of 3, 1.5 of 3 and 0 of 1.
        #expect(water.scores.mean == 1.5 && water.scores.count == 3 && water.mostPoints == 3)
        #expect(abs(water.part - 0.5) < 1e-9)
        #expect(water.strongest == 1 && water.weakest == 0)
        #expect(abs(statistics.sections[1].part - 1.0 / 3) < 1e-9)
    }

    @Test("each test has its points by section, and says where some wait")
    func rows() throws {
        let (table, _) = try statistics()
        #expect(table.sections.map(\.id) == ["a", "b", "c"], "a passage without questions has no column")
        let points = table.rows.map { row in table.sections.map { $0.points(of: row) } }
        #expect(points[2][0] == SectionColumns.Points(points: 0, maximum: 1, waits: false))
        #expect(points[3][0] == SectionColumns.Points(points: 1, maximum: 3, waits: true))
        #expect(points.allSatisfy { $0[2] == nil })
    }

    @Test("a section without a title is named by its number, and scripts read the ids of its questions")
    func words() throws {
        let (table, statistics) = try statistics()
        let lines = StatisticsWords(language: .english).sections(statistics)
        #expect(lines.map(\.name) == ["Water", "Section 2"] && lines.map(\.mean) == ["1.5 of 3", "0.33 of 1"])
        #expect(lines.map(\.part) == ["50 %", "33 %"] && lines[0].strongest == "100 %")
        let document = String(
            decoding: try DocumentCoding.encodeLine(statistics.document(of: table, .last)), as: UTF8.self)
        #expect(document.contains(#""questions":["q1","q2"]"#) && document.contains(#""title":"Water""#))
    }

    @Test("JSON Lines have an object for each test, on a line of its own")
    func lines() throws {
        let (table, _) = try statistics()
        let lines = try table.jsonLines().split(separator: UInt8(ascii: "\n"))
        #expect(lines.count == table.rows.count)
        for (line, row) in zip(lines, table.rows) {
            #expect(try Array(line) + [UInt8(ascii: "\n")] == DocumentCoding.encodeLine(row.document(table.columns)))
        }
    }
}
