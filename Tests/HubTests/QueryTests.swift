import Testing

@testable import Hub

/// What one device asks for in vain does not take from the others what they need.
@Suite("Queries that mean nothing")
struct QueryTests {
    @Test(
        "of a query of the protocol's routes only what they read is left",
        arguments: [
            ("/v1/questionnaires?junk=1", "/v1/questionnaires"),
            ("/v1/questionnaires?", "/v1/questionnaires"),
            ("/v1/questionnaires?cursor=c&junk&limit=10", "/v1/questionnaires?limit=10&cursor=c"),
            ("/v1/questionnaires?limit=010&limit=7", "/v1/questionnaires?limit=10"),
            ("/v1/questionnaires?%6cimit=10&cursor=a%2fb", "/v1/questionnaires?limit=10&cursor=a%2Fb"),
            ("/v1/questionnaires?cursor=%zz", "/v1/questionnaires?cursor=%zz"),
            ("/v1/questionnaires/a?junk=1", "/v1/questionnaires/a"),
            ("/v1/questionnaires/media/a.png?1", "/v1/questionnaires/media/a.png"),
            ("/v1/?x", "/v1/"), ("/v1/tests?ids=a,b", "/v1/tests?ids=a,b"),
            ("/v1/questionnairesx?a", "/v1/questionnairesx?a"),
            ("/v1/questionnaires/media/a(1)+b.png?1", "/v1/questionnaires/media/a%281%29%2Bb.png"),
            ("/v1/questionnaires/a%3ab", "/v1/questionnaires/a%3Ab"),
            ("/v1/questionnaires/a:b", "/v1/questionnaires/a%3Ab"),
            ("/v1/tests/a:b", "/v1/tests/a:b"), ("/other/a:b", "/other/a:b"), ("/other/a%3Ab?x", "/other/a%3Ab?x"),
            ("/other?a=1", "/other?a=1"), ("/v1/changes?since=4", "/v1/changes?since=4"),
        ])
    func normalised(_ written: String, _ meant: String) { #expect(ProtocolQuery.normalised(written) == meant) }

    @Test("a thousand meaningless queries are one entry, and the server hears of one")
    func oneEntry() async throws {
        let origin = try RawOrigin.of("list")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)/school") { hub in
            let socket = try hub.connect()
            for number in 0..<1000 {
                try socket.send("GET /v1/questionnaires?junk=\(number) HTTP/1.1\r\nHost: hub\r\n\r\n")
                #expect(try socket.message()?.text == "list")
            }
            #expect(origin.requests.map(\.target) == ["/school/v1/questionnaires"])
        }
    }

    @Test("no junk drives out what the room needs: other paths, cursors, codings, ids that are not there")
    func evicting() async throws {
        let filler = String(repeating: "x", count: 20_000)
        let origin = try RawOrigin { request, socket in
            let isMissing = request.target.contains("missing")
            let body = request.target + filler
            try socket.send(
                "HTTP/1.1 \(isMissing ? 404 : 200) Said\r\nCache-Control: max-age=600\r\nVary: Accept-Encoding\r\n"
                    + (request.target.contains("chunked")
                        ? "Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
                        : "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"))
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", quotaBytes: 1 << 20) { hub in
            let needed = ["/v1/questionnaires"] + (1...5).map { "/v1/questionnaires/a\($0)" }
            for path in needed { _ = try hub.get(path, "Accept-Encoding: gzip") }
            let socket = try hub.connect()
            for number in 0..<150 {
                for path in [
                    "/junk\(number)", "/chunked\(number)", "/v1/questionnaires?cursor=\(number)",
                    "/v1/questionnaires/missing\(number)",
                ] {
                    try socket.send("GET \(path) HTTP/1.1\r\nHost: hub\r\nAccept-Encoding: x\(number)\r\n\r\n")
                    _ = try socket.message()
                }
                try socket.send(
                    "GET /v1/questionnaires/a1 HTTP/1.1\r\nHost: hub\r\nAccept-Encoding: y\(number)\r\n\r\n")
                _ = try socket.message()
            }
            origin.stop()
            for path in needed {
                let answer = try hub.get(path, "Accept-Encoding: gzip")
                #expect(answer.status == 200 && answer.text.hasPrefix(path), "\(path)")
            }
        }
    }

    @Test("where there is room, what passes by is kept; what the room needs takes its place")
    func passing() async throws {
        let filler = String(repeating: "x", count: 100_000)
        let origin = try RawOrigin { request, socket in
            let body = request.target + filler
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", quotaBytes: 1 << 20) { hub in
            for number in 0..<5 { _ = try hub.get("/page\(number)") }
            #expect(try hub.get("/page0")["cache-status"]?.contains("hit") == true)
            for number in 0..<8 { _ = try hub.get("/v1/questionnaires/a\(number)") }
            origin.stop()
            for number in 0..<8 { #expect(try hub.get("/v1/questionnaires/a\(number)").status == 200) }
        }
    }
}
