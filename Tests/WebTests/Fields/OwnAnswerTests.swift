import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import Simulation
import Testing

@testable import Web

@Suite("Answers meet what is stored")
struct OwnAnswerTests {
    @Test("who goes back to a form and corrects himself is not asked about himself")
    func back() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let form = try #require(try await browser.get(test + "?n=3").text.value(of: "form"))
            func answer(_ text: String, _ form: String) async throws -> HTTPResponse.Status {
                try await browser.post(
                    test, [("form", form), ("shown", "2"), ("was.2", "-"), ("a.2", text), ("go", "3")]
                ).status
            }
            #expect(try await answer("one", form) == .seeOther)
            #expect(try await answer("one and two", form) == .seeOther)
            #expect(try fixture.answer("q3") == "one and two")
            // Another window is another form, and asks.
            let other = try #require(try await browser.get(test + "?n=3").text.value(of: "form"))
            #expect(other != form)
            #expect(try await answer("from another", other) == .conflict)
            // An answer from elsewhere meanwhile is asked about in the first one, too.
            let id = try #require(try fixture.store.tests().first?.item.id)
            try fixture.store.outbox.edits.update(id) { $0.record(Answer(questionId: "q3", value: .one("theirs"))) }
            #expect(try await answer("three", form) == .conflict)
            #expect(try fixture.answer("q3") == "theirs")
        }
    }

    @Test("a picture beside a question with an answer of one's own is no file to save")
    func picture() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "birds",
            """
            {"id": "birds", "title": "Birds", "questions": [
              {"id": "q1", "text": "Which?", "options": ["Robin", "Wren"], "other": true,
               "media": [{"path": "robin.png", "alt": "A bird"}]}]}
            """)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/birds/begin").location
            let page = try await browser.get(test).text
            #expect(page.contains("Other answer") && page.contains("A bird"))
            #expect(!page.contains(" download>"))
        }
    }

    @Test("what is sent is what the review showed; where it changed meanwhile, it is shown again")
    func review() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
            let shown = try #require(try await browser.get(test + "/review").text.value(of: "shown"))
            _ = try await browser.post(test, [("shown", "2"), ("was.2", "-"), ("a.2", "late")])
            #expect(try await browser.post(test + "/finish", [("shown", shown)]).location == test + "/review")
            #expect(try fixture.store.tests().allSatisfy { $0.item.status.isDraft })
            let again = try await browser.get(test + "/review").text
            #expect(again.contains("Your answers changed in the meantime") && again.contains("late"))
            let now = try #require(again.value(of: "shown"))
            #expect(try await browser.post(test + "/finish", [("shown", now)]).location == test)
            #expect(try fixture.store.tests().allSatisfy { $0.item.status == .done })
        }
    }

    @Test("the script gets a sentence that says why its answer was rejected")
    func reasons() async throws {
        let fixture = try await PageFixture()
        let json: HTTPFields = [.accept: "application/json"]
        try await fixture.serve(isOnline: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            let answer = [("shown", "2"), ("was.2", "-"), ("a.2", String(repeating: "x", count: 9000))]
            let capacity = fixture.disk.capacityBytes
            fixture.disk.capacityBytes = 0
            let full = try await browser.post(test, answer, json)
            #expect(full.status.code == 507 && full.text.contains("\"problem\":\"The disk is full"))
            fixture.disk.capacityBytes = capacity
            #expect(try await browser.post(test, answer, json).status == .ok)
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
            _ = try await browser.post(test + "/finish")
            let late = try await browser.post(test, answer, json)
            #expect(late.status == .conflict && late.text.contains("finished in another window"))
            _ = try await browser.post(test + "/discard")
            let gone = try await browser.post(test, answer, json)
            #expect(gone.status == .notFound && gone.text.contains("it was discarded"))
        }
    }

    @Test("numbers are read as people write them", arguments: [("−1.5", "-1.5"), ("3,5", "3.5"), ("−2,25", "-2.25")])
    func numbers(_ typed: String, _ stored: String) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "3"), ("was.3", "-"), ("a.3", typed)])
            #expect(try fixture.answer("q4") == stored)
            #expect(!(try await browser.get(test + "/review").text.contains("is not a number")))
        }
    }

    @Test("what has no title is called by its id, so that every link can be read and clicked", arguments: ["", "  "])
    func untitled(_ title: String) async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish(
            "bare", #"{"id": "bare", "title": "\#(title)", "questions": [{"id": "q1", "text": "Why?"}]}"#)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve { browser, _ in
            let test = try await browser.post("/q/bare/begin").location
            for page in ["/", "/q/bare", test, test + "/review", "/outbox"] {
                #expect(try await browser.get(page).text.contains(">bare<"), "\(page)")
            }
            _ = try await browser.post(test + "/finish")
            _ = try await browser.post("/sync")
            for page in ["/results", test] {
                #expect(try await browser.get(page).text.contains(">bare<"), "\(page)")
            }
        }
    }
}
