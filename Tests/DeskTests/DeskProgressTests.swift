import HTTPTypes
import HummingbirdTesting
import Model
import NIOCore
import Testing
import WireFormat

@testable import Desk
@testable import Host

/// What devices and hubs report of open tests, on the screen of the class.
@Suite("Who is at it, on the desk")
struct DeskProgressTests {
    private static func test(
        _ person: String, _ state: OpenTest.State = .started, hub: String? = nil, id: TestID = .random(),
        group: String? = nil,
        version: Digest? = nil, since: Timestamp
    ) throws -> OpenTest {
        let digest = try version ?? PublishedQuestionnaire(json: Array(DeskFixture.exam.utf8)).digest
        return OpenTest(
            test: id, questionnaire: .init(id: "exam", digest: digest),
            person: Person(id: person, name: person, group: group), state: state, hub: hub, since: since)
    }

    private func report(_ client: any TestClientProtocol, _ tests: OpenTest..., from sender: String) async throws {
        let reply = try await client.executeRequest(
            uri: "/v1/progress/\(sender)", method: .put, headers: [.contentType: "application/json"],
            body: ByteBuffer(bytes: DocumentCoding.encode(ProgressReport(tests))))
        #expect(reply.status == .ok, "\(reply.text)")
    }

    /// The row of a person.
    private func row(_ name: String, in page: String) throws -> String {
        try #require(page.split(separator: "<tr>").map(String.init).first { $0.contains(">\(name)<") }, "\(name)")
    }

    @Test("who is at it, and whose test waits at a hub, is shown with since when and when that was heard")
    func states() async throws {
        let fixture = try DeskFixture()
        try await fixture.classList("id,name,group\nada,ada,7a\nboris,boris,7a\ncleo,cleo,7b\n")
        let began = fixture.clock.now.adding(seconds: -600)
        let id = TestID.random()
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            try await report(client, Self.test("ada", since: began), Self.test("zoe", since: began), from: "tablet")
            try await report(client, Self.test("boris", .waiting, hub: "room 12", id: id, since: began), from: "hub")
            let page = try await browser.page("/desk/q/exam/watching")
            for words in ["is at it: 2", "waits at a hub: 1", "not handed in: 1", "delivered: 0"] {
                #expect(page.contains(words), "\(words)")
            }
            let ada = try row("ada", in: page)
            #expect(ada.contains(">is at it<") && ada.contains("since <time datetime=\"\(began)\""))
            #expect(ada.contains("heard <time datetime=\"\(fixture.clock.now)\"") && !ada.contains("earlier version"))
            let boris = try row("boris", in: page)
            #expect(boris.contains(">waits at a hub<") && boris.contains(">room 12<"))
            #expect(try row("cleo", in: page).contains("not handed in"))
            #expect(try row("zoe", in: page).contains("not on the class list"))
            #expect(try await browser.page("/desk/q/exam/watching?group=7b").contains("is at it: 0"))
            // Its arrival ends that.
            try await fixture.deliver(person: "boris", ["q1": "Paris", "essay": "So."], id: id)
            let arrived = try row("boris", in: try await browser.page("/desk/q/exam/watching"))
            #expect(arrived.contains("being checked") && !arrived.contains("hub"))
            // Who has handed in may be at it again: that does not hide what arrived.
            try await report(
                client, Self.test("boris", version: Digest(sha256Of: [1]), since: began), from: "hub")
            let again = try row("boris", in: try await browser.page("/desk/q/exam/watching"))
            #expect(again.contains("being checked") && again.contains(">is at it<"))
            try await report(client, from: "tablet")
            #expect(try await browser.page("/desk/q/exam/watching").contains("is at it: 0"))
        }
    }

    @Test("hostile names are shown as text, and a report is no test: nothing else on the desk knows it")
    func hostile() async throws {
        let fixture = try DeskFixture()
        let name = "<img src=x onerror=alert(1)>\u{202E}=1+1"
        try await fixture.serve { client in
            let browser = DeskBrowser(client)
            try await report(
                client, Self.test(name, .waiting, hub: "<script>alert(2)</script>", since: .epoch),
                Self.test("early", version: Digest(sha256Of: [1]), since: fixture.clock.now.adding(seconds: 9_999_999)),
                from: "%3Cx%3E")
            let page = try await browser.page("/desk/q/exam/watching")
            #expect(page.contains("&lt;img") && page.contains("&lt;script&gt;"))
            #expect(!page.contains("<img") && !page.withoutOwnScript.contains("<script"))
            // A device's clock that is ahead.
            let early = try row("early", in: page)
            #expect(
                early.contains("since <time datetime=\"\(fixture.clock.now)\"") && early.contains("an earlier version"))
            for path in ["/desk/", "/desk/q/exam", "/desk/q/exam/results", "/desk/q/exam/report"] {
                #expect(try await !browser.get(path).text.contains("onerror"), "\(path)")
            }
            #expect(try await fixture.archive { try $0.lists.list(.init(questionnaire: "exam")).tests.isEmpty })
        }
    }
}
