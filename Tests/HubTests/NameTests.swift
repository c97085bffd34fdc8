import HTTPTypes
import Model
import OutboxStore
import Quire
import Sync
import Testing

@testable import Hub

/// RFC 9110 section 15.5.20, and what a client may claim about the way of its request.
@Suite("The names of a hub")
struct NameTests {
    @Test("a foreign name in Host gets 421 and no word of what is here (DNS rebinding)")
    func foreign() async throws {
        let origin = try RawOrigin.of("secret")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for host in ["evil.example", "evil.example:\(hub.port)", "127.0.0.1.evil.example", "hub.evil.example"] {
                for path in ["/v1/questionnaires", "/_hub/status", "/_hub/app/"] {
                    let answer = try hub.exchange("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                    #expect(answer.status == 421 && !answer.text.contains("secret"), "\(host)")
                    #expect(answer.text.contains("--name"))
                    #expect(answer.text.contains("about:blank") && !answer.text.contains("urn:quire:problem"))
                }
                let id = TestID.random()
                let sent = try hub.exchange(
                    "PUT /v1/tests/\(id) HTTP/1.1\r\nHost: \(host)\r\nContent-Length: 2\r\n\r\n{}")
                try Self.expectWaiting(after: sent)
                #expect(try hub.store.outbox.find(id) == nil)
            }
            #expect(origin.requests.isEmpty)
            for host in [
                "hub", "HUB:1", "127.0.0.1:\(hub.port)", "[::1]", "localhost", "box.school.example:80", "",
            ] {
                let answer = try hub.exchange("GET /v1/questionnaires HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(answer.text == "secret", "\(host)")
            }
        }
    }

    /// A device does not take the reply for its server's word: what it has to send waits, with the sentence.
    private static func expectWaiting(after reply: RawMessage) throws {
        var fields = HTTPFields()
        fields[.contentType] = reply["content-type"]
        let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
        let received = RemoteReply(
            status: reply.status, fields: fields, body: reply.body, requestTime: now, responseTime: now)
        let decision = DeliveryDecision.decide(
            .init(
                test: .random(), digest: Digest(sha256Of: []), outcome: .success(received), history: nil, now: now,
                jitter: 0.5))
        guard case .retry(let delivery, _, .stop) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(delivery.notTheServer == true && delivery.reason.contains("--name"), "\(delivery)")
    }

    @Test("what a client claims about the way of its request does not go to the upstream, nor into anybody's copy")
    func claims() async throws {
        let origin = try RawOrigin { request, socket in
            let body = "link to \(request["x-forwarded-host"] ?? request["forwarded"] ?? request["host"] ?? "")"
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let claims = [
                "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Forwarded-For", "Forwarded", "X-Host",
                "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-Real-IP",
            ]
            let request =
                "GET /v1/page HTTP/1.1\r\nHost: hub\r\n" + claims.map { "\($0): evil\r\n" }.joined()
                + "X-Own: kept\r\n\r\n"
            #expect(try hub.exchange(request).text == "link to 127.0.0.1:\(origin.port)")
            #expect(try hub.get("/v1/page").text == "link to 127.0.0.1:\(origin.port)")
            let heard = try #require(origin.requests.first)
            for claim in claims { #expect(heard[claim] == nil, "\(claim)") }
            #expect(heard["x-own"] == "kept" && origin.requests.count == 1)
        }
    }

    @Test("a cookie that the upstream set for one client is for that one alone (RFC 9111 section 7.3)")
    func cookies() async throws {
        let origin = try RawOrigin.of("page", more: "Set-Cookie: session=1\r\nSet-Cookie2: old=1\r\nX-Own: kept\r\n")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let first = try hub.get("/page")
            #expect(first["set-cookie"] == "session=1")
            for _ in 0..<2 {
                let next = try hub.get("/page")
                #expect(next.text == "page" && next["set-cookie"] == nil && next["set-cookie2"] == nil)
                #expect(next["x-own"] == "kept")
            }
            #expect(origin.requests.count == 1)
        }
    }
}
