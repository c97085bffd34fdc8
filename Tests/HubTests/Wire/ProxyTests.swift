import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Hub

/// RFC 9110 and 9112 from both sides: a raw client, the hub, a raw origin.
@Suite("What passes through the hub")
struct ProxyTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("methods, paths, queries and bodies arrive as they were sent, under the upstream's own name")
    func plain() async throws {
        let origin = try RawOrigin { _, socket in try socket.send(Self.ok) }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)/school/") { hub in
            for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "REPORT"] {
                let body = method == "GET" ? "" : "a=1"
                let response = try hub.exchange(
                    "\(method) /x/%C3%A9?q=%20 HTTP/1.1\r\nHost: hub:1\r\nX-Own: é\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
                )
                #expect(response.status == 200 && response.text == "ok")
                let seen = try #require(origin.requests.last)
                #expect(seen.startLine == "\(method) /school/x/%C3%A9?q=%20 HTTP/1.1")
                #expect(seen["host"] == "127.0.0.1:\(origin.port)")
                #expect(seen["x-own"] == "é" && seen.text == body)
                #expect(seen["via"]?.hasPrefix("1.1 quire-hub-") == true)
            }
            // RFC 9110 sections 6.6.1 and 7.6.3.
            let response = try hub.get("/x")
            #expect(response["date"] != nil && response["via"] != nil)
            #expect(try hub.get("/../x").status == 400 && hub.get("/%2e%2E/x").status == 400)
        }
    }

    @Test("chunked bodies with trailers pass both ways; HTTP/1.0 gets the same by the connection's end")
    func chunked() async throws {
        let origin = try RawOrigin { request, socket in
            try socket.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nCache-Control: no-store\r\n\r\n")
            try socket.send("5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 11\r\nContent-Length: 3\r\n\r\n")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let response = try hub.exchange(
                "POST /c HTTP/1.1\r\nHost: hub\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x\r\nd\r\n0\r\nX-T: 1\r\n\r\n"
            )
            #expect(response.text == "hello world")
            // RFC 9110 section 6.5.1: framing does not belong in trailers.
            #expect(response.trailers == ["X-Sum: 11"])
            let seen = try #require(origin.requests.last)
            #expect(seen.text == "abcd" && seen.trailers == ["X-T: 1"])
            let old = try hub.exchange("GET /c HTTP/1.0\r\n\r\n")
            #expect(old.text == "hello world" && old["transfer-encoding"] == nil && old["connection"] == "close")
        }
    }

    @Test("HEAD, 204 and 304 have no body, and the connection goes on after them")
    func bodiless() async throws {
        let origin = try RawOrigin { request, socket in
            switch request.target {
            case "/204": try socket.send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")
            case "/304": try socket.send("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n")
            default: try socket.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nCache-Control: no-store\r\n\r\n")
            }
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            try socket.send("HEAD /h HTTP/1.1\r\nHost: hub\r\n\r\n")
            let head = try #require(try socket.message(hasNoBody: true))
            #expect(head.status == 200 && head["content-length"] == "1000")
            try socket.send("GET /204 HTTP/1.1\r\nHost: hub\r\n\r\n")
            let empty = try #require(try socket.message())
            #expect(empty.status == 204 && empty["content-length"] == nil && empty["transfer-encoding"] == nil)
            try socket.send("GET /304 HTTP/1.1\r\nHost: hub\r\nIf-None-Match: \"a\"\r\n\r\n")
            #expect(try socket.message()?.status == 304)
            #expect(origin.requests.count == 3)
        }
    }

    @Test("pipelined requests are answered in order on one connection")
    func pipelining() async throws {
        let origin = try RawOrigin { request, socket in
            let body = request.target
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            try socket.send((1...20).map { "GET /\($0) HTTP/1.1\r\nHost: hub\r\n\r\n" }.joined())
            for number in 1...20 { #expect(try socket.message()?.text == "/\(number)") }
            try socket.send("GET /last HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n")
            let last = try #require(try socket.message())
            #expect(last.text == "/last" && last["connection"] == "close")
            #expect(try socket.readToEnd() == "")
        }
    }

    @Test("fields for one connection alone go no further, in either direction (RFC 9110 section 7.6.1)")
    func hopByHop() async throws {
        let origin = try RawOrigin { _, socket in
            try socket.send(
                "HTTP/1.1 200 OK\r\nConnection: X-Secret, keep-alive\r\nX-Secret: 1\r\nKeep-Alive: timeout=5\r\n"
                    + "Proxy-Authenticate: Basic\r\nX-Open: 2\r\nContent-Length: 2\r\n\r\nok")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let response = try hub.get(
                "/", "Connection: X-Mine, Upgrade, cache-control", "X-Mine: 1", "Upgrade: websocket", "TE: trailers",
                "Proxy-Authorization: x", "Keep-Alive: 1", "X-Yours: 2", "Cache-Control: no-cache")
            #expect(response["x-secret"] == nil && response["keep-alive"] == nil && response["x-open"] == "2")
            #expect(response["proxy-authenticate"] == nil)
            let seen = try #require(origin.requests.last)
            for name in ["x-mine", "upgrade", "te", "proxy-authorization", "keep-alive", "connection"] {
                #expect(seen[name] == nil, "\(name)")
            }
            #expect(seen["x-yours"] == "2" && seen["cache-control"] == "no-cache")
        }
    }

    @Test(
        "interim responses are passed on, and Expect: 100-continue is the origin's to answer (RFC 9110 section 10.1.1)")
    func interim() async throws {
        let origin = try RawOrigin { request, socket in
            if request["expect"] != nil {
                try socket.send("HTTP/1.1 100 Continue\r\n\r\n")
                let body = try socket.read(count: 4) ?? []
                try socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                try socket.send(body)
            } else {
                try socket.send("HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
                try socket.send(Self.ok)
            }
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            try socket.send("GET /i HTTP/1.1\r\nHost: hub\r\n\r\n")
            #expect(try socket.message()?.status == 102)
            let hints = try #require(try socket.message())
            #expect(hints.status == 103 && hints["link"] == "</a>")
            #expect(try socket.message()?.text == "ok")
            try socket.send("POST /e HTTP/1.1\r\nHost: hub\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
            #expect(try socket.message()?.status == 100)
            try socket.send("body")
            #expect(try socket.message()?.text == "body")
            // HTTP/1.0 knows no interim responses (RFC 9110 section 15.2).
            #expect(try hub.exchange("GET /j HTTP/1.0\r\n\r\n").status == 200)
            #expect(try hub.exchange("GET /k HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n").status == 417)
        }
    }

    @Test("a refused expectation costs the client no body")
    func refusedExpectation() async throws {
        let origin = try RawOrigin { _, socket in
            try socket.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            try socket.send("POST /e HTTP/1.1\r\nHost: hub\r\nContent-Length: 900000\r\nExpect: 100-continue\r\n\r\n")
            let answer = try #require(try socket.message())
            #expect(answer.status == 413 && answer["connection"] == "close")
        }
    }

    @Test("a response that breaks off breaks off for the client, too")
    func shortened() async throws {
        let origin = try RawOrigin { request, socket in
            let chunked = request.target == "/chunked"
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n"
                    + (chunked
                        ? "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n" : "Content-Length: 100\r\n\r\nhello"))
            shutdown(socket.descriptor, Int32(SHUT_RDWR))
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for path in ["/length", "/chunked"] {
                let socket = try hub.connect()
                try socket.send("GET \(path) HTTP/1.1\r\nHost: hub\r\n\r\n")
                let all = try socket.readToEnd()
                #expect(all.hasPrefix("HTTP/1.1 200") && all.contains("hello") && !all.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test("a connection that the upstream has closed meanwhile is replaced; what it never answered is not sent twice")
    func stale() async throws {
        let isShut = Mutex(false)
        let origin = try RawOrigin { request, socket in
            if request.target == "/cut" { return shutdownNow(socket) }
            try socket.send("HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 2\r\n\r\nok")
            // Says nothing of closing, and closes.
            if isShut.withLock({ $0 }) { shutdownNow(socket) }
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            isShut.withLock { $0 = true }
            for _ in 0..<20 { #expect(try hub.get("/a").status == 200) }
            isShut.withLock { $0 = false }
            #expect(try hub.get("/a").status == 200)
            let before = origin.requests.count
            let answer = try hub.exchange("POST /cut HTTP/1.1\r\nHost: hub\r\nContent-Length: 1\r\n\r\nx")
            #expect(answer.status == 504 && answer["content-type"] == "application/problem+json")
            #expect(origin.requests.count == before + 1)
        }
    }

    @Test("an upstream that is not there is reported at once, a silent one in time; both as problem documents")
    func away() async throws {
        let origin = try RawOrigin { _, socket in _ = try socket.readToEnd() }
        try await HubFixture.run(
            "http://127.0.0.1:\(origin.port)", upstreamTimes: .init(connect: .seconds(5), silence: .seconds(2))
        ) { hub in
            let silent = try hub.get("/")
            #expect(silent.status == 504 && silent["content-type"] == "application/problem+json")
            origin.stop()
            let away = try hub.get("/")
            #expect(away.status == 504 && away["content-type"] == "application/problem+json")
            #expect(away["cache-status"]?.hasPrefix("quire-hub") == true)
            try origin.start()
            origin.answer { _, socket in try socket.send(Self.ok) }
            // On a busy machine an answer may take longer than the silence that is borne here.
            try wait(for: "the upstream that is back") { try hub.get("/").text == "ok" ? true : nil }
        }
    }

    @Test("who sends too slowly is not waited for")
    func slowClients() async throws {
        let origin = try RawOrigin.of("ok")
        var times = HubTimes.patient
        times.head = .milliseconds(300)
        times.client = .milliseconds(300)
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", times: times) { hub in
            let slow = try hub.connect()
            try slow.send("GET / HTTP/1.1\r\nHos")
            #expect(try slow.message()?.status == 408)
            let stuck = try hub.connect()
            try stuck.send("POST / HTTP/1.1\r\nHost: hub\r\nContent-Length: 10\r\n\r\nabc")
            let answer = try stuck.readToEnd()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"))
        }
        times = HubTimes.patient
        times.idle = .milliseconds(300)
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", times: times) { hub in
            let idle = try hub.connect()
            #expect(try idle.readToEnd() == "")
        }
    }

    @Test("a request that has come through this hub before is refused (RFC 9110 section 7.6.3)")
    func loops() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let again = try hub.get("/", "Via: 1.1 a, 1.1 \(Upstream.viaName)")
            #expect(again.status == 508)
            let others = try hub.get("/", "Via: 1.1 a, 1.1 quire-hub-other")
            #expect(others.status == 200)
        }
    }
}

/// Ends a connection without a word.
private func shutdownNow(_ socket: RawSocket) { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
