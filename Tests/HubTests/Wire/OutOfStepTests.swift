import Foundation
import Testing

@testable import Hub

/// RFC 9112 section 9.2: what comes over a connection without an outstanding request is no response, and ends the connection.
@Suite("Bytes that no request asked for")
struct OutOfStepTests {
    private static func answer(_ body: String, _ fields: String = "Cache-Control: no-store\r\n") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// What a server sends too much, and for which request.
    static let surplus: [(name: String, target: String, what: String)] = [
        ("another response", "/odd", answer("another one's")),
        ("half a response", "/odd", "HTTP/1.1 200 OK\r\nContent-Le"),
        ("a byte", "/odd", "x"),
        ("an empty line", "/odd", "\r\n"),
        ("a word to go on", "/odd", "HTTP/1.1 100 Continue\r\n\r\n"),
    ]

    @Test("what a server sends late on a kept connection is no answer", arguments: [false, true])
    func late(isAtOnce: Bool) async throws {
        let (kept, sent) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for (name, target, what) in Self.surplus {
            let origin = try RawOrigin { request, socket in
                let answer = Self.answer("for \(request["authorization"] ?? "no one")")
                guard request.target == target else { return try socket.send(answer) }
                if isAtOnce { return try socket.send(answer + what) }
                try socket.send(answer)
                // The hub has the answer, and has kept the connection.
                _ = kept.wait(timeout: .now() + 60)
                try socket.send(what)
                sent.signal()
            }
            try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
                let first = try hub.get(target)
                #expect(first.text == "for no one", "\(name)")
                if !isAtOnce {
                    kept.signal()
                    _ = sent.wait(timeout: .now() + 60)
                }
                for person in ["ann", "bob", "cid", "dan"] {
                    let own = try hub.get("/mine", "Authorization: \(person)")
                    #expect(own.text == "for \(person)", "\(name)")
                }
            }
        }
    }

    @Test("a server that sends each answer twice confuses no client, however fast the requests follow")
    func twice() async throws {
        let origin = try RawOrigin { request, socket in
            let answer = Self.answer("for \(request.target)")
            try socket.send(answer + answer)
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            for number in 0..<200 {
                try socket.send("GET /\(number) HTTP/1.1\r\nHost: hub\r\n\r\n")
                #expect(try socket.message()?.text == "for /\(number)")
            }
        }
    }

    @Test("content behind the answer to HEAD, or behind 304 and 204, is no answer")
    func bodies() async throws {
        let origin = try RawOrigin { request, socket in
            let status = request.target.dropFirst()
            guard status != "next" else { return try socket.send(Self.answer("next")) }
            try socket.send(
                "HTTP/1.1 \(status) Said\r\nCache-Control: no-store\r\nContent-Length: 70\r\n\r\n"
                    + Self.answer("smuggled"))
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            for (method, status) in [("HEAD", "200"), ("GET", "304"), ("GET", "204")] {
                let request = "\(method) /\(status) HTTP/1.1\r\nHost: hub\r\nIf-None-Match: \"x\"\r\n\r\n"
                let answer = try hub.exchange(request, hasNoBody: true)
                #expect(answer.status == Int(status))
                let next = try hub.get("/next")
                #expect(next.text == "next")
            }
        }
    }
}
