import Model
import Testing

@testable import Web

@Suite("A text of the person's own stays as it is stored, without a script")
struct OwnTextFieldTests {
    private static let questions = """
        {"id": "c", "kind": "choice", "text": "?", "options": ["A", "B"], "other": true},
        {"id": "cs", "kind": "choices", "text": "?", "options": ["A", "B"], "other": true},
        {"id": "g", "kind": "gaps", "text": "{{1}} and {{2}}", "gaps": {"1": {}, "2": {}}},
        {"id": "r", "kind": "ranking", "text": "?", "options": ["A", "B"]},
        {"id": "w", "kind": "location", "text": "?"}
        """

    private struct Page: Sendable {
        let fixture: PageFixture
        let browser: Browser
        let test: String

        func stored(_ question: String) throws -> Answer? {
            try fixture.store.tests().first?.record?.answer(to: question)
        }

        func put(_ answer: Answer) throws {
            let id = try #require(try fixture.store.tests().first?.item.id)
            try fixture.store.outbox.edits.update(id) { $0.record(answer) }
        }

        func fields() async throws -> [(String, String)] {
            FormReader.fields(of: try await browser.get(test + "?view=all").text)
        }
    }

    private func serve(_ body: @Sendable (Page) async throws -> Void) async throws {
        let fixture = try await KindFieldTests.fixture(Self.questions)
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/kinds/begin").location
            try await body(Page(fixture: fixture, browser: browser, test: test))
        }
    }

    @Test(
        "a form that was not touched changes nothing",
        arguments: [
            Answer(questionId: "cs", value: .several(["x", "y"])),
            Answer(questionId: "cs", value: .several(["B", "A", "x", "x"])),
            Answer(questionId: "cs", value: .several(["A", "a\nb"])),
            Answer(questionId: "cs", value: .several(["a\nb", " c ", "a\r\nb"])),
            Answer(questionId: "c", value: .one("a\nb")),
            Answer(questionId: "c", value: .one("  a\r\nb  ")),
            Answer(questionId: "c", value: .several(["a", "b"])),
            Answer(questionId: "g", value: .object(["1": .string("a\nb"), "2": .string(" q ")])),
            Answer(questionId: "r", value: .several(["B", "A", "a\nb", "a\r\nb"])),
            Answer(questionId: "w", value: .one("a\nb; c")),
        ])
    func untouched(_ answer: Answer) async throws {
        try await serve { page in
            try page.put(answer)
            let fields = try await page.fields()
            #expect(try await page.browser.post(page.test, fields + [("go", "review")]).status == .seeOther)
            #expect(try page.stored(answer.questionId) == answer)
            // The same from a script, which sends what is ticked in the page's order.
            _ = try await page.browser.post(
                page.test, fields.filter { !$0.0.hasPrefix("o.") && !$0.0.hasPrefix("own.") },
                [.accept: "application/json"])
            #expect(try page.stored(answer.questionId) == answer)
        }
    }

    @Test("the field of the first own text changes that one alone; unticked, it is removed; a tick keeps them in order")
    func first() async throws {
        try await serve { page in
            func send(_ change: ([(String, String)]) -> [(String, String)]) async throws -> Answer.Value? {
                try page.put(Answer(questionId: "cs", value: .several(["x\ny", "z\nz"])))
                _ = try await page.browser.post(page.test, change(try await page.fields()) + [("go", "review")])
                return try page.stored("cs")?.value
            }
            let typed = try await send { $0.map { $0.0 == "o.1" ? ($0.0, "new") : $0 } }
            #expect(typed == .several(["new", "z\nz"]))
            let emptied = try await send { $0.map { $0.0 == "o.1" ? ($0.0, "") : $0 } }
            #expect(emptied == .several(["z\nz"]))
            let unticked = try await send { $0.filter { $0.0 != "a.1" || $0.1 != "=x\r\ny" } }
            #expect(unticked == .several(["z\nz"]))
            let further = try await send { $0.filter { $0.0 != "a.1" || $0.1 != "=z\r\nz" } }
            #expect(further == .several(["x\ny"]))
            let ticked = try await send { $0 + [("a.1", "1")] }
            #expect(ticked == .several(["B", "x\ny", "z\nz"]))
        }
    }

    @Test("of several fields of one line, the one that was changed changes alone")
    func parts() async throws {
        try await serve { page in
            try page.put(Answer(questionId: "g", value: .object(["1": .string("a\nb"), "2": .string("q")])))
            // A script sends the same.
            for (text, fields) in [
                ("r", [("a.2.0", "ab"), ("a.2.1", "r")]), ("s", [("a.2", "0=ab"), ("a.2", "1=s")]),
            ] {
                let was = AnswerForm.mark(try page.stored("g"))
                _ = try await page.browser.post(page.test, [("shown", "2"), ("was.2", was)] + fields)
                #expect(try page.stored("g")?.value == .object(["1": .string("a\nb"), "2": .string(text)]))
            }
            try page.put(Answer(questionId: "w", value: .one("a\nb; c")))
            let was = AnswerForm.mark(try page.stored("w"))
            _ = try await page.browser.post(
                page.test,
                [("shown", "4"), ("was.4", was), ("a.4.latitude", "ab"), ("a.4.longitude", "d"), ("a.4.measured", "")])
            #expect(try page.stored("w")?.value == .one("a\nb; d"))
        }
    }

    @Test("an own text that meets another answer stays in its field")
    func conflict() async throws {
        try await serve { page in
            let fields = try await page.fields().map { $0.0 == "o.0" ? ($0.0, "mine") : $0 }
            try page.put(Answer(questionId: "c", value: .one("theirs")))
            let reply = try await page.browser.post(page.test, fields + [("go", "review")])
            #expect(reply.status == .conflict && reply.text.contains("theirs"))
            #expect(FormReader.fields(of: reply.text).contains { $0 == ("o.0", "mine") })
            _ = try await page.browser.post(page.test, FormReader.fields(of: reply.text) + [("go", "review")])
            #expect(try page.stored("c")?.value == .one("mine"))
        }
    }

    @Test("the trial of an author keeps further own texts, too")
    func trial() throws {
        let question = try #require(
            try Questionnaire(json: Array(#"{"id": "k", "title": "K", "questions": [\#(Self.questions)]}"#.utf8))
                .question("cs"))
        let form = FormFields([
            (name: "a.1", value: "=y"), (name: "a.1", value: "=x"), (name: "own.1", value: "=x"),
            (name: "o.1", value: "z"),
        ])
        let fields = AnswerFields(question)
        let values = try #require(fields.values(at: 1, in: form))
        #expect(values == ["=z", "=y"])
        #expect(try fields.answer(values, keeping: nil).value == .several(["z", "y"]))
    }
}
