import Model
import Testing

@testable import Results

@Suite("Results of repeated sections")
struct InstanceTableTests {
    @Test("a question has a column for each instance, up to the most that a test has, with its label in the code book")
    func columns() throws {
        let document = """
            {"id": "home", "title": "Home", "sections": [{"id": "people", "questions": ["name"], "repeat": {"label": "Person"}}],
             "questions": [{"id": "street", "text": "Street?", "kind": "text"}, {"id": "name", "text": "Name?", "kind": "text"}]}
            """
        let questionnaire = try Questionnaire(json: Array(document.utf8))
        func answer(_ number: Int?, _ text: String) -> Answer {
            Answer(questionId: QuestionInstance(question: "name", number: number).id, value: .one(text))
        }
        let tests = [
            ResultsFixture.test(
                1, of: questionnaire, person: Person(id: "a", name: "Ada"),
                answers: [answer(1, "Anna"), answer(2, "Ben")], points: [("name\u{2060}[2]", 1, 1)]),
            // Of a program that knows no instances.
            ResultsFixture.test(
                2, of: questionnaire, person: Person(id: "b", name: "Bo"), answers: [answer(nil, "Clara")],
                points: [("name", nil, 1)], status: .checking),
        ]
        let table = ResultsFixture.table(questionnaire, tests)
        #expect(table.columns.map(\.writtenID) == ["street", "name[1]", "name[2]"])
        #expect(table.columns.map(\.question.text) == ["Street?", "Person 1: Name?", "Person 2: Name?"])
        #expect(table.rows[0].cells.map(\.line) == ["", "Anna", "Ben"] && table.rows[0].cells[2].points == 1)
        #expect(table.rows[1].cells.map(\.line) == ["", "Clara", ""] && table.rows[1].cells[1].waits)
        #expect(!table.rows[1].cells[2].isAsked, "it has one person")
        let csv = String(decoding: table.csv(), as: UTF8.self)
        #expect(csv.contains(",street,name[1],name[2]\r\n") && csv.contains(",Anna,Ben\r\n"))
        #expect(String(decoding: table.codeBook(), as: UTF8.self).contains("name[2],Person 2: Name?,text"))
        // An older version has the same questions.
        let all = ResultTable(id: "home", current: questionnaire, tests: tests, versions: [questionnaire])
        #expect(all.columns.map(\.writtenID) == ["street", "name[1]", "name[2]"])
        let row = String(decoding: try DocumentCoding.encode(table.rows[0].document(table.columns)), as: UTF8.self)
        #expect(row.contains("\"name[2]\"") && !row.contains("\u{2060}"))
    }
}
