import Testing

@testable import Hub

/// What one reader could take for one message and another for two, or what is beyond the bounds, never gets through
/// (RFC 9112 sections 2.2, 3, 5, 6, 7, 11.2).
@Suite("What the hub refuses")
struct StrictnessTests {
    static let refused: [(why: String, request: String, status: Int)] = [
        (
            "both framings",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        ("two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", 400),
        ("one length twice", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 400),
        ("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5, 5\r\n\r\nhello", 400),
        ("a signed length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello", 400),
        ("a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nhello", 400),
        ("a length with a space", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1 5\r\n\r\nhello", 400),
        ("a length that overflows", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("an empty length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400),
        ("a hexadecimal length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0x5\r\n\r\nhello", 400),
        ("another coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("a coding after chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 501),
        ("a coding that only looks so", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n", 501),
        (
            "two codings",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400
        ),
        ("a coding in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("a folded field", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400),
        ("a fold after the request line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
        ("a space before the colon", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello", 400),
        ("a tab before the colon", "GET / HTTP/1.1\r\nHost: a\r\nX\t: 5\r\n\r\n", 400),
        ("no name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400),
        ("no colon", "GET / HTTP/1.1\r\nHost: a\r\nabc\r\n\r\n", 400),
        ("a name with a brace", "GET / HTTP/1.1\r\nHost: a\r\nX{}: b\r\n\r\n", 400),
        ("a bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
        ("a bare LF in the fields", "GET / HTTP/1.1\r\nHost: a\r\nX: b\nY: c\r\n\r\n", 400),
        ("bare LFs alone", "GET / HTTP/1.1\nHost: a\n\n", 400),
        ("a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n", 400),
        ("a NUL in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n", 400),
        ("a control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\u{1}c\r\n\r\n", 400),
        ("a method that is no word", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a control character in the target", "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("letters beyond ASCII in the target", "GET /é HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a fragment", "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("no version", "GET /\r\nHost: a\r\n\r\n", 400),
        ("another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        ("a version that is none", "GET / HTTPS/1.1\r\nHost: a\r\n\r\n", 400),
        ("no Host", "GET / HTTP/1.1\r\n\r\n", 400),
        ("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        ("a Host with a user", "GET / HTTP/1.1\r\nHost: b@a\r\n\r\n", 400),
        ("another server's URL", "GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n", 421),
        ("another scheme", "GET ftp://localhost/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("a tunnel", "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n", 405),
        ("an asterisk for another method", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\r\n\r\n", 400),
        ("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ]

    static let refusedChunks = [
        "x\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n",
        "-1\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\nhello\r\n", "5\nhello\r\n0\r\n\r\n",
        "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "\r\n5\r\nhello\r\n0\r\n\r\n",
        "5;a=\u{1}\r\nhello\r\n0\r\n\r\n", "5;\(String(repeating: "a", count: 300))\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\n0\r\nA b: c\r\n\r\n", "5\r\nhello\r\n0\r\nA: b\n\r\n",
    ]

    @Test("a request that two readers could read in two ways ends the connection, and the origin never hears of it")
    func requests() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for (why, request, status) in Self.refused {
                let socket = try hub.connect()
                // What is smuggled behind it is not heard either.
                try socket.send(request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try socket.message()
                #expect(answer?.status == status, "\(why): \(answer?.startLine ?? "nothing")")
                #expect(
                    answer?["content-type"] == "application/problem+json" && answer?["connection"] == "close", "\(why)")
                #expect(answer?.status != 405 || answer?["allow"]?.contains("GET") == true, "\(why)")
                #expect(try socket.readToEnd() == "", "\(why)")
            }
            #expect(origin.requests.isEmpty)
        }
    }

    @Test("a chunked body with a fault in it is no body: what comes behind is not taken for a request")
    func chunks() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for chunks in Self.refusedChunks {
                let socket = try hub.connect()
                try socket.send("POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
                try socket.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
                let all = try socket.readToEnd()
                #expect(
                    all.hasPrefix("HTTP/1.1 4") && !all.contains("ok"), "\(chunks.debugDescription): \(all.prefix(60))")
            }
            // Half a body may have been on its way to the origin: it was cut off, and no other request followed it.
            #expect(!origin.requests.contains { $0.target == "/smuggled" })
        }
    }

    @Test("heads are bounded")
    func bounds() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let long = String(repeating: "a", count: 40_000)
            let target = try hub.get("/\(long)")
            #expect(target.status == 414)
            #expect(try hub.get("/", "X: \(long)").status == 431)
            let many = (0..<300).map { "X-\($0): 1\r\n" }.joined()
            #expect(try hub.exchange("GET / HTTP/1.1\r\nHost: a\r\n\(many)\r\n").status == 431)
            #expect(try hub.get("/\(long.prefix(8000))").status == 200)
        }
    }

    @Test("what is odd and clear is taken: empty lines before a request, its own name in the absolute form")
    func allowed() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let first = try hub.exchange("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(first.status == 200)
            #expect(
                try hub.exchange("GET http://127.0.0.1:\(hub.port)/u HTTP/1.1\r\nHost: other\r\n\r\n").status == 200)
            #expect(try hub.exchange("GET http://127.0.0.1:\(origin.port)?q HTTP/1.1\r\nHost: o\r\n\r\n").status == 200)
            #expect(origin.requests.map(\.target) == ["/", "/u", "/?q"])
            #expect(try hub.exchange("GET /v HTTP/1.1\r\nHost:\r\n\r\n").status == 200)
            #expect(try hub.exchange("GET /w HTTP/1.7\r\nHost: [::1]:80\r\n\r\n").status == 200)
        }
    }
}
