import HummingbirdTesting
import Model
import Testing

@testable import Authoring
@testable import Desk
@testable import Host

@Suite("What closing a questionnaire does to its times and its draft")
struct ClosingTests {
    private static let page = "/desk/write/of/exam"

    private func availability(_ fixture: DeskFixture) async throws -> Availability? {
        try await fixture.published()?.published.questionnaire.availability
    }

    /// The last moment before now: a test of now is late.
    private func last(_ fixture: DeskFixture) -> Timestamp { fixture.clock.now.adding(seconds: -0.001) }

    private func close(_ browser: DeskBrowser, late: String = "refuse") async throws {
        let reply = try await browser.send(Self.page, to: Self.page + "/close", ["late": late])
        #expect(reply.headers[.location] == Self.page + "?said=closed", "\(reply.text)")
    }

    @Test(
        "one that has not opened yet is closed, and opens again without the former time", arguments: DeskPlace.ofOneHost
    )
    func early(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        try fixture.replaceExam(
            DeskFixture.exam.replacing(
                "\"answerKey\"",
                with: "\"availability\": {\"opensAt\": \"2099-01-01T00:00:00Z\", \"late\": \"mark\"}, \"answerKey\""))
        let key = try await fixture.key(.teacher).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            // What is no such rule is none.
            try await self.close(browser, late: "shout")
            #expect(try await self.availability(fixture) == Availability(closesAt: self.last(fixture), late: .mark))
            let page = try await browser.page(Self.page)
            #expect(page.contains("Closed since"))
            #expect(try await browser.send(Self.page, to: Self.page + "/reopen", [:]).status == .seeOther)
            #expect(try await self.availability(fixture) == Availability(late: .mark))
        }
    }

    @Test("Undo ends where the questionnaire was closed, and later edits are undone", arguments: DeskPlace.ofOneHost)
    func undo(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            let draft = try await browser.draftOfExam()
            func write(_ text: String) async throws {
                let reply = try await browser.send(
                    draft + "/q/essay", ["shown": "text", "text": text, "points": "2"])
                #expect(reply.status == .seeOther)
            }
            try await write("Before")
            try await self.close(browser)
            let closed = try await browser.page(draft)
            #expect(closed.contains("Before") && !closed.contains(draft + "/undo"))
            // Nor does a form that was open before.
            #expect(try await browser.send(draft, to: draft + "/undo", [:]).headers[.location] == draft)
            try await write("After")
            #expect(try await browser.send(draft, to: draft + "/undo", [:]).status == .seeOther)
            let undone = try await browser.page(draft)
            #expect(undone.contains("Before") && !undone.contains("After") && !undone.contains(draft + "/undo"))
            #expect(try await browser.send(draft + "/publish", [:]).status == .seeOther)
            #expect(try await self.availability(fixture)?.closesAt == self.last(fixture))
        }
    }

    @Test("a draft of an old version has the times of the published one", arguments: DeskPlace.ofOneHost)
    func oldVersion(_ place: DeskPlace) async throws {
        let fixture = try DeskFixture(place)
        let key = try await fixture.key(.teacher).text
        try await fixture.serve { client in
            let browser = try await DeskBrowser(client, key: key)
            try await self.close(browser)
            let list = try await browser.page(Self.page)
            let links = list.matches(of: #/href="(/desk/write/of/exam/[0-9a-f]{64})"/#).map { String($0.output.1) }
            #expect(links.count == 2)
            let digest = try #require(
                try await fixture.archive { archive in
                    try archive.catalog.entry(id: "exam").flatMap { try archive.catalog.file(of: $0) }
                })
            let old = try #require(links.first { !$0.hasSuffix(Digest(sha256Of: digest).hex) })
            let made = try #require(try await browser.send(old, [:]).headers[.location])
            let draft = String(made.prefix { $0 != "?" })
            let document = DraftDocument(try #require(try await fixture.drafts().first).document)
            #expect(document.isClosed(at: fixture.clock.now))
            _ = try await browser.send(draft + "/publish", [:])
            #expect(try await self.availability(fixture)?.closesAt != nil)
        }
    }
}
