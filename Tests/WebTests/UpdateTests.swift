import Model
import OutboxStore
import Testing

@testable import Web

@Suite("A draft moves to a newer version on the page")
struct UpdateTests {
    private func version(_ second: String) -> String {
        """
        {"id": "farm", "title": "Farm", "questions": [
          {"id": "q1", "text": "Whats the farm called?", "kind": "text"},
          {"id": "q2", "text": "What grows there?", "options": ["Weat", "Rice"]}, \(second)]}
        """
    }

    @Test(
        "it shows what changes and what stays, moves the draft by a form, and says what was left until it is answered")
    func moved() async throws {
        let fixture = try await PageFixture()
        fixture.remote.publish("farm", version(#"{"id": "q3", "text": "How many <b>cows</b>?", "kind": "text"}"#))
        _ = try await fixture.store.puller(fixture.remote).pull()
        let opened = try await fixture.store.open(id: "farm", remote: fixture.remote, isOffline: true)
        let draft = try fixture.store.take(
            opened, answers: ["q1": .one("Green hill"), "q2": .one("Weat"), "q3": .one("seven")], isFinished: false
        ).record.id
        try await fixture.serve(isOnline: false) { browser, _ in
            // With the newest version there is nothing to show.
            let page = try await browser.get("/t/\(draft)").text
            #expect(!page.contains("/t/\(draft)/update"))
            #expect(try await browser.get("/t/\(draft)/update").location == "/t/\(draft)")
        }
        fixture.remote.publish(
            "farm",
            version(#"{"id": "q3", "text": "Who lives next door?", "kind": "text"}"#)
                .replacing("Whats", with: "What is").replacing("Weat", with: "Wheat"))
        fixture.disk.clock.advance(by: .seconds(120))
        fixture.remote.setPresence(.likely)
        _ = try await fixture.store.puller(fixture.remote).pull()
        try await fixture.serve(isOnline: false) { browser, _ in
            #expect(try await browser.get("/t/\(draft)").text.contains("href=\"/t/\(draft)/update\""))
            let update = try await browser.get("/t/\(draft)/update").text
            for text in [
                "2 of 3 answers are carried over", "The question was “Whats the farm called?”",
                "The answer was “Weat” and is “Wheat”", "How many &lt;b&gt;cows&lt;/b&gt;?", "seven",
                "it is a different question now", "Question q3 · Text",
            ] { #expect(update.contains(text), "\(text)") }
            let made = try await browser.post("/t/\(draft)/update").location
            #expect(made != "/t/\(draft)")
            // A second click finds the same one.
            #expect(try await browser.post("/t/\(draft)/update").location == made)
            let page = try await browser.get(made + "?view=all").text
            #expect(page.contains("Green hill") && page.contains("Not carried over from the old version"))
            let form = try #require(page.value(of: "form"))
            _ = try await browser.post(made, [("form", form), ("shown", "2"), ("was.2", "-"), ("a.2", "Ada")])
            let answered = try await browser.get(made).text
            #expect(!answered.contains("Not carried over"))
            let former = try fixture.store.outbox.find(draft)
            #expect(former?.status == .inProgress)
            // Finished meanwhile, there is nothing to move.
            _ = try fixture.store.finish(draft)
            #expect(try await browser.post("/t/\(draft)/update").location == "/t/\(draft)")
            #expect(try await browser.get("/t/\(draft)/update").location == "/t/\(draft)")
        }
    }

    @Test("a draft of a former version shows its own picture, and its newer sister the newer one")
    func pictures() async throws {
        let fixture = try await PageFixture()
        let address = "https://host.example/v1/media/well.png"
        func publish(_ title: String, _ picture: String) async throws {
            fixture.remote.publish(
                "well",
                """
                {"id": "well", "title": "\(title)", "questions": [{"id": "q1", "text": "What is it?", "kind": "text",
                  "media": [{"path": "\(address)", "type": "image/png"}]}]}
                """, media: [address])
            fixture.remote.publish(url: address, bytes: Array(picture.utf8), mediaType: "image/png")
            fixture.disk.clock.advance(by: .seconds(120))
            _ = try await fixture.store.puller(fixture.remote).pull()
        }
        func begin() async throws -> TestID {
            try fixture.store.begin(
                try await fixture.store.open(id: "well", remote: fixture.remote, isOffline: true)
            ).record.id
        }
        try await publish("One", "old picture")
        let old = try await begin()
        try await publish("Two", "new picture")
        let new = try await begin()
        try await fixture.serve(isOnline: false) { browser, _ in
            for (draft, picture) in [(old, "old picture"), (new, "new picture")] {
                let page = try await browser.get("/t/\(draft)").text
                let start = try #require(page.range(of: "src=\"/media/"))
                let address = "/media/" + page[start.upperBound...].prefix { $0 != "\"" }
                #expect(try await browser.get(address).text == picture)
            }
        }
    }
}
