import Model
import Results
import Testing

@testable import Printing

@Suite("The results of a class on paper")
struct PrintedReportTests {
    private static let people = [
        Person(id: "a", name: "Ада <i>", group: "7b"), Person(id: "b", name: "Boris", group: "7b"),
        Person(id: "c", name: "Clara", group: "7c"), Person(id: "d", name: "Dmitri", group: "7c"),
    ]

    private func table(points: Bool = true) -> ResultTable {
        var questionnaire = Questionnaire(
            id: "exam", title: "The <exam>",
            questions: [
                Question(id: "q1", text: "Capital?", kind: .choice, options: ["Paris", "London"]),
                Question(id: "why", text: "Why <so>?", kind: .text),
            ])
        questionnaire.passScore = 0.5
        let reference = QuestionnaireReference(id: "exam", title: "Exam", digest: Digest(sha256Of: []))
        let tests = [0, 1, 2].map { place -> HandedInTest in
            var record = TestRecord(
                id: .random(), questionnaire: reference, dateStarted: .epoch,
                answers: [Answer(questionId: "q1", value: .one(place == 1 ? "London" : "Paris"))], deviceId: "d",
                sequence: place)
            record.person = Self.people[place == 2 ? 2 : place]
            var receipt = Receipt(test: record.id, status: place == 2 ? .checking : .rated, receivedAt: .epoch)
            if points {
                receipt.evaluation = Evaluation(
                    score: 0, maximum: 0,
                    questions: [
                        .init(questionId: "q1", correct: nil, points: place == 1 ? 0 : 1, maximum: 1),
                        .init(questionId: "why", correct: nil, points: place == 2 ? nil : 0.5, maximum: 2),
                    ]
                ).totalled()
            }
            return HandedInTest(record: record, receipt: receipt, version: questionnaire)
        }
        return ResultTable(id: "exam", current: questionnaire, tests: tests)
    }

    private func report(_ table: ResultTable, group: String? = nil, _ language: Language = .english) -> String {
        PrintedReport(table, group: group, people: Self.people, language: language, time: "2026-11-26 12:00").html
    }

    @Test("each class begins on a sheet of its own, with its persons, figures and who is missing")
    func classes() throws {
        let html = report(table())
        #expect(html.hasPrefix("<!doctype html>") && html.contains("<title>The &lt;exam&gt;</title>"))
        let parts = html.split(separator: "<section class=\"part\">").dropFirst().map(String.init)
        try #require(parts.count == 2)
        #expect(parts[0].contains("Group: 7b") && parts[0].contains("Ада &lt;i&gt;") && parts[0].contains("Boris"))
        #expect(parts[0].contains("1.5 of 3") && parts[0].contains(">50<") && parts[0].contains(">Passed<"))
        #expect(parts[0].contains("0.5 of 3") && parts[0].contains(">17<") && parts[0].contains(">Not passed<"))
        #expect(parts[0].contains("2 tests, 2 rated") && !parts[0].contains("Not handed in yet"))
        // The mean of 0.5 and 1.5.
        #expect(parts[0].contains("1 of 3") && !parts[0].contains("Clara"))
        #expect(parts[1].contains("Group: 7c") && parts[1].contains("Clara") && parts[1].contains("1 of 3 so far"))
        #expect(parts[1].contains("Not handed in yet: 1") && parts[1].contains("Dmitri") && parts[1].contains(">?<"))
        #expect(html.contains("break-before: page") && !html.contains("<script") && !html.contains("<i>"))
    }

    @Test("one class alone names its own people; a class from which no test came names all of them")
    func oneClass() {
        let html = report(table(), group: "7c", .russian)
        #expect(html.contains("<html lang=\"ru\">") && html.contains("Clara") && !html.contains("Boris"))
        #expect(html.contains("Ещё не сдали: 1") && html.contains("Dmitri"))
        var empty = table()
        empty.rows = []
        let none = report(empty, group: "7b")
        #expect(none.contains("Not handed in yet: 2") && none.contains("Boris") && !none.contains("<table"))
    }

    @Test("a survey has the counts of its options in place of points")
    func survey() {
        let html = report(table(points: false), group: "7b")
        #expect(html.contains("1. Capital?") && html.contains(">Paris<") && html.contains(">50 %<"))
        #expect(html.contains("2. Why &lt;so&gt;?") && !html.contains("Difficulty"))
    }
}
