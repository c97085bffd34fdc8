import Model
import Testing

@testable import Web

@Suite("Repeated sections on the page, without a script")
struct InstanceTests {
    private static let document = """
        {"id": "home", "title": "Home", "sections": [
          {"id": "people", "questions": ["name", "age"], "repeat": {"max": 3, "label": "Person"}},
          {"id": "pets", "questions": ["pet"], "repeat": {"min": 0, "label": "Pet"}, "condition": {"question": "any", "is": true}}],
         "questions": [{"id": "any", "text": "Any pets?", "kind": "boolean"}, {"id": "name", "text": "Name?", "kind": "text"},
          {"id": "age", "text": "Age?", "kind": "number"}, {"id": "pet", "text": "Which animal?", "kind": "text"}]}
        """

    private func serve(
        language: String = "en", _ body: @Sendable (PageFixture, Browser, String) async throws -> Void
    ) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("home", Self.document)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(language: language) { browser, _ in
            try await body(fixture, browser, try await browser.post("/q/home/begin").location)
        }
    }

    private func record(_ fixture: PageFixture, _ test: String) throws -> TestRecord {
        let id = try #require(TestID(String(test.dropFirst(3))))
        return try fixture.store.outbox.read(try #require(try fixture.store.outbox.find(id))).record
    }

    private func names(_ fixture: PageFixture, _ test: String) throws -> [String] {
        try record(fixture, test).answers.map { "\(QuestionInstance.written($0.questionId)) \($0.texts[0])" }
    }

    @Test(
        "a button saves what is typed and adds an instance; others move one and remove it, with answers after a question"
    )
    func edits() async throws {
        try await serve { fixture, browser, test in
            let page = try await browser.get(test + "?view=all").text
            #expect(page.contains("Person 1 of 1") && page.contains(">Add: Person</button>"))
            #expect(!page.contains("Remove: Person 1"), "one has to be there")
            #expect(page.contains("data-repeats=\"pets\" hidden"), "its condition does not hold")
            let added = try await browser.post(
                test, [("shown", "1"), ("was.1", "-"), ("a.1", "Anna"), ("go", "instance-add-0-people")])
            #expect(added.location == test + "?n=4#q3")
            _ = try await browser.post(test, [("shown", "3"), ("was.3", "-"), ("a.3", "Ben")])
            #expect(try names(fixture, test) == ["name[1] Anna", "name[2] Ben"])
            let moved = try await browser.post(test, [("go", "instance-up-2-people")])
            #expect(moved.location == test + "?n=2#q1")
            #expect(try record(fixture, test).instances == ["people": [2, 1]])
            let asked = try await browser.post(test, [("go", "instance-remove-1-people")]).location
            #expect(asked == test + "/instance?go=instance-remove-1-people")
            let question = try await browser.get(asked).text
            #expect(question.contains("Remove “Person 2”?") && question.contains("Anna"))
            #expect(try names(fixture, test).count == 2, "nothing is removed before that")
            _ = try await browser.post(test, [("go", "instance-erase-1-people")])
            #expect(try names(fixture, test) == ["name[2] Ben"])
        }
    }

    @Test("a form that was loaded before an instance was added or removed changes no answer of another one")
    func outdated() async throws {
        try await serve { fixture, browser, test in
            let page = try await browser.get(test + "?view=all").text
            let mark = try #require(page.firstMatch(of: /name="of" value="([^"]+)"/)).1
            _ = try await browser.post(test, [("go", "instance-add-0-people"), ("of", String(mark))])
            _ = try await browser.post(test, [("go", "instance-up-2-people")])
            let late = try await browser.post(
                test, [("shown", "1"), ("was.1", "-"), ("a.1", "Anna"), ("of", String(mark))])
            #expect(late.status == .conflict)
            #expect(try record(fixture, test).answers.isEmpty)
        }
    }

    @Test("a form from before instances were moved or removed saves by question; a text for one that is gone is shown")
    func rearranged() async throws {
        try await serve { fixture, browser, test in
            _ = try await browser.post(test, [("go", "instance-add-0-people")])
            let old = FormReader.fields(of: try await browser.get(test + "?view=all").text)
            func typed(_ texts: [String: String], _ go: String) -> [(String, String)] {
                old.map { ($0.0, texts[$0.0] ?? $0.1) } + [("go", go)]
            }
            _ = try await browser.post(test, [("go", "instance-up-2-people")])
            let moved = try await browser.post(test, typed(["a.1": "Anna", "a.3": "Ben"], "flag-1"))
            #expect(moved.status == .seeOther)
            #expect(try names(fixture, test).sorted() == ["name[1] Anna", "name[2] Ben"])
            #expect(try record(fixture, test).flagged.map { QuestionInstance.written($0) } == ["name[1]"])
            let again = FormReader.fields(of: try await browser.get(test + "?view=all").text)
            _ = try await browser.post(test, [("go", "instance-erase-1-people")])
            let late = again.map { field in
                switch field.1 {
                case "Anna": (field.0, "Anna Maria")
                case "Ben": (field.0, "Benno")
                default: field
                }
            }
            let reply = try await browser.post(test, late + [("go", "review")])
            #expect(reply.status == .conflict)
            #expect(reply.text.contains("no longer in the test") && reply.text.contains("Anna Maria</dd>"))
            #expect(try names(fixture, test) == ["name[2] Benno"])
        }
    }

    @Test("the review adds a first instance, and review and result have the label of each; the file has the numbers")
    func review() async throws {
        try await serve(language: "ru") { fixture, browser, test in
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "review")])
            #expect(try await browser.get(test + "/review").text.contains(">Добавить: Pet</button>"))
            let added = try await browser.post(test, [("go", "instance-add-0-pets")])
            #expect(added.location == test + "?n=4#q3")
            _ = try await browser.post(test, [("shown", "3"), ("was.3", "-"), ("a.3", "Cat")])
            let review = try await browser.get(test + "/review").text
            #expect(review.contains("Person 1</h2>") && review.contains("Pet 1</h2>"))
            _ = try await browser.post(test + "/finish")
            let id = String(test.dropFirst(3))
            let report = try await browser.get(test).text
            #expect(report.contains("Pet 1") && report.contains("Cat"))
            let record = try record(fixture, test)
            #expect(record.instances == ["people": [1], "pets": [1]], "\(id)")
            #expect(record.shown == ["any", "name", "age", "pet"])
        }
    }
}
