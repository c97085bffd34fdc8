import HummingbirdTesting
import Model
import Quire
import Simulation
import Testing

@testable import Web

@Suite("Orders, rows and gaps on the page, without a script")
struct StructuredFieldTests {
    private struct Page: Sendable {
        let fixture: PageFixture
        let browser: Browser
        let test: String

        func show() async throws -> String { try await browser.get(test).text }

        func send(_ fields: [(String, String)]) async throws -> TestResponse {
            let was = try #require(try await show().value(of: "was.0"))
            return try await browser.post(test, [("shown", "0"), ("was.0", was)] + fields)
        }

        func stored() throws -> Answer.Value? {
            let item = try #require(try fixture.store.tests().first?.item)
            return try fixture.store.outbox.read(item).record.answer(to: "q")?.value
        }

        func put(_ value: Answer.Value) throws {
            let id = try #require(try fixture.store.tests().first?.item.id)
            try fixture.store.outbox.edits.update(id) { $0.record(Answer(questionId: "q", value: value)) }
        }
    }

    private func serve(_ question: String, _ body: @Sendable (Page) async throws -> Void) async throws {
        let fixture = try await KindFieldTests.fixture(question)
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            try await body(Page(fixture: fixture, browser: browser, test: test))
        }
    }

    @Test(
        "with fields of its own, no question is said to be asked in words; without its options it is",
        arguments: [
            #""kind": "ranking", "options": ["A", "B"]"#, #""kind": "matching", "rows": ["R"], "options": ["A", "B"]"#,
            #""kind": "matrix", "rows": ["R"], "options": ["A", "B"]"#, #""kind": "gaps", "gaps": {"g": {}}"#,
        ])
    func askedInWords(_ members: String) async throws {
        let notice = "This program does not have this kind of question"
        try await serve(#"{"id": "q", "text": "{{g}}?", \#(members)}"#) { page in
            let shown = try await page.show()
            #expect(!shown.contains(notice))
        }
        let kind = members.prefix { $0 != "," }
        try await serve(#"{"id": "q", "text": "?", \#(kind)}"#) { page in
            let shown = try await page.show()
            #expect(shown.contains(notice))
        }
    }

    @Test("an order is made by buttons; what has no place yet stays so, and an unknown text stays in it")
    func ranking() async throws {
        try await serve(#"{"id": "q", "kind": "ranking", "text": "?", "options": ["A", "B", "C"]}"#) { page in
            #expect(try await page.show().contains("Not in order yet"))
            // The form as it was shown gives no answer.
            _ = try await page.send([("go", "review")])
            #expect(try page.stored() == nil)
            let moved = try await page.send([("move", "0.2.up")])
            #expect(moved.location == page.test + "?n=1#q0")
            #expect(try page.stored() == .several(["A", "C", "B"]))
            let placed = [("a.0", "0"), ("a.0", "2"), ("a.0", "1")]
            _ = try await page.send(placed + [("move", "0.0.down")])
            #expect(try page.stored() == .several(["C", "A", "B"]))
            #expect(try await page.browser.get(page.test + "/review").text.contains("1. C, 2. A, 3. B"))
            _ = try await page.send([("a.0", "2"), ("a.0", "0"), ("a.0", "1"), ("clear", "0")])
            #expect(try page.stored() == nil)
            _ = try await page.send([("move", "0.0.keep")])
            #expect(try page.stored() == .several(["A", "B", "C"]))
            try page.put(.several(["C", "Z"]))
            let own = try await page.show()
            #expect(own.contains("value=\"=Z\"") && own.contains("is not one of the options"))
            _ = try await page.send([("a.0", "2"), ("a.0", "=Z")])
            #expect(try page.stored() == .several(["C", "Z"]))
            #expect(try await page.send([("a.0", "7")]).status == .unprocessableContent)
        }
    }

    @Test("rows are answered one by one; rows of another version and unknown options stay as they are")
    func matching() async throws {
        let question =
            #"{"id": "q", "kind": "matching", "text": "?", "rows": ["x", "y"], "options": ["1", "2"], "required": true}"#
        try await serve(question) { page in
            #expect(try await page.show().contains("<select id=\"a0-0\" name=\"a.0.0\""))
            _ = try await page.send([("a.0.0", "1"), ("a.0.1", "")])
            #expect(try page.stored() == .object(["x": .string("2")]))
            #expect(try await page.show().contains("Still to be answered: “y”."))
            _ = try await page.send([("a.0.0", "1"), ("a.0.1", "0")])
            #expect(try page.stored() == .object(["x": .string("2"), "y": .string("1")]))
            #expect(try await page.browser.get(page.test + "/review").text.contains("x → 2; y → 1"))
            try page.put(.object(["x": .string("3"), "old": .string("kept")]))
            let page2 = try await page.show()
            #expect(page2.contains("<option value=\"=3\" selected>3</option>"))
            _ = try await page.send([("a.0.0", "=3"), ("a.0.1", "1")])
            #expect(try page.stored() == .object(["x": .string("3"), "y": .string("2"), "old": .string("kept")]))
            try page.put(.one("in words"))
            #expect(try await page.show().contains("Answered in words. A new answer below takes its place."))
            _ = try await page.send([("a.0.0", ""), ("a.0.1", "")])
            #expect(try page.stored() == .one("in words"))
        }
    }

    @Test("a matrix is a table whose fields are named by row and column")
    func matrix() async throws {
        let question =
            #"{"id": "q", "kind": "matrix", "text": "?", "rows": ["x", "y"], "options": ["1", "2"], "multiple": true}"#
        try await serve(question) { page in
            let shown = try await page.show()
            for part in [
                "<th scope=\"col\" id=\"m0-c1\"", "<th scope=\"row\" id=\"m0-r1\"", "aria-labelledby=\"m0-r1 m0-c1\"",
                "<fieldset",
                "<legend", "type=\"checkbox\"",
            ] { #expect(shown.contains(part), "\(part)") }
            _ = try await page.send([("a.0.1", "0"), ("a.0.1", "1")])
            #expect(try page.stored() == .object(["y": .array([.string("1"), .string("2")])]))
            _ = try await page.send([])
            #expect(try page.stored() == nil)
        }
    }

    @Test("gaps are fields inside the text, formatted or not, each with its name")
    func gaps() async throws {
        for (format, isBold) in [("plain", false), ("markdown", true)] {
            let fixture = try await PageFixture(pulls: false)
            fixture.remote.publish(
                "kinds",
                """
                {"id": "kinds", "title": "Kinds", "textFormat": "\(format)", "questions": [
                {"id": "q", "kind": "gaps", "text": "**The** {{1}} of France is <b>{{city}}</b>, since {{year}}.",
                 "gaps": {"city": {"options": ["Rome", "Paris"]}, "year": {"kind": "number"}}}]}
                """)
            _ = try await fixture.store.puller(fixture.remote).pull()
            try await fixture.serve(isOnline: false) { browser, _ in
                let test = try await browser.post("/q/kinds/begin").location
                let page = Page(fixture: fixture, browser: browser, test: test)
                let shown = try await page.show()
                #expect(shown.contains("<strong>The</strong>") == isBold && shown.contains("&lt;b&gt;"))
                #expect(KindFieldTests.field(shown, "a.0.0")?.contains("aria-label=\"Gap 1 of 3\"") == true)
                #expect(KindFieldTests.field(shown, "a.0.1")?.hasPrefix("select ") == true)
                #expect(KindFieldTests.field(shown, "a.0.2")?.contains("inputmode=\"decimal\"") == true)
                _ = try await page.send([("a.0.0", " capital "), ("a.0.1", "1"), ("a.0.2", "")])
                #expect(try page.stored() == .object(["1": .string(" capital "), "city": .string("Paris")]))
                _ = try await page.send([("a.0.0", " capital "), ("a.0.1", "1"), ("a.0.2", "9 87")])
                #expect(try await page.show().contains("Gap year: "))
                _ = try await page.send([("a.0.0", " capital "), ("a.0.1", "1"), ("a.0.2", "987")])
                let review = try await browser.get(test + "/review").text
                #expect(review.contains("of France is") && review.contains("Paris") && review.contains("987"))
            }
        }
    }

    @Test("a gap keeps an answer that begins with a sign which belongs to the character before it")
    func combining() async throws {
        let question = #"{"id": "q", "kind": "gaps", "text": "{{1}} and {{2}}", "gaps": {"1": {}, "2": {}}}"#
        try await serve(question) { page in
            for text in ["\u{093F}", "\u{0301}a", "=b"] {
                _ = try await page.send([("a.0.0", text), ("a.0.1", "x")])
                #expect(try page.stored() == .object(["1": .string(text), "2": .string("x")]))
            }
        }
    }
}
