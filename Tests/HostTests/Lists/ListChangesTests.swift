import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import Testing
import WireFormat

@testable import Host

@Suite("What has changed in the list of questionnaires")
struct ListChangesTests {
    private struct Page: Decodable {
        struct Item: Decodable {
            var id: String
            var title: String
            var digest: Digest
            var mediaDigests: [String: Digest]?
        }
        var questionnaires: [Item]
        var next: String?
        var register: String?
        var last: Int?
        var since: Int?
        var state: Digest?
    }

    private static let list = "/v1/questionnaires"

    private static func state(_ items: [Page.Item]) -> Digest {
        var state = ListState()
        for item in items { state.add(id: item.id, digest: item.digest, mediaDigests: item.mediaDigests) }
        return state.digest()
    }

    private func change(_ client: any TestClientProtocol, _ id: String, _ json: String, _ field: HTTPField) async throws
    {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[try #require(HTTPField.Name("Quire-Change"))] = TestID.random().description
        fields.append(field)
        let response = try await client.put("\(Self.list)/\(id)", Array(json.utf8), fields)
        #expect(response.status == .created || response.status == .ok, "\(response.text)")
    }

    @Test(
        "one that knows a number hears what has changed since, and what the whole list says",
        arguments: DataPlace.allCases)
    func changes(_ place: DataPlace) async throws {
        let fixture = try HostFixture(place)
        try await fixture.serve { client in
            for number in 1...12 {
                let id = TestID.random().description
                let field = HTTPField(name: .ifNoneMatch, value: "*")
                try await change(client, id, questionnaireJSON(id: id, title: "Number \(number)"), field)
            }
            let whole: Page = try await client.get(Self.list).decoded()
            let register = try #require(whole.register)
            #expect(whole.questionnaires.count == 12 && whole.last == 12 && whole.since == nil && whole.state == nil)
            func ask(_ query: String) async throws -> (Page, TestResponse) {
                let response = try await client.get("\(Self.list)?\(query)")
                #expect(response.headers[.cacheControl] == "no-store")
                return (try response.decoded(), response)
            }
            let (same, _) = try await ask("since=12&register=\(register)")
            #expect(same.questionnaires.isEmpty && same.since == 12 && same.last == 12)
            #expect(same.state == Self.state(whole.questionnaires))

            let edited = whole.questionnaires[3]
            let field = HTTPField(name: .ifMatch, value: "\"\(edited.digest.hex)\"")
            try await change(client, edited.id, questionnaireJSON(id: edited.id, title: "Newer"), field)
            let (changed, response) = try await ask("since=12&register=\(register)")
            #expect(changed.questionnaires.map(\.title) == ["Newer"] && changed.last == 13)
            let now: Page = try await client.get(Self.list).decoded()
            #expect(changed.state == Self.state(now.questionnaires) && changed.state != same.state)
            #expect(response.bytes.count < 1000)

            // Numbers of another register, of the future, or none at all; and so much that the whole list says it as well.
            for query in [
                "since=12&register=other", "since=12", "since=14&register=\(register)", "since=x&register=\(register)",
                "since=1&register=\(register)&limit=2", "since=0&register=\(register)",
            ] {
                let (page, _) = try await ask(query)
                #expect(
                    page.since == nil && page.questionnaires.count == (query.contains("limit") ? 2 : 12), "\(query)")
                #expect(page.register == register && page.last == 13)
            }
        }
    }

    @Test("a file that was edited, added or removed in the folder counts, and so does a picture")
    func folder() async throws {
        let fixture = try HostFixture()
        for number in 0..<20 { try fixture.publish("\(number).json", questionnaireJSON(id: "q-\(number)")) }
        try await fixture.serve { client in
            let whole: Page = try await client.get(Self.list).decoded()
            let (register, last) = (try #require(whole.register), try #require(whole.last))
            let question = "\(Self.list)?since=\(last)&register=\(register)"
            try fixture.publish("3.json", questionnaireJSON(id: "q-3", title: "Newer"), isFresh: true)
            try fixture.publish("new.json", questionnaireJSON(id: "new"), isFresh: true)
            let changed: Page = try await client.get(question).decoded()
            #expect(changed.questionnaires.map(\.id) == ["new", "q-3"])
            var items = whole.questionnaires.filter { $0.id != "q-3" } + changed.questionnaires
            items.sort { $0.id < $1.id }
            #expect(changed.state == Self.state(items))
            // A removal shows in the state alone.
            try fixture.remove(fixture.questionnaires.appending("7.json"))
            let removed: Page = try await client.get(question).decoded()
            #expect(removed.questionnaires.map(\.id) == ["new", "q-3"])
            #expect(removed.state == Self.state(items.filter { $0.id != "q-7" }))
        }
    }

    @Test("the list goes out where the register cannot be written")
    func withoutRegister() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        try await fixture.serve { client in
            try Data("damaged".utf8).write(to: URL(fileURLWithPath: fixture.data.appending("register.json").string))
            let page: Page = try await client.get("\(Self.list)?since=0&register=x").decoded()
            #expect(page.questionnaires.map(\.id) == ["a"] && page.register == nil && page.last == nil)
        }
    }
}
