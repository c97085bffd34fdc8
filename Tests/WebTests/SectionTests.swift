import Model
import Testing

@testable import Web

@Suite("Sections, pools and order on the page")
struct SectionTests {
    private static let document = """
        {"id": "river", "title": "River", "textFormat": "markdown", "shuffle": {"options": true}, "sections": [
          {"id": "s", "title": "The river *Neva*", "text": "It is **short**.", "media": [{"path": "neva.png", "alt": "A map"}],
           "questions": ["a", "b", "c"], "pick": 2}],
         "questions": [{"id": "first", "text": "?", "options": ["o1", "o2", "o3", "o4", "o5"]},
          {"id": "a", "text": "Question a"}, {"id": "b", "text": "Question b"}, {"id": "c", "text": "Question c"},
          {"id": "last", "text": "Last"}]}
        """

    private func serve(
        language: String = "en", _ body: @Sendable (PageFixture, Browser, String, Questionnaire) async throws -> Void
    ) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("river", Self.document)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(language: language) { browser, _ in
            let test = try await browser.post("/q/river/begin").location
            let id = try #require(TestID(String(test.dropFirst(3))))
            try await body(
                fixture, browser, test, try Questionnaire(json: Array(Self.document.utf8)).arranged(for: id))
        }
    }

    @Test("on one page the passage is there once, above the questions that were drawn")
    func onOnePage() async throws {
        try await serve { fixture, browser, test, arranged in
            let page = try await browser.get(test + "?view=all").text
            #expect(page.components(of: "class=\"card passage\" open").count == 1)
            #expect(page.components(of: "It is <strong>short</strong>.").count == 1)
            #expect(page.contains("<h2 dir=\"auto\">The river Neva</h2>"))
            #expect(page.contains("Not on this device: A map"), "its media are asked for like those of questions")
            var rest = page[...]
            for question in arranged.questions {
                let range = try #require(rest.firstRange(of: "data-id=\"\(question.id)\""))
                rest = rest[range.upperBound...]
            }
            for id in arranged.notDrawn { #expect(!page.contains("data-id=\"\(id)\"")) }
            #expect(page.contains("0 of 4"))
            let record = try fixture.store.outbox.read(try #require(try fixture.store.outbox.find(arrangedID(test))))
                .record
            #expect(record.shown == arranged.questions.map(\.id))
        }
    }

    @Test("one question at a time, the passage is open with the first of its section and in reach with the others")
    func oneAtATime() async throws {
        try await serve { _, browser, test, _ in
            #expect(!(try await browser.get(test + "?n=1").text.contains("passage")))
            #expect(try await browser.get(test + "?n=2").text.contains("class=\"card passage\" open"))
            let third = try await browser.get(test + "?n=3").text
            #expect(third.contains("class=\"card passage\"><summary>") && third.contains("<strong>short</strong>"))
            #expect(!(try await browser.get(test + "?n=4").text.contains("passage")))
        }
    }

    @Test("shuffled options are sent by their places in the document; review and result are grouped by section")
    func answers() async throws {
        try await serve { fixture, browser, test, arranged in
            let order = arranged.questions[0].optionPlaces
            let page = try await browser.get(test + "?n=1").text
            var rest = page[...]
            for place in order {
                let range = try #require(rest.firstRange(of: "value=\"\(place)\"><span"))
                rest = rest[range.upperBound...]
            }
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "\(order[1])")])
            let item = try #require(try fixture.store.outbox.find(arrangedID(test)))
            let answer = try #require(try fixture.store.outbox.read(item).record.answers.first)
            #expect(answer.optionIndexes == [order[1]] && answer.texts == ["o\(order[1] + 1)"])
            let review = try await browser.get(test + "/review").text
            #expect(review.components(of: "<ol class=\"lines\">").count == 3)
            #expect(review.contains("<h2 dir=\"auto\">The river Neva</h2><ol class=\"lines\">"))
            _ = try await browser.post(test + "/finish")
            let report = try await browser.get(test).text
            #expect(report.components(of: "<ol class=\"answers\">").count == 3 && report.contains("passage"))
            for id in arranged.notDrawn { #expect(!report.contains("Question \(id)")) }
        }
    }

    private func arrangedID(_ test: String) throws -> TestID { try #require(TestID(String(test.dropFirst(3)))) }
}
