import HTTPTypes
import Model
import OutboxStore
import Quire
import ServedApplication
import Testing

@testable import Web

@Suite("People share the page, without a script")
struct PeoplePageTests {
    /// A draft of each person, started on the page with a text of theirs.
    private func drafts(_ browser: Browser, _ names: [String]) async throws -> [String] {
        var tests: [String] = []
        for name in names {
            _ = try await browser.post("/person/set", [("name", name), ("group", "7b")])
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "by \(name)"), ("go", "leave")])
            tests.append(test)
        }
        return tests
    }

    @Test("without people nothing of them is on the page", arguments: Way.allCases)
    func without(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            for address in ["/", "/q/capitals", test, "/outbox", "/results"] {
                let text = try await browser.get(address).text
                #expect(!text.contains("id=\"who\"") && !text.contains("/person"), "\(address)")
            }
            #expect(try await browser.get("/settings").text.contains("href=\"/person\""))
        }
    }

    @Test("each person sees their own only, and who it is; all are sent", arguments: Way.allCases)
    func own(_ way: Way) async throws {
        let fixture = try await PageFixture()
        let names = ["Ada", "Boris <i>", "李"]
        try await fixture.serve(way) { browser, _ in
            let tests = try await drafts(browser, names)
            for (name, own) in zip(names, tests) {
                _ = try await browser.post("/person/set", [("name", name)])
                let shown = name.replacing("<i>", with: "&lt;i&gt;")
                for address in ["/", "/q/capitals", "/outbox", "/results", own] {
                    let text = try await browser.get(address).text
                    #expect(text.contains("<p dir=\"auto\">\(shown) (7b)</p>"), "\(address)")
                    for other in tests where other != own { #expect(!text.contains(other), "\(address)") }
                }
                #expect(try await browser.get("/outbox").text.contains(own))
                for other in tests where other != own {
                    for part in ["", "/review", "/discard", "/files/1"] {
                        let refused = try await browser.get(other + part)
                        #expect(refused.status == .forbidden && !refused.text.contains("Capitals"), "\(part)")
                    }
                    for verb in ["/finish", "/discard", "/reopen", "/retry", "/update", "/detach", "/files/1"] {
                        #expect(try await browser.post(other + verb).status == .forbidden, "\(verb)")
                    }
                }
                _ = try await browser.post(own, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "review")])
                #expect(try await browser.post(own + "/finish").location == own)
            }
            _ = try await browser.post("/person/clear")
            #expect(try await !browser.get("/outbox").text.contains("Capitals"))
            _ = try await browser.post("/sync")
            #expect(try await !browser.get("/results").text.contains("Capitals"))
            let people = try fixture.remote.tests.values.map {
                try DocumentCoding.decode(TestRecord.self, from: $0).person?.name
            }
            #expect(Set(people) == Set(names))
        }
    }

    @Test("a form for a draft of another person is refused, keeps its text, and is saved when they are back")
    func midTest() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await drafts(browser, ["Ada", "Boris"])[0]
            let form = [("shown", "2"), ("shown", "0"), ("was.2", "-"), ("a.2", "a \"new\"\nline"), ("a.0", "1")]
            let refused = try await browser.post(test, form + [("go", "leave")])
            #expect(refused.status == .forbidden)
            #expect(refused.text.contains("This test belongs to Ada (7b), and Boris (7b) is here now."))
            #expect(
                refused.text.contains("a &quot;new&quot;\nline") && refused.text.contains("<dd dir=\"auto\">Rome</dd>"))
            let data = try await browser.post(test, form, [.accept: "application/json"])
            #expect(data.status == .forbidden && data.text.contains("Nothing was saved."))
            let store = fixture.store
            let stored = try #require(try store.tests().first { $0.record?.person?.name == "Ada" })
            #expect(stored.record?.answer(to: "q3")?.texts == ["by Ada"] && stored.record?.answer(to: "q1") == nil)
            let owner = try #require(stored.record?.person?.id)
            let mark = AnswerForm.mark(stored.record?.answer(to: "q3"))
            let again = form.map { $0.0 == "was.2" ? ("was.2", mark) : $0 }
            #expect(try await browser.post(test, again + [("go", "leave"), ("switch", owner)]).location == "/")
            let saved = try #require(try store.tests().first { $0.record?.person?.name == "Ada" }?.record)
            #expect(saved.answer(to: "q3")?.texts == ["a \"new\"\nline"] && saved.answer(to: "q1")?.texts == ["Rome"])
            #expect(try store.people.state().current?.name == "Ada")
            // Another name in the form switches to no one.
            _ = try await browser.post("/person/set", [("name", "Boris")])
            #expect(try await browser.post(test, again + [("switch", "x")]).status == .forbidden)
        }
    }

    @Test("where no one is there, the start of a test asks who takes it; it can go without a name")
    func asked() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/person/set", [("name", "Ada")])
            _ = try await browser.post("/person/clear")
            let question = try await browser.post("/q/capitals/begin").location
            #expect(question == "/person?begin=capitals")
            let page = try await browser.get(question).text
            #expect(page.contains("Who is taking this?") && page.contains(">Ada</button>"))
            let named = try await browser.post("/person/set", [("name", "Boris"), ("begin", "capitals")]).location
            #expect(named.hasPrefix("/t/"))
            // A page that was opened for another person starts nothing.
            let stale = try await browser.post("/q/capitals/begin", [("person", "")])
            #expect(stale.location == "/q/capitals")
            #expect(try await browser.get("/q/capitals").text.contains("Nothing was started."))
            _ = try await browser.post("/person/clear")
            let nameless = try await browser.post("/q/capitals/begin", [("anyone", "1")]).location
            #expect(nameless.hasPrefix("/t/") && nameless != named)
            _ = try await browser.post("/person/set", [("name", "Ada")])
            #expect(try await browser.get(nameless).text.contains("This test has no person"))
            _ = try await browser.post(nameless, [("shown", "0"), ("was.0", "-"), ("a.0", "0"), ("go", "claim")])
            let claimed = try #require(try fixture.store.tests().first { "/t/\($0.item.id)" == nameless }?.record)
            #expect(claimed.person?.name == "Ada" && claimed.answers.count == 1)
            #expect(try await !browser.get(nameless).text.contains("This test has no person"))
        }
    }

    @Test("a name that can be none, and one that two people have, come back with the field")
    func names() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(language: "ru") { browser, _ in
            for name in ["", " ", "A\nB", String(repeating: "я", count: 300)] {
                #expect(try await browser.post("/person/set", [("name", name)]).status == .unprocessableContent)
            }
            for group in ["7a", "7b"] {
                _ = try await browser.post("/person/set", [("name", "Ада"), ("group", group)])
            }
            let twice = try await browser.post("/person/set", [("name", "Ада")])
            #expect(twice.status == .unprocessableContent && twice.text.contains("value=\"Ада\""))
            #expect(try await browser.post("/person/use", [("id", "x")]).status == .unprocessableContent)
            #expect(try await browser.post("/person/fly").status == .notFound)
            #expect(try await browser.get("/person").text.contains("Кто здесь?"))
        }
    }
}
