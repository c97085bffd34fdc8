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

    @Test("stale while revalidating: nobody waits, and the origin is asked once")
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
}
