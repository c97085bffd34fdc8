import Foundation
import HTTPTypes
import HummingbirdTesting
import Model
import Networking
import Testing
import WireFormat

@testable import Host

@Suite("Keys and their roles")
struct KeyTests {
    private func store(_ fixture: HostFixture) throws -> KeyStore {
        try KeyStore(making: fixture.data, clock: fixture.clock)
    }

    private func bearer(_ key: String) -> HTTPFields { [.authorization: "Bearer " + key] }

    @Test("as soon as there is a key a running host asks for one, and notices a revocation, without a restart")
    func running() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        let store = try store(fixture)
        try await fixture.serve(.socket) { client in
            #expect(try await client.get("/v1/questionnaires").status == .ok)
            let (key, text) = try store.add(.taker)
            let refused = try await client.get("/v1/questionnaires")
            #expect(refused.status == .unauthorized)
            #expect(refused.headers[.wwwAuthenticate] == "Bearer realm=\"quire\"")
            #expect(try refused.problem().type == "urn:quire:problem:unauthorized")
            #expect(try await client.get("/v1/questionnaires", bearer(text)).status == .ok)
            #expect(try await client.get("/v1/").status == .ok)
            try store.revoke(key.id)
            let revoked = try await client.get("/v1/questionnaires", bearer(text))
            #expect(try revoked.status == .unauthorized && revoked.problem().detail.contains("revoked"))
            // The last key's end opens nothing.
            #expect(try await client.get("/v1/questionnaires").status == .unauthorized)
        }
    }

    @Test("a school's own short code cannot be guessed faster than wrong keys are allowed; a made one is not shut out")
    func shortCode() async throws {
        let fixture = try HostFixture()
        let store = try store(fixture)
        let (short, known) = (try #require(PersonalCode("12345678")), try #require(PersonalCode("87654321")))
        let made = PersonalCode.make()
        for (code, person) in [(short, "ada"), (known, "eve"), (made, "bob")] { _ = try store.add(code, of: person) }
        try await fixture.serve { client in
            func status(_ code: String) async throws -> HTTPResponse.Status {
                try await client.get("/v1/access/self", bearer(code)).status
            }
            // Who has a code of their own guesses no faster.
            #expect(try await status(known.text) == .ok)
            for number in 0...GuessLimit.perMinute { _ = try await status("\(20_000_000 + number)") }
            #expect(try await status(short.text) == .tooManyRequests)
            #expect(try await status(known.text) == .ok)
            #expect(try await status(made.text) == .ok)
            fixture.clock.advance(by: .seconds(60))
            #expect(try await status(short.text) == .ok)
        }
    }

    @Test("an expired key is refused, and another one's id with its secret is none")
    func expired() async throws {
        let fixture = try HostFixture()
        let store = try store(fixture)
        let clock = fixture.clock
        let (_, text) = try store.add(.admin, expires: clock.now.adding(seconds: 60))
        let (other, _) = try store.add(.admin)
        try await fixture.serve { client in
            #expect(try await client.get("/v1/tests", bearer(text)).status == .ok)
            let mixed = text.split(separator: "_").enumerated().map { $0 == 1 ? other.id : String($1) }
            #expect(try await client.get("/v1/tests", bearer(mixed.joined(separator: "_"))).status == .unauthorized)
            clock.advance(by: .seconds(60))
            let late = try await client.get("/v1/tests", bearer(text))
            #expect(try late.status == .unauthorized && late.problem().detail.contains("expired"))
        }
    }

    @Test("a role that does not suffice is named in the refusal, before conditions and contents are looked at")
    func forbidden() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        let (_, taker) = try store(fixture).add(.taker)
        let (_, author) = try store(fixture).add(.author)
        try await fixture.serve { client in
            var fields = try changeFields(.random(), ifMatch: "\"other\"")
            fields[.authorization] = "Bearer " + taker
            let problem = try await client.put("/v1/questionnaires/a", Array("{".utf8), fields).problem()
            #expect(problem.status == 403 && problem.detail.contains("author") && problem.detail.contains("taker"))
            #expect(try await client.delete("/v1/questionnaires/a", fields).status == .forbidden)
            let list = try await client.get("/v1/tests", bearer(author))
            #expect(try list.status == .forbidden && list.problem().detail.contains("teacher"))
            fields[.authorization] = "Bearer " + author
            #expect(try await client.delete("/v1/questionnaires/a", fields).status == .preconditionFailed)
        }
    }

    @Test("a person's key reads that person's tests, receipts and files, and another's do not exist for it")
    func person() async throws {
        let fixture = try HostFixture()
        let store = try store(fixture)
        let (_, alice) = try store.add(.taker, person: "alice")
        let (_, second) = try store.add(.author, person: "alice")
        let (_, bob) = try store.add(.taker, person: "bob")
        let (_, shared) = try store.add(.taker)
        let (_, teacher) = try store.add(.teacher, person: "bob")
        let (test, former) = (try TestFile(), try TestFile())
        try await fixture.serve { client in
            #expect(try await client.deliver(test, bearer(alice)).status == .created)
            let paths = ["/v1/tests/\(test.id)", "/v1/tests/\(test.id)/media"]
            for (key, status) in [(alice, 200), (second, 200), (bob, 404), (shared, 200), (teacher, 200)] {
                for path in paths {
                    #expect(try await client.get(path, bearer(key)).status.code == status, "\(path)")
                    #expect(try await client.head(path, bearer(key)).status.code == status, "\(path)")
                }
                let list = try await client.get("/v1/receipts?ids=\(test.id)", bearer(key)).text
                #expect(list.contains(test.id.description) == (status == 200))
            }
            // The bytes alone do not give it to another person.
            #expect(try await client.deliver(test, bearer(bob)).status == .conflict)
            #expect(try await client.get(paths[0], bearer(bob)).status == .notFound)
            // A test from before there were persons' keys belongs to the one who has its bytes.
            #expect(try await client.deliver(former, bearer(shared)).status == .created)
            #expect(try await client.get("/v1/tests/\(former.id)", bearer(alice)).status == .notFound)
            let forged = TestFile(id: former.id, bytes: try TestFile(id: former.id, note: "other").bytes)
            #expect(try await client.deliver(forged, bearer(bob)).status == .conflict)
            #expect(try await client.get("/v1/tests/\(former.id)", bearer(bob)).status == .notFound)
            #expect(try await client.deliver(former, bearer(alice)).status == .ok)
            #expect(try await client.get("/v1/tests/\(former.id)", bearer(alice)).status == .ok)
        }
    }

    @Test("favourites belong to the person, with any of the person's keys, and to no one else")
    func favorites() async throws {
        let fixture = try HostFixture()
        try fixture.publish("a.json", questionnaireJSON(id: "a"))
        let store = try store(fixture)
        let (_, first) = try store.add(.taker, person: "alice")
        let (_, second) = try store.add(.taker, person: "alice")
        let (_, other) = try store.add(.taker, person: "bob")
        try await fixture.serve { client in
            var fields = try changeFields(.random())
            fields[.authorization] = "Bearer " + first
            #expect(try await client.put("/v1/favorites/a", [], fields).status == .ok)
            #expect(try await client.get("/v1/favorites", bearer(second)).text.contains("\"a\""))
            #expect(try await client.get("/v1/favorites", bearer(other)).text.contains("\"a\"") == false)
        }
    }

    @Test("10 000 wrong keys are bounded, and a right one from the same address is never shut out")
    func guesses() async throws {
        let fixture = try HostFixture()
        let (_, text) = try store(fixture).add(.teacher)
        // Later than the key's file, whose time then shows each change: it is not read for each request.
        fixture.clock.advance(by: .seconds(400 * 86_400))
        try await fixture.serve { client in
            var statuses: [HTTPResponse.Status: Int] = [:]
            for number in 0..<10_000 {
                let guess = text.dropLast(8) + String(10_000_000 + number)
                statuses[try await client.get("/v1/questionnaires", bearer(String(guess))).status, default: 0] += 1
            }
            #expect(statuses[.unauthorized] == GuessLimit.perMinute)
            #expect(statuses[.tooManyRequests] == 10_000 - GuessLimit.perMinute)
            #expect(try await client.get("/v1/tests", bearer(text)).status == .ok)
        }
    }

    @Test("the folder has a file for each key, its owner's alone, and the key in none of them")
    func files() throws {
        let fixture = try HostFixture()
        let (key, text) = try store(fixture).add(.author, person: "p1", label: "Room 5")
        try store(fixture).revoke(key.id)
        try store(fixture).revoke(key.id)
        let folder = fixture.data.appending("access")
        #expect(try fixture.names(folder) == ["\(key.id).json", "\(key.id).revoked.json"])
        for name in try fixture.names(folder) {
            let path = folder.appending(name).string
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            let secret = try #require(text.split(separator: "_").last)
            #expect(!String(decoding: try fixture.bytes(folder.appending(name)), as: UTF8.self).contains(secret))
        }
        let entries = try store(fixture).all().entries
        #expect(entries.map(\.key) == [key] && entries[0].revoked == fixture.clock.now)
        #expect(throws: HostError.unknownKey("00000000")) { try store(fixture).revoke("00000000") }
        #expect(throws: HostError.unknownKey("../tests")) { try store(fixture).revoke("../tests") }
    }

    @Test("a damaged file of a key opens nothing, and the host goes on asking")
    func damaged() async throws {
        let fixture = try HostFixture()
        let store = try store(fixture)
        let (key, text) = try store.add(.admin)
        let file = fixture.data.appending("access").appending("\(key.id).json")
        try Data("{".utf8).write(to: URL(filePath: file.string))
        try await fixture.serve { client in
            for fields in [bearer(text), [:]] {
                let reply = try await client.get("/v1/questionnaires", fields)
                #expect(reply.status == .unauthorized)
            }
        }
        #expect(try store.all().faults.count == 1)
        try store.revoke(key.id)
    }

    @Test("teachers list the valid keys by their digests, for hubs")
    func list() async throws {
        let fixture = try HostFixture()
        let store = try store(fixture)
        let (_, teacher) = try store.add(.teacher)
        let (author, text) = try store.add(.author)
        let (revoked, _) = try store.add(.author)
        try store.revoke(revoked.id)
        try await fixture.serve { client in
            let open = try await client.get("/v1/access/keys", bearer(text))
            #expect(open.status == .forbidden)
            let reply = try await client.get("/v1/access/keys", bearer(teacher))
            #expect(reply.status == .ok && reply.headers[.cacheControl] == "no-store")
            let list = try DocumentCoding.decode(AccessKeyList.self, from: reply.bytes)
            #expect(list.roleWithoutKey == nil && list.keys.count == 2)
            #expect(list.keys.contains { $0.id == author.id && $0.digest == author.digest })
            let own = try await client.get("/v1/access/self", bearer(text))
            let known = try DocumentCoding.decode(AccessSelf.self, from: own.bytes)
            #expect(known == AccessSelf(role: .author, isOfKey: true, roleWithoutKey: nil, id: author.id))
        }
    }

    @Test("beyond loopback a host without keys does not start, and names the two commands")
    func beyondLoopback() async throws {
        let fixture = try HostFixture()
        var configuration = fixture.configuration()
        configuration.listen = HostAndPort(host: "0.0.0.0", port: 0)
        let host = ReferenceHost(configuration, clock: fixture.clock, logger: HostFixture.silence)
        let error = await #expect(throws: HostError.self) { try await host.run() }
        #expect(error == .openToNetwork(configuration.listen, data: fixture.data))
        #expect(error?.description.contains("quire host keys add --data \(fixture.data) --role admin") == true)
        #expect(error?.description.contains("--open") == true)
        let (_, text) = try store(fixture).add(.taker)
        try await fixture.run(configuration) { port in
            try await TestClient.withClient(host: "127.0.0.1", port: port) { client in
                let reply = try await client.execute(
                    .init("/v1/questionnaires", method: .get, authority: "localhost", headers: bearer(text)))
                #expect(reply.status == .ok)
            }
        }
    }
}
