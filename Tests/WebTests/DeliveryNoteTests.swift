import HTTPTypes
import HummingbirdTesting
import Model
import Quire
import Simulation
import Sync
import Testing

@testable import Web

@Suite("What the page says of sending")
struct DeliveryNoteTests {
    private func finish(_ browser: Browser) async throws -> String {
        let test = try await browser.post("/q/capitals/begin").location
        _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
        _ = try await browser.post(test + "/finish")
        return test
    }

    @Test(
        "a sync that the server did not take says what waits and why, never that all is in sync",
        arguments: [401, 500, 503])
    func refused(_ status: Int) async throws {
        let fixture = try await PageFixture()
        fixture.remote.respond { $0.isPut ? .status(status) : nil }
        try await fixture.serve { browser, _ in
            _ = try await finish(browser)
            fixture.disk.clock.advance(by: .seconds(100_000))
            #expect(try await browser.post("/sync", [("back", "/outbox")]).location == "/outbox")
            let said = try await browser.get("/outbox").text
            #expect(!said.contains("Everything is in sync") && !said.contains("notice good"))
            #expect(said.contains("notice warn") && said.contains("Still waiting: 1.") && said.contains("Not sent: "))
            // Once: a reload does not repeat it.
            #expect(!(try await browser.get("/outbox").text.contains("Still waiting: 1.")))
        }
    }

    @Test("what waits for a later time goes at once by one button")
    func retryAll() async throws {
        let fixture = try await PageFixture()
        fixture.remote.respond { $0.isPut ? .status(503, fields: [.retryAfter: "3000"]) : nil }
        try await fixture.serve { browser, _ in
            _ = try await finish(browser)
            _ = try await browser.post("/sync")
            #expect(try await browser.get("/outbox").text.contains("Try all again now"))
            fixture.remote.respond { _ in nil }
            #expect(try await browser.post("/outbox/retry", [("back", "/outbox")]).location == "/outbox")
            #expect(fixture.remote.tests.count == 1)
            #expect(!(try await browser.get("/outbox").text.contains("Try all again now")))
        }
    }

    @Test("what the server lost stands in the outbox, and is sent again by one button")
    func missing() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            let test = try await finish(browser)
            _ = try await browser.post("/sync")
            let sent = fixture.remote.tests
            #expect(sent.count == 1)
            fixture.remote.loseTests(Set(sent.keys))
            _ = try await browser.post("/sync")
            let outbox = try await browser.get("/outbox").text
            #expect(outbox.contains("No longer on the server") && outbox.contains("Send all again"))
            #expect(try await browser.get(test).text.contains("The server no longer has it."))
            _ = try await browser.post("/outbox/resend")
            #expect(fixture.remote.tests == sent)
            #expect(!(try await browser.get("/outbox").text.contains("No longer on the server")))
        }
    }

    @Test("a refused token and another page in the server's place are said in the header")
    func trouble() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            _ = try await finish(browser)
            fixture.remote.respond { _ in .status(401) }
            _ = try await browser.post("/outbox/retry")
            #expect(try await browser.get("/outbox").text.contains("The server refuses the token"))
            fixture.remote.respond { _ in .reply(404, mediaType: "text/html", body: Array("<p>No</p>".utf8)) }
            _ = try await browser.post("/outbox/retry")
            let text = try await browser.get("/outbox").text
            #expect(text.contains("Offline") && text.contains("not the Quire server"))
            #expect(fixture.remote.tests.isEmpty)
        }
    }

    @Test("what was sent is counted, and shown to a person who opens a page, not to a script that polls")
    func sent() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false) { browser, _ in
            _ = try await finish(browser)
            fixture.remote.setPresence(.likely)
            _ = try await browser.post("/sync", [("back", "/outbox")])
            let dest = try #require(HTTPField.Name("Sec-Fetch-Dest"))
            #expect(!(try await browser.get("/outbox", [dest: "empty"]).text.contains("Sent: 1.")))
            let said = try await browser.get("/outbox", [dest: "document"]).text
            #expect(
                said.contains("notice good") && said.contains("Sent: 1.") && said.contains("Everything is in sync."))
        }
    }

    @Test("a page that sends only when asked does not promise to send by itself")
    func manual() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(isOnline: false, isAutomatic: false) { browser, _ in
            let test = try await browser.post("/q/capitals/begin").location
            _ = try await browser.post(test, [("shown", "0"), ("was.0", "-"), ("a.0", "0")])
            for page in [test + "/review", "/outbox"] {
                let text = try await browser.get(page).text
                #expect(!text.contains("automatically") && text.contains("when you ask"))
            }
            _ = try await browser.post(test + "/finish")
            for page in [test, "/outbox"] {
                let text = try await browser.get(page).text
                #expect(!text.contains("automatically") && text.contains("until you send it"))
            }
        }
    }

    @Test("without a server that is said, and no promise is made")
    func noServer() async throws {
        let fixture = try await PageFixture()
        try fixture.store.changeSettings { $0.remote = nil }
        try await fixture.serve { browser, _ in
            let test = try await finish(browser)
            for page in [test, "/outbox"] {
                let text = try await browser.get(page).text
                #expect(
                    text.contains("No server is set") && !text.contains("automatically") && !text.contains("Offline"))
            }
            _ = try await browser.post("/sync", [("back", "/outbox")])
            #expect(try await browser.get("/outbox").text.contains("notice warn"))
        }
    }

    @Test("a try that is due in less than a second comes at once")
    func atOnce() {
        let now = Timestamp(millisecondsSinceEpoch: 1_000_000)
        let english = PageWords(language: .english)
        #expect(english.retry(at: now.adding(seconds: 0.4), reason: nil, now: now, .byItself) == "Next attempt: now.")
        #expect(
            english.retry(at: now.adding(seconds: 61), reason: nil, now: now, .byItself) == "Next attempt in 1 min.")
        #expect(english.retry(at: now.adding(seconds: 61), reason: nil, now: now, .whenAsked) == nil)
    }

    @Test("a failed download is reported as such")
    func notGood() async throws {
        let fixture = try await PageFixture()
        fixture.remote.respond { $0.isPut ? nil : .status(500) }
        try await fixture.serve { browser, _ in
            _ = try await browser.post("/q/capitals/pull", [("back", "/q/capitals")])
            let text = try await browser.get("/q/capitals").text
            #expect(!text.contains("notice good") && (text.contains("notice bad") || text.contains("notice warn")))
        }
    }
}
