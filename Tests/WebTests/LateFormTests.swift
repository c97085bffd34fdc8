import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import Testing

@testable import Web

@Suite("Nothing that is typed is lost without a word, without a script")
struct LateFormTests {
    @Test("what was typed too late for a test that was finished elsewhere is shown beside the result")
    func finished() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
            let form = FormReader.fields(of: try await browser.get(test + "?view=all").text)
            _ = try fixture.store.finish(try #require(TestID(String(test.dropFirst(3)))))
            let typed = form.map { $0.0 == "a.2" ? ($0.0, "Typed <late>") : $0 } + [("a.1", "2"), ("go", "review")]
            let late = try await browser.post(test, typed)
            #expect(late.status == .conflict)
            #expect(late.text.contains("Typed in this browser, but not part of the test"))
            #expect(late.text.contains("<dt>Question 3</dt><dd dir=\"auto\">Typed &lt;late&gt;</dd>"))
            #expect(late.text.contains("<dt>Question 2</dt><dd dir=\"auto\">Cyprus</dd>"))
            #expect(!late.text.contains("<dt>Question 1</dt>"), "it is part of the test")
            #expect(late.text.contains("id=\"report\""))
            #expect(try fixture.answer("q3") == nil)
            // A form that has nothing else leads to the result.
            #expect(try await browser.post(test, form + [("go", "review")]).location == test)
        }
    }

    @Test("Sync now and the page's languages save the form first, and lead back to its question")
    func around() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let page = try await browser.get(test + "?n=3").text
            for value in ["sync", "page-ru"] {
                #expect(page.contains("form=\"test\" name=\"go\" value=\"\(value)\""), "\(value)")
            }
            #expect(!(try await browser.get("/").text.contains("form=\"test\"")))
            // Enter is that of the first button of the form, wherever that stands.
            let first = try #require(page.firstMatch(of: /<button[^>]*form="test"[^>]*>/)).0
            #expect(first.contains("value=\"next\""))
            let form = FormReader.fields(of: page)
            func send(_ text: String, _ go: String) async throws -> TestResponse {
                let fields = form.map { $0.0 == "a.2" ? ($0.0, text) : $0 }
                return try await browser.post(test, fields + [("go", go)])
            }
            let synced = try await send("one", "sync")
            #expect(synced.status == .seeOther && synced.location == test + "?n=3")
            #expect(try fixture.answer("q3") == "one")
            #expect(try await browser.get(synced.location).text.contains("<p class=\"notice"))
            let switched = try await send("two", "page-ru")
            #expect(switched.status == .seeOther && switched.location == test + "?n=3")
            #expect(switched.header("Set-Cookie")?.contains("=ru;") == true)
            #expect(try fixture.answer("q3") == "two")
            #expect(try await send("three", "page-xx").location == test + "?n=3")
        }
    }

    @Test("a text for a question of another version is shown beside it, as it is not saved")
    func otherVersion() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let form = FormReader.fields(of: try await browser.get(test + "?n=3").text).filter { $0.0 != "of" }
            let typed = form.map { $0.0 == "a.2" ? ($0.0, "Typed") : $0 } + [("of", "other"), ("go", "3")]
            let reply = try await browser.post(test, typed)
            #expect(reply.status == .conflict)
            #expect(reply.text.contains("Nothing was changed") && reply.text.contains("<q dir=\"auto\">Typed</q>"))
            #expect(try fixture.answer("q3") == nil)
        }
    }
}
