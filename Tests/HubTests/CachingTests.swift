import Foundation
import Simulation
import Synchronization
import Testing

@testable import Hub

@Suite("The cache behind the port")
struct CachingTests {
    @Test("a document is fetched once, says how it was come by, and outlives its origin")
    func offline() async throws {
        let origin = try RawOrigin.of("document", cacheControl: "max-age=60", more: "ETag: \"a\"\r\n")
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            #expect(try hub.get("/d")["cache-status"]?.contains("fwd=uri-miss") == true)
            let hit = try hub.get("/d")
            #expect(hit.text == "document" && hit["cache-status"]?.contains("hit") == true && hit["age"] != nil)
            #expect(origin.requests.count == 1)
            #expect(try hub.get("/d", "If-None-Match: \"a\"").status == 304)
            #expect(try hub.get("/d", "Range: bytes=2-4").text == "cum")
            #expect(try hub.exchange("HEAD /d HTTP/1.1\r\nHost: a\r\n\r\n", hasNoBody: true)["content-length"] == "8")
            #expect(origin.requests.count == 1)
            origin.stop()
            clock.advance(by: .seconds(86_400))
            let stale = try hub.get("/d")
            #expect(stale.status == 200 && stale.text == "document" && stale["age"] == "86400")
            #expect(stale["warning"] == nil)
            #expect(try hub.get("/other").status == 504)
        }
    }

    @Test("questions for what may be cached go over kept connections")
    func keptConnections() async throws {
        let origin = try RawOrigin.of("text")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let socket = try hub.connect()
            for number in 0..<60 {
                try socket.send("GET /r\(number) HTTP/1.1\r\nHost: hub\r\n\r\n")
                #expect(try socket.message()?.text == "text")
            }
            #expect(origin.requests.count == 60)
            // A reply may reach the client a moment before its connection is kept.
            #expect(origin.acceptedCount < 15)
        }
    }

    @Test("with the origin away, must-revalidate is not served stale: a problem document says so")
    func mustRevalidate() async throws {
        let origin = try RawOrigin.of("strict", cacheControl: "max-age=60, must-revalidate", more: "ETag: \"a\"\r\n")
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            #expect(try hub.get("/d").text == "strict")
            origin.stop()
            #expect(try hub.get("/d").text == "strict")
            clock.advance(by: .seconds(61))
            let refused = try hub.get("/d")
            #expect(refused.status == 504 && refused["content-type"] == "application/problem+json")
        }
    }

    @Test("200 clients ask at once for one cold document: the origin sees one request")
    func together() async throws {
        let asked = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let origin = try RawOrigin { _, socket in
            try socket.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 10\r\n\r\nfirst")
            asked.signal()
            _ = release.wait(timeout: .now() + 60)
            try socket.send("/last")
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            let clients = try (0..<200).map { _ in try hub.connect() }
            for client in clients { try client.send("GET /cold HTTP/1.1\r\nHost: hub\r\n\r\n") }
            #expect(asked.wait(timeout: .now() + 60) == .success)
            // Each has the beginning before the end is there.
            for client in clients {
                let head = try #require(try client.read(through: "\r\n\r\n"))
                #expect(head.hasPrefix("HTTP/1.1 200"))
                #expect(try client.read(count: 5) == Array("first".utf8))
            }
            release.signal()
            for client in clients { #expect(try client.read(count: 5) == Array("/last".utf8)) }
            #expect(origin.requests.count == 1)
        }
    }

    @Test("a client that leaves half way neither stops nor spoils what is being kept")
    func leaving() async throws {
        let body = String(repeating: "0123456789", count: 100_000)
        let release = DispatchSemaphore(value: 0)
        let origin = try RawOrigin { _, socket in
            try socket.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: \(body.count)\r\n\r\n")
            try socket.send(String(body.prefix(300_000)))
            _ = release.wait(timeout: .now() + 60)
            try socket.send(String(body.dropFirst(300_000)))
        }
        try await HubFixture.run("http://127.0.0.1:\(origin.port)") { hub in
            var leaver: RawSocket? = try hub.connect()
            try leaver?.send("GET /film HTTP/1.1\r\nHost: hub\r\n\r\n")
            _ = try leaver?.read(through: "\r\n\r\n")
            _ = try leaver?.read(count: 1000)
            leaver = nil
            release.signal()
            let whole = try hub.get("/film")
            #expect(whole.text == body && origin.requests.count == 1)
        }
    }

    @Test("stale while revalidating: no client waits, and the origin is asked once")
    func staleWhileRevalidate() async throws {
        let origin = try RawOrigin.of("old", cacheControl: "max-age=10, stale-while-revalidate=600")
        let release = DispatchSemaphore(value: 0)
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            #expect(try hub.get("/s").text == "old")
            origin.answer { _, socket in
                _ = release.wait(timeout: .now() + 60)
                try socket.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=10\r\nContent-Length: 3\r\n\r\nnew")
            }
            clock.advance(by: .seconds(60))
            for _ in 0..<20 { #expect(try hub.get("/s").text == "old") }
            try wait(for: "the question in the background") { origin.requests.count == 2 ? true : nil }
            release.signal()
            try wait(for: "the new one") { try hub.get("/s").text == "new" ? true : nil }
            #expect(origin.requests.count == 2)
        }
    }

    @Test("what is asked again word for word is answered at once, until its second is over or something is changed")
    func repeated() async throws {
        let number = Counter()
        let origin = try RawOrigin { request, socket in
            let count = number.next()
            let body = "content \(count) for \(request["accept-language"] ?? "all")"
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nVary: Accept-Language\r\nETag: \"\(body)\"\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(request.method == "HEAD" ? "" : body)")
        }
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            let socket = try hub.connect()
            func ask(_ method: String = "GET", _ fields: String = "") throws -> RawMessage {
                try socket.send("\(method) /d HTTP/1.1\r\nHost: hub\r\n\(fields)\r\n")
                return try #require(try socket.message(hasNoBody: method == "HEAD"))
            }
            for language in ["en", "ru"] { _ = try ask("GET", "Accept-Language: \(language)\r\n") }
            for _ in 0..<3 {
                // In turns, so that each is another one than the last.
                #expect(try ask("GET", "Accept-Language: en\r\n").text == "content 1 for en")
                #expect(try ask("GET", "Accept-Language: ru\r\n").text == "content 2 for ru")
                let head = try ask("HEAD", "Accept-Language: en\r\n")
                #expect(head["content-length"] == "16" && head["age"] == "0")
                #expect(try ask("GET", "Accept-Language: ru\r\nRange: bytes=0-6\r\n").text == "content")
            }
            #expect(origin.requests.count == 2)
            clock.advance(by: .seconds(1))
            for _ in 0..<2 { #expect(try ask("GET", "Accept-Language: en\r\n")["age"] == "1") }
            // Many at once, in their order.
            let en = "GET /d HTTP/1.1\r\nHost: hub\r\nAccept-Language: en\r\n\r\n"
            try socket.send(
                String(repeating: en, count: 500) + en.replacing("en", with: "ru") + "GET /new HTTP/1.1\r\n")
            try socket.send("Host: hub\r\n\r\n" + en)
            for _ in 0..<500 { #expect(try socket.message()?.text == "content 1 for en") }
            #expect(try socket.message()?.text == "content 2 for ru" && socket.message()?.text == "content 3 for all")
            #expect(try socket.message()?.text == "content 1 for en")
            try wait(for: "the hits to be counted") { try hub.status("hits") == 12 + 2 + 502 ? true : nil }
            // A change is seen by the next request, in the same second.
            _ = try ask("PUT", "Content-Length: 0\r\n")
            #expect(try ask("GET", "Accept-Language: en\r\n").text == "content 5 for en")
            #expect(try ask("GET", "Accept-Language: en\r\n").text == "content 5 for en")
        }
    }

    @Test("what newer versions took the place of is removed, without a quota too")
    func replaced() async throws {
        let number = Counter()
        let origin = try RawOrigin { _, socket in
            let body = "version \(number.next())"
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock) { hub in
            /// `nil` where one goes while they are counted.
            func blobs() -> Int? {
                try? FileManager.default.subpathsOfDirectory(atPath: hub.folder.string + "/cache/blobs").count {
                    $0.contains("/")
                }
            }
            for _ in 0..<5 {
                _ = try hub.get("/d")
                clock.advance(by: .seconds(2))
            }
            try wait(for: "the next looks") {
                clock.advance(by: .seconds(60))
                return blobs() == 1 ? true : nil
            }
            #expect(try hub.get("/d").text == "version 6")
        }
    }
}

/// 1, 2, 3 …
private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
        value.withLock { value in
            value += 1
            return value
        }
    }
}
