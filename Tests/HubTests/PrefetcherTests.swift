import Foundation
import Model
import Simulation
import Synchronization
import Testing

@testable import Hub

@Suite("What is kept for times without the upstream")
struct PrefetcherTests {
    /// Waits for the pause before the next round: the last round ends a moment before it.
    private static func waitForPause(_ clock: ManualClock) throws {
        let pause = Duration.seconds(Prefetcher.pauseSeconds)
        try wait(for: "the pause") { clock.hasSleeper(for: pause) ? true : nil }
    }

    @Test("everything that the list names is there before anybody asked, and is confirmed before it goes stale")
    func all() async throws {
        let origin = try RawOrigin { request, socket in
            let list =
                #"{"questionnaires":[{"id":"a","url":"questionnaires/a","media":["questionnaires/media/a.png"]},{"id":"b","url":"questionnaires/b"}]}"#
            let body = request.target == "/v1/questionnaires" ? list : "content of \(request.target)"
            if request["if-none-match"] != nil {
                return try socket.send(
                    "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=3600\r\nETag: \"a\"\r\n\r\n")
            }
            try socket.send(
                "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nETag: \"a\"\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
        let clock = ManualClock()
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", clock: clock, keepsAll: true) {
            hub in
            try wait(for: "the first round") { hub.hub.prefetchState.lastRound }
            #expect(
                Set(origin.requests.map(\.target)) == [
                    "/v1/questionnaires", "/v1/questionnaires/a", "/v1/questionnaires/media/a.png",
                    "/v1/questionnaires/b",
                ])
            try wait(for: "the round to be counted") {
                hub.hub.prefetchState.urls == 4 && hub.hub.prefetchState.missing == 0 ? true : nil
            }
            let before = origin.requests.count
            // 55 minutes later each was confirmed once: it was still fresh, but not for long.
            for _ in 0..<11 {
                let last = hub.hub.prefetchState.lastRound
                try Self.waitForPause(clock)
                clock.advance(by: .seconds(300))
                try wait(for: "the next round") { hub.hub.prefetchState.lastRound != last ? true : nil }
            }
            #expect(origin.requests.dropFirst(before).allSatisfy { $0["if-none-match"] == "\"a\"" })
            #expect(origin.requests.count == before + 4)
            origin.stop()
            #expect(
                try hub.get("/v1/questionnaires/b", "Accept-Encoding: gzip").text == "content of /v1/questionnaires/b")
        }
    }

    @Test("an empty list removes nothing of what is kept: it gives its room to nothing that passes by")
    func emptyList() async throws {
        let isEmpty = Mutex(false)
        let content = String(repeating: "x", count: 20_000)
        let origin = try RawOrigin { request, socket in
            let items = ["a", "b", "c", "d"].map { #"{"id":"\#($0)","url":"questionnaires/\#($0)"}"# }
            let listed = isEmpty.withLock { $0 } ? "" : items.joined(separator: ",")
            let body =
                request.target == "/v1/questionnaires"
                ? #"{"questionnaires":[\#(listed)]}"# : request.target + content
            let isGone = isEmpty.withLock { $0 } && request.target.hasPrefix("/v1/questionnaires/")
            let age = request.target == "/v1/questionnaires" ? 60 : 86_400
            try socket.send(
                "HTTP/1.1 \(isGone ? "404 Not Found" : "200 OK")\r\nCache-Control: max-age=\(age)\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        let clock = ManualClock()
        try await HubFixture.run(
            "http://127.0.0.1:\(origin.port)", clock: clock, quotaBytes: 600_000, keepsAll: true
        ) { hub in
            try wait(for: "the first round") { hub.hub.prefetchState.lastRound }
            isEmpty.withLock { $0 = true }
            let last = hub.hub.prefetchState.lastRound
            try Self.waitForPause(clock)
            clock.advance(by: .seconds(300))
            try wait(for: "the next round") { hub.hub.prefetchState.lastRound != last ? true : nil }
            #expect(try hub.get("/v1/questionnaires").text == #"{"questionnaires":[]}"#)
            for number in 0..<60 { _ = try hub.get("/passing-\(number)") }
            origin.stop()
            for id in ["a", "b", "c", "d"] {
                #expect(
                    try hub.get("/v1/questionnaires/\(id)", "Accept-Encoding: gzip").text
                        .hasPrefix("/v1/questionnaires/\(id)"))
            }
        }
    }

    @Test("a pattern with a star stands for any text")
    func patterns() {
        for (path, pattern) in [
            ("/a/b.mp4", "/a/*.mp4"), ("/a", "/*"), ("/a", "/a"), ("/x/y/z", "/x*z"), ("/aXbXc", "/a*b*c"),
        ] {
            #expect(Prefetcher.matches(path, pattern), "\(path) \(pattern)")
        }
        for (path, pattern) in [("/a/b.mp3", "/a/*.mp4"), ("/b", "/a"), ("/ab", "/a"), ("/abc", "/abc*c")] {
            #expect(!Prefetcher.matches(path, pattern), "\(path) \(pattern)")
        }
    }
}

@Suite("The hub's own pages")
struct StatusTests {
    @Test("the status is a page for people and JSON for programs; the metrics are Prometheus's")
    func pages() async throws {
        let origin = try RawOrigin.of("ok")
        try await HubFixture.run("http://127.0.0.1:\(origin.port)", quotaBytes: 1 << 20) { hub in
            _ = try hub.get("/d")
            _ = try hub.get("/d")
            let counted = "\nquire_hub_hits_total 1\n"
            try wait(for: "the hit to be counted") { try hub.get("/_hub/metrics").text.contains(counted) ? true : nil }
            let status = try hub.get("/_hub/status")
            #expect(status["content-type"] == "application/json" && status["cache-control"] == "no-store")
            let value = try DocumentCoding.decode(JSONValue.self, from: status.body)
            guard case .object(let members) = value, case .object(let cache) = members["cache"],
                case .object(let way) = members["upstream"], case .object(let storage) = members["storage"]
            else { throw Unexpected("the status has other members") }
            #expect(cache["hits"] == .integer(1) && cache["misses"] == .integer(1))
            #expect(way["isReachable"] == .bool(true) && storage["quotaBytes"] == .integer(1 << 20))
            let page = try hub.get("/_hub/status", "Accept: text/html,*/*", "Accept-Language: ru-RU,ru;q=0.9,en;q=0.8")
            #expect(page["content-type"] == "text/html; charset=utf-8" && page.text.contains("Узел Quire"))
            #expect(try hub.get("/_hub/status", "Accept: text/html").text.contains("Quire hub"))
            let metrics = try hub.get("/_hub/metrics").text
            #expect(metrics.contains(counted) && metrics.contains("\nquire_hub_upstream_up 1\n"))
            #expect(try hub.get("/_hub/other").status == 404)
            #expect(try hub.exchange("DELETE /_hub/status HTTP/1.1\r\nHost: a\r\n\r\n").status == 405)
            #expect(origin.requests.count == 1)
        }
    }

    @Test("what comes from elsewhere is text on the page")
    func escaping() {
        #expect(StatusText.escaped("<a href='x'>&\"\n") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\n")
    }
}
