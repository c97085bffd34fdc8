import Model
import Testing

@testable import Web

@Suite("Languages of a questionnaire, and flags of questions, on the page without a script")
struct LanguageAndFlagTests {
    private static let document = """
        {"id": "well", "title": "The well", "locale": "en", "questions": [
          {"id": "owner", "text": "Who owns it?", "options": ["The village", "Other"]},
          {"id": "depth", "text": "How deep?", "kind": "number"},
          {"id": "why", "text": "Why?", "kind": "text"}],
         "translations": {"fr": {"title": "Le puits", "questions": {
          "owner": {"text": "À qui est-il ?", "options": ["Au village", "Autre"]}, "depth": {"text": "Quelle profondeur ?"}}}}}
        """

    private func serve(_ body: @Sendable (PageFixture, Browser, String) async throws -> Void) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("well", Self.document)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            try await body(fixture, browser, try await browser.post("/q/well/begin").location)
        }
    }

    private func record(_ fixture: PageFixture, _ test: String) throws -> TestRecord {
        let id = try #require(TestID(String(test.dropFirst(3))))
        return try fixture.store.outbox.read(try #require(try fixture.store.outbox.find(id))).record
    }

    @Test(
        "the language is switched while taking; the answer stays the document's own, and review and result show its words"
    )
    func language() async throws {
        try await serve { fixture, browser, test in
            let english = try await browser.get(test + "?n=1").text
            #expect(
                english.contains("Who owns it?")
                    && english.contains("value=\"language-fr\" lang=\"fr\" aria-pressed=\"false\">Français"))
            let led = try await browser.post(
                test, [("shown", "0"), ("was.0", "-"), ("a.0", "1"), ("at", "0"), ("go", "language-fr")]
            ).location
            #expect(led == "\(test)?n=1")
            #expect(try record(fixture, test).language == "fr")
            #expect(try record(fixture, test).answers.first?.value == .one("Other"))
            let french = try await browser.get(led).text
            #expect(french.contains("À qui est-il ?") && french.contains("lang=\"fr\"") && french.contains("Autre"))
            #expect(french.contains("Le puits") && !french.contains("Who owns it?"))
            #expect(
                try await browser.get(test + "?n=3").text.contains("Why?"),
                "what is not translated is there all the same")
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("À qui est-il ?") && review.contains("Autre"))
            _ = try await browser.post(test + "/finish")
            #expect(try await browser.get(test).text.contains("Autre"))
            #expect(try record(fixture, test).answers.first?.value == .one("Other"))
            #expect(try await browser.get("/?q=profondeur").text.contains("The well"), "a search sees each language")
        }
    }

    @Test("a language that the questionnaire does not have changes nothing")
    func unknown() async throws {
        try await serve { fixture, browser, test in
            _ = try await browser.post(test, [("at", "0"), ("go", "language-xx")])
            #expect(try record(fixture, test).language == nil)
        }
    }

    @Test("a flagged question is named by the list of questions and the review, and the finished test has no flags")
    func flags() async throws {
        try await serve { fixture, browser, test in
            let led = try await browser.post(
                test, [("shown", "1"), ("was.1", "-"), ("a.1", "deep"), ("at", "1"), ("go", "flag-1")]
            ).location
            #expect(led == "\(test)?n=2#q1")
            #expect(try record(fixture, test).flagged == ["depth"])
            let page = try await browser.get(test + "?n=1").text
            #expect(page.contains("Question 2, answered, must be corrected, flagged"))
            #expect(try await browser.get(test + "?n=2").text.contains("value=\"flag-1\" aria-pressed=\"true\""))
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("Flagged to come back to: 2") && review.contains("Come back later"))
            _ = try await browser.post(
                test,
                [
                    ("shown", "1"), ("a.1", "7"),
                    ("was.1", AnswerForm.mark(try record(fixture, test).answer(to: "depth"))), ("at", "1"),
                    ("go", "review"),
                ])
            _ = try await browser.post(test + "/finish")
            #expect(try record(fixture, test).flagged.isEmpty)
        }
    }
}
