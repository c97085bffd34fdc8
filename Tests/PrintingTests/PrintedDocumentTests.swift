import Foundation
import Model
import Testing

@testable import Printing

@Suite("Questionnaires and tests on paper")
struct PrintedDocumentTests {
    private static let document = """
        {"id": "river", "title": "The <river>", "locale": "ru", "textFormat": "markdown", "shuffle": {"options": true}, "passScore": 0.5,
         "sections": [{"id": "s", "title": "A passage", "text": "It is **short**.\\n\\n<script>alert(1)</script>",
           "media": [{"path": "map.png", "alt": "A \\"map\\""}], "questions": ["a", "b", "c"], "pick": 2}],
         "questions": [{"id": "first", "text": "Which?", "options": ["one", "two", "three", "four"]},
          {"id": "a", "text": "Ask a", "kind": "text"}, {"id": "b", "text": "Ask b", "kind": "text"}, {"id": "c", "text": "Ask c", "kind": "text"},
          {"id": "how", "text": "How long?", "kind": "number", "unit": "km"}, {"id": "n", "kind": "note", "text": "Thanks."}]}
        """

    private func questionnaire() throws -> Questionnaire { try Questionnaire(json: Array(Self.document.utf8)) }

    private func record() throws -> TestRecord {
        TestRecord(
            id: try #require(TestID("00000000-0000-4000-8000-000000000007")),
            questionnaire: QuestionnaireReference(id: "river", title: "R", digest: Digest(sha256Of: [])),
            dateStarted: .epoch,
            answers: [
                Answer(questionId: "first", value: .one("two"), optionIndexes: [1]),
                Answer(questionId: "how", value: .one("<74>")),
            ], deviceId: "d", sequence: 1)
    }

    @Test("a page is complete in itself, in the document’s language, and nothing in a text becomes an element")
    func page() throws {
        let html = PrintedDocument(try questionnaire()).html
        #expect(html.hasPrefix("<!doctype html>") && html.contains("<html lang=\"ru\">"))
        #expect(html.contains("<title>The &lt;river&gt;</title>") && html.contains("Имя: "))
        #expect(!html.contains("<script") && html.contains("&lt;script&gt;") && html.contains("<strong>short</strong>"))
        #expect(!html.contains("src=\"http") && html.contains("[A &quot;map&quot;]"))
        for text in ["A passage", "Ask a", "Ask b", "Ask c", "Thanks.", "○ A ", " km"] {
            #expect(html.contains(text), "\(text)")
        }
        #expect(html.contains("default-src &#39;none&#39;") || html.contains("default-src 'none'"))
    }

    @Test(
        "a sheet has the points of each question where the questionnaire states any, and a rated test those that it got"
    )
    func points() throws {
        let stated = Self.document.replacing(#""text": "Which?","#, with: #""text": "Which?", "points": 2.5,"#)
        let questionnaire = try Questionnaire(json: Array(stated.utf8))
        let html = PrintedDocument(questionnaire).html
        #expect(html.contains("баллов: 2,5") && html.components(separatedBy: "1 балл<").count == 5)
        #expect(!PrintedDocument(try self.questionnaire()).html.contains("балл"))
        let record = try record()
        var receipt = Receipt(test: record.id, status: .rated)
        receipt.evaluation = Evaluation(
            score: 1.5, maximum: 2.5, ratedAt: .epoch,
            questions: [.init(questionId: "first", correct: nil, points: 1.5, maximum: 2.5)])
        let rated = PrintedDocument(questionnaire.arranged(for: record), record: record, receipt: receipt).html
        #expect(rated.contains("1,5 из 2,5"))
    }

    @Test("a picture that is here is within the page")
    func pictures() throws {
        let html = PrintedDocument(
            try questionnaire(), picture: { _ in .init(mediaType: "image/png", bytes: [0x89, 0x50, 0x4E, 0x47]) }
        ).html
        #expect(html.contains("src=\"data:image/png;base64,iVBORw==\""))
        let hostile = PrintedDocument(
            try questionnaire(), picture: { _ in .init(mediaType: "text/html", bytes: [1]) }
        ).html
        #expect(!hostile.contains("data:text/html"))
    }

    @Test("a test is printed with its own questions, in its order, with its answers and what is known of them")
    func test() throws {
        let record = try record()
        let arranged = try questionnaire().arranged(for: record.orderID)
        var receipt = Receipt(test: record.id, status: .rated)
        receipt.evaluation = Evaluation(
            score: 1, maximum: 2.5,
            questions: [
                .init(questionId: "first", correct: false), .init(questionId: "how", correct: nil, comment: "Good <b>"),
            ])
        receipt.evaluation?.questions[0].rightAnswers = [.string("three")]
        receipt.evaluation?.questions[0].explanation = "Because."
        receipt.evaluation?.questions[0].translations = ["ru": KeyTexts(feedback: "Три.", explanation: "Потому.")]
        let html = PrintedDocument(arranged, record: record, receipt: receipt).html
        var rest = html[...]
        for place in arranged.questions[0].optionPlaces {
            let range = try #require(rest.firstRange(of: ">" + arranged.questions[0].options[place] + "</span>"))
            rest = rest[range.upperBound...]
        }
        for id in arranged.notDrawn { #expect(!html.contains("Ask \(id)")) }
        #expect(html.contains("class=\"chosen\"") && html.contains("&lt;74&gt; km") && html.contains("нет ответа"))
        #expect(html.contains("1 из 2,5") && html.contains("Не сдано") && html.contains("Правильный ответ: three"))
        #expect(
            html.contains("Потому.") && html.contains("Три.") && !html.contains("Because.")
                && html.contains("Good &lt;b&gt;"))
    }

    @Test("an answer sheet has numbers and fields, and no questions")
    func sheet() throws {
        let html = PrintedDocument(try questionnaire(), form: .answerSheet).html
        #expect(!html.contains("Ask a") && html.contains("○ D") && html.components(separatedBy: "<li>").count == 6)
        #expect(OptionLetter.text(25) == "Z" && OptionLetter.text(26) == "AA")
    }
}
