import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import Networking
import ServedApplication
import Testing

@testable import Host

@Suite("Who may change questionnaires and list tests")
struct AuthorTokenTests {
    private static let taker: HTTPFields = [.authorization: "Bearer class"]
    private static let author: HTTPFields = [.authorization: "Bearer staff"]
    private static let wrong: HTTPFields = [.authorization: "Bearer other"]
    private static let nothing: HTTPFields = [:]

    /// The outcome of each request with a token.
    private func outcomes(
        _ client: any TestClientProtocol, _ test: TestFile, _ shown: HTTPFields
    ) async throws -> [String: HTTPResponse.Status] {
        func with(_ fields: HTTPFields) -> HTTPFields {
            var fields = fields
            fields[.authorization] = shown[.authorization]
            return fields
        }
        let picture = "/v1/questionnaires/media/\(Digest(sha256Of: [1]).hex).png"
        let local = TestID.random()
        return [
            "read": try await client.get("/v1/questionnaires/a", shown).status,
            "list": try await client.get("/v1/questionnaires", shown).status,
            "hand in": try await client.deliver(test, shown).status,
            "receipt": try await client.get("/v1/tests/\(test.id)", shown).status,
            "receipts": try await client.get("/v1/tests?ids=\(test.id)", shown).status,
            "files": try await client.get("/v1/tests/\(test.id)/media", shown).status,
            "favourite": try await client.put("/v1/favorites/a", [], with(try changeFields(.random()))).status,
            "tests": try await client.get("/v1/tests", shown).status,
            "tests by status": try await client.get("/v1/tests?status=sent", shown).status,
            "create": try await client.put(
                "/v1/questionnaires/\(local)", Array(questionnaireJSON(id: "x").utf8),
                with(try changeFields(.random(), creating: true))
            ).status,
            "edit": try await client.put(
                "/v1/questionnaires/b", Array(questionnaireJSON(id: "b", title: "\(local)").utf8),
                with(try changeFields(.random(), ifMatch: "*"))
            ).status,
            "delete": try await client.delete(
                "/v1/questionnaires/absent", with(try changeFields(.random(), ifMatch: "*"))
            ).status,
            "picture": try await client.put(picture, [1], with(try changeFields(.random()))).status,
        ]
    }

    private static let taking: Set<String> = ["read", "list", "hand in", "receipt", "receipts", "files", "favourite"]

    /// Which of the requests were allowed, and the statuses of the others.
    private func allowed(
        _ fixture: HostFixture, _ configuration: HostConfiguration, _ way: Way = .memory, showing fields: HTTPFields
    ) async throws -> (names: Set<String>, refusals: Set<Int>) {
        let test = try TestFile()
        let statuses: [String: HTTPResponse.Status] = try await fixture.serve(configuration, way) { client in
            try await outcomes(client, test, fields)
        }
        let refused = statuses.filter { [401, 403, 429].contains($0.value.code) }
        return (Set(statuses.keys).subtracting(refused.keys), Set(refused.values.map { $0.code }))
    }

    private func fixture() throws -> HostFixture {
        let fixture = try HostFixture()
        for id in ["a", "b"] { try fixture.publish("\(id).json", questionnaireJSON(id: id)) }
        return fixture
    }

    @Test("the taker's token is for taking and handing in, the author's opens all of it", arguments: Way.allCases)
    func twoTokens(_ way: Way) async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration(token: AccessToken("class"))
        configuration.authorToken = AccessToken("staff")
        let taker = try await allowed(fixture, configuration, way, showing: Self.taker)
        #expect(taker.names == Self.taking && taker.refusals == [403])
        let author = try await allowed(fixture, configuration, way, showing: Self.author)
        #expect(author.refusals.isEmpty)
        for stranger in [Self.wrong, Self.nothing] {
            let outcome = try await allowed(fixture, configuration, way, showing: stranger)
            #expect(outcome.names.isEmpty && outcome.refusals == [401])
        }
    }

    @Test("a host with the taker's token alone takes no changes and lists no tests, on loopback either")
    func takersAlone() async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration(token: AccessToken("class"))
        let taker = try await allowed(fixture, configuration, showing: Self.taker)
        #expect(taker.names == Self.taking && taker.refusals == [403])
        configuration.isOpen = true
        #expect(try await allowed(fixture, configuration, showing: Self.taker).refusals.isEmpty)
        #expect(try await allowed(fixture, configuration, showing: Self.nothing).names.isEmpty)
    }

    @Test("with the author's token alone everyone may take and hand in")
    func authorsAlone() async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration()
        configuration.authorToken = AccessToken("staff")
        for fields in [Self.nothing, Self.wrong] {
            let outcome = try await allowed(fixture, configuration, showing: fields)
            #expect(outcome.names == Self.taking && outcome.refusals == [403])
        }
        #expect(try await allowed(fixture, configuration, showing: Self.author).refusals.isEmpty)
    }

    @Test("without any token all is open on loopback; beyond it changes and lists are refused unless it was said")
    func withoutTokens() async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration()
        #expect(try await allowed(fixture, configuration, showing: Self.nothing).refusals.isEmpty)
        configuration.listen = HostAndPort(host: "0.0.0.0", port: 0)
        let beyond = try await allowed(fixture, configuration, showing: Self.nothing)
        #expect(beyond.names == Self.taking && beyond.refusals == [403])
        configuration.isOpen = true
        #expect(try await allowed(fixture, configuration, showing: Self.nothing).refusals.isEmpty)
    }

    @Test("a refusal is the host's own problem document and names what is missing")
    func problem() async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration(token: AccessToken("class"))
        let without = try await fixture.serve(configuration) { try await $0.get("/v1/tests", Self.taker).problem() }
        #expect(without.type == "urn:quire:problem:not-allowed" && without.detail.contains("--author-token-file"))
        configuration.authorToken = AccessToken("staff")
        let other = try await fixture.serve(configuration) { try await $0.get("/v1/tests", Self.taker).problem() }
        #expect(other.type == "urn:quire:problem:not-allowed" && other.detail.contains("author's token"))
    }

    @Test("guesses are bounded without --rate-limit, and do not shut out those who showed the right token before")
    func guesses() async throws {
        let fixture = try fixture()
        var configuration = fixture.configuration(token: AccessToken("class"))
        configuration.authorToken = AccessToken("staff")
        let clock = fixture.clock
        try await fixture.serve(configuration) { client in
            #expect(try await client.get("/v1/questionnaires", Self.taker).status == .ok)
            var last = HTTPResponse.Status.unauthorized
            for _ in 0...GuessLimit.perMinute {
                last = try await client.get("/v1/questionnaires", Self.wrong).status
            }
            #expect(last == .tooManyRequests)
            #expect(try await client.get("/v1/questionnaires", Self.taker).status == .ok)
            // A correct guess looks like a wrong one now.
            let guess = try await client.get("/v1/tests", Self.author)
            #expect(guess.status == .tooManyRequests && guess.headers[.retryAfter] != nil)
            #expect(try await client.get("/v1/questionnaires", Self.nothing).status == .unauthorized)
            clock.advance(by: .seconds(60))
            #expect(try await client.get("/v1/tests", Self.author).status == .ok)
        }
    }

    @Test("the address of tests does not give the receipt of a change, or of a file")
    func receiptOfChange() async throws {
        let fixture = try fixture()
        let change = TestID.random()
        try await fixture.serve { client in
            let created = try await client.create(.random(), questionnaireJSON(id: "x"), change: change)
            #expect(created.status == .created)
            #expect(try await client.get("/v1/tests/\(change)").status == .notFound)
            #expect(try await client.get("/v1/receipts?ids=\(change)").text.contains("\(change)"))
        }
    }
}
