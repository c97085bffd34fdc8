import Foundation
import Model
import Simulation
import Testing

@testable import Hub

@Suite("Drafts that phones hand over, at a hub over sockets")
struct DraftTests {
    private static let (ada, boris, hubs) = ("ABCD2345EFGH6789", "JKMN2345PQRT6789", "k_hub")
    private static let codes = [ada: "s-1", boris: "s-2", hubs: ""]

    private static func request(
        _ method: String, _ path: String = "", _ code: String?, _ fields: String = "", body: String = ""
    ) -> String {
        let key = code.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let length = method == "PUT" ? "Content-Length: \(body.utf8.count)\r\n" : ""
        return "\(method) /_hub/drafts\(path) HTTP/1.1\r\nHost: hub\r\n\(key)\(fields)\(length)\r\n\(body)"
    }

    private static func put(_ id: TestID, _ code: String?, revision: Int, _ body: String, file: TestID? = nil) -> String
    {
        request(
            "PUT", "/\(id)" + (file.map { "/\($0)" } ?? ""), code, "Quire-Revision: \(revision)\r\n", body: body)
    }

    private static func kind(_ message: RawMessage) -> String? {
        guard case .object(let problem)? = try? DocumentCoding.decode(JSONValue.self, from: message.body),
            case .string(let type)? = problem["type"]
        else { return nil }
        return type.split(separator: ":").last.map(String.init)
    }

    @Test(
        "a draft comes back to who proves the person by the code, byte for byte, and to no one else; also while the server is away"
    )
    func comesBack() async throws {
        let upstream = try CodeOrigin(Self.codes)
        try await HubFixture.run(upstream.url, token: Self.hubs) { hub in
            let (id, file) = (TestID.random(), TestID.random())
            let kept = try hub.exchange(Self.put(id, Self.ada, revision: 1, "one"))
            #expect(kept.status == 201)
            let photo = String(repeating: "\0photo", count: 1000)
            #expect(try hub.exchange(Self.put(id, Self.ada, revision: 1, photo, file: file)).status == 201)
            for isThere in [true, false] {
                if !isThere { upstream.stop() }
                let own = try hub.exchange(Self.request("GET", "/\(id)", Self.ada))
                #expect(own.status == 200 && own.text == "one" && own["quire-revision"] == "1", "\(isThere)")
                #expect(own["cache-control"] == "no-store")
                #expect(try hub.exchange(Self.request("GET", "/\(id)/\(file)", Self.ada)).text == photo)
                let list = try hub.exchange(Self.request("GET", "", Self.ada)).text
                #expect(list.contains("\(id)") && list.contains("\(file)"))
                // Another person's code reaches nothing, a wrong one and none are refused.
                if isThere {
                    #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.boris)).status == 404)
                    #expect(try !hub.exchange(Self.request("GET", "", Self.boris)).text.contains("\(id)"))
                    #expect(try hub.exchange(Self.request("DELETE", "/\(id)", Self.boris)).status == 204)
                }
                let wrong = isThere ? "WRNG2345WRNG2345" : "WRNG2345WRNG2346"
                #expect(try hub.exchange(Self.request("GET", "/\(id)", wrong)).status == (isThere ? 401 : 504))
                #expect(try hub.exchange(Self.request("GET", "/\(id)", nil)).status == 401)
                // The hub's own key is no person's.
                if isThere { #expect(try hub.exchange(Self.request("GET", "", Self.hubs)).status == 403) }
            }
            // It takes them while the server is away.
            #expect(try hub.exchange(Self.put(id, Self.ada, revision: 2, "two")).status == 201)
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).text == "two")
            try upstream.start()
        }
        // The server hears of codes, and of no draft.
        #expect(upstream.requests.allSatisfy { $0.target.hasPrefix("/v1/") && $0.method == "GET" })
    }

    @Test("a code that was revoked reaches nothing any more")
    func revoked() async throws {
        let upstream = try CodeOrigin(Self.codes)
        let clock = ManualClock()
        try await HubFixture.run(upstream.url, clock: clock) { hub in
            let id = TestID.random()
            let kept = try hub.exchange(Self.put(id, Self.ada, revision: 1, "one"))
            #expect(kept.status == 201)
            upstream.revoke(Self.ada)
            // A phone that hands over each few seconds does not make the hub ask each time.
            clock.advance(by: .seconds(60))
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).status == 401)
            #expect(try hub.exchange(Self.put(id, Self.ada, revision: 2, "two")).status == 401)
            upstream.stop()
            // For a minute the server's word counts.
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).status == 401)
            clock.advance(by: .seconds(60))
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).status == 504)
        }
    }

    @Test(
        "the same wrong code again and again, or a key of no person, is one question to the server, and no file is written"
    )
    func repeated() async throws {
        let upstream = try CodeOrigin(Self.codes)
        let clock = ManualClock()
        try await HubFixture.run(upstream.url, clock: clock) { hub in
            let file = hub.folder.appending("hub/keys.json").string
            func number() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            }
            for (code, status) in [("WRNG2345WRNG2345", 401), (Self.hubs, 403)] {
                func asked() -> Int { upstream.requests.count { $0["authorization"] == "Bearer \(code)" } }
                #expect(try hub.exchange(Self.request("GET", "", code)).status == status)
                let (first, written) = (asked(), try number())
                for _ in 0..<10 { #expect(try hub.exchange(Self.request("GET", "", code)).status == status) }
                #expect(asked() == first, "\(code)")
                // Later it is asked for again, and the same word is not written again.
                clock.advance(by: .seconds(60))
                #expect(try hub.exchange(Self.request("GET", "", code)).status == status)
                #expect(asked() == first + 1, "\(code)")
                #expect(try number() == written)
            }
        }
    }

    @Test("so many arrive at the same time, of a person and of all; the others hear when to come again")
    func arrivals() async throws {
        let upstream = try CodeOrigin(Self.codes)
        let bounds = DraftBounds(personArrivals: 1, totalArrivals: 1)
        try await HubFixture.run(upstream.url, drafts: bounds) { hub in
            let (slow, ada, boris) = (TestID.random(), TestID.random(), TestID.random())
            let socket = try hub.connect()
            let fields = "Quire-Revision: 1\r\nExpect: 100-continue\r\n"
            try socket.send(Self.request("PUT", "/\(slow)", Self.ada, fields, body: "slow").dropLast(4).description)
            // It is waited for.
            #expect(try socket.message()?.status == 100)
            let second = try hub.exchange(Self.put(ada, Self.ada, revision: 1, "ada"))
            #expect(second.status == 429 && second["retry-after"] == "5")
            let full = try hub.exchange(Self.put(boris, Self.boris, revision: 1, "boris"))
            #expect(full.status == 503 && full["retry-after"] == "5")
            #expect(try hub.exchange(Self.request("GET", "", Self.ada)).status == 200)
            try socket.send("slow")
            #expect(try socket.message()?.status == 201)
            #expect(try hub.exchange(Self.put(boris, Self.boris, revision: 1, "boris")).status == 201)
            #expect(try hub.exchange(Self.put(ada, Self.ada, revision: 1, "ada")).status == 201)
        }
    }

    @Test("a late older copy does not replace a newer one, and too large or too many are refused with the reason")
    func bounds() async throws {
        let upstream = try CodeOrigin(Self.codes)
        let bounds = DraftBounds(itemBytes: 1000, personItems: 2, personBytes: 1500, totalBytes: 2500)
        try await HubFixture.run(upstream.url, drafts: bounds) { hub in
            let (id, other) = (TestID.random(), TestID.random())
            func put(_ id: TestID, _ revision: Int, _ body: String, by code: String = Self.ada) throws -> RawMessage {
                try hub.exchange(Self.put(id, code, revision: revision, body))
            }
            #expect(try put(id, 5, "five").status == 201)
            let late = try put(id, 4, "four")
            #expect(late.status == 409 && Self.kind(late) == "stale-draft" && late["quire-revision"] == "5")
            #expect(try put(id, 5, "five").status == 204)
            #expect(try put(id, 5, "else").status == 409)
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).text == "five")
            let large = try put(id, 6, String(repeating: "x", count: 1001))
            #expect(large.status == 413 && Self.kind(large) == "draft-too-large")
            #expect(try put(id, 6, String(repeating: "x", count: 1000)).status == 201)
            let much = try put(other, 1, String(repeating: "x", count: 501))
            #expect(much.status == 507 && Self.kind(much) == "drafts-full")
            #expect(try put(other, 1, String(repeating: "x", count: 500)).status == 201)
            #expect(try put(.random(), 1, "x").status == 507)
            #expect(try put(.random(), 1, String(repeating: "x", count: 1000), by: Self.boris).status == 201)
            #expect(try put(.random(), 1, "x", by: Self.boris).status == 507)
            for fields in ["", "Quire-Revision: 0\r\n", "Quire-Revision: -1\r\n", "Quire-Revision: x\r\n"] {
                #expect(try hub.exchange(Self.request("PUT", "/\(id)", Self.ada, fields, body: "x")).status == 400)
            }
            let digest = "Quire-Revision: 9\r\nContent-Digest: sha-256=:\(Data(count: 32).base64EncodedString()):\r\n"
            #expect(try hub.exchange(Self.request("PUT", "/\(id)", Self.ada, digest, body: "x")).status == 400)
            #expect(
                try hub.exchange(Self.request("PUT", "/x", Self.ada, "Quire-Revision: 1\r\n", body: "x")).status == 404)
            #expect(
                try hub.exchange(Self.request("PUT", "", Self.ada, "Quire-Revision: 1\r\n", body: "x")).status == 405)
            #expect(try hub.exchange(Self.request("DELETE", "/\(id)", Self.ada)).status == 204)
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).status == 404)
        }
    }

    @Test(
        "a test that is handed in has no draft any more, and none is kept of it again; the status page has numbers and no names"
    )
    func handedIn() async throws {
        let upstream = try CodeOrigin(Self.codes)
        try await HubFixture.run(upstream.url) { hub in
            let (id, other) = (TestID.random(), TestID.random())
            for id in [id, other] {
                #expect(try hub.exchange(Self.put(id, Self.ada, revision: 1, "draft")).status == 201)
            }
            let status = try hub.get("/_hub/status")
            #expect(status.text.contains("drafts") && !status.text.contains("s-1"))
            #expect(try hub.get("/_hub/metrics").text.contains("quire_hub_drafts 2"))
            let test = """
                {"id": "\(id)", "questionnaire": {"id": "q", "title": "Q", "digest": "sha256:\(String(repeating: "0", count: 64))"},
                "dateStarted": "2026-11-21T05:00:00.000Z", "dateFinished": "2026-11-21T05:10:00.000Z",
                "answers": [], "deviceId": "d", "sequence": 1, "person": {"id": "s-1", "name": "Ada"}}
                """
            let reply = try hub.exchange(
                "PUT /v1/tests/\(id) HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer \(Self.ada)\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(test.utf8.count)\r\n\r\n\(test)")
            #expect(reply.status == 201, "\(reply.text)")
            #expect(try hub.exchange(Self.request("GET", "/\(id)", Self.ada)).status == 404)
            let again = try hub.exchange(Self.put(id, Self.ada, revision: 2, "draft"))
            #expect(again.status == 409 && Self.kind(again) == "handed-in")
            #expect(try hub.exchange(Self.request("GET", "/\(other)", Self.ada)).status == 200)
        }
    }
}
