import Foundation
import Model
import Networking
import Simulation
import Testing

@testable import Hub

@Suite("Guessing codes at a hub")
struct KeyGuessTests {
    private static let (short, made) = ("ABCD2345", "ABCD2345EFGH6789")

    private static func request(_ code: String, _ path: String = "/v1/people") -> String {
        "GET \(path) HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer \(code)\r\n\r\n"
    }

    private static func status(_ code: String, _ hub: HubFixture, device: UInt8 = 1) throws -> Int {
        let socket = try RawSocket(port: hub.port, device: device)
        try socket.send(request(code))
        return try socket.message()?.status ?? 0
    }

    /// How many of so many wrong codes were compared, and how many were refused unseen.
    private static func flood(
        _ hub: HubFixture, _ path: String, from first: Int
    ) throws -> (compared: Int, refused: Int) {
        var (compared, refused) = (0, 0)
        for connection in 0..<5 {
            let socket = try hub.connect()
            for guess in 0..<50 {
                try socket.send(request("GUES\(100_000 + first + connection * 50 + guess)", path))
                let status = try socket.message()?.status
                if status == 429 { refused += 1 } else { compared += 1 }
            }
        }
        return (compared, refused)
    }

    @Test(
        "wrong codes are bounded with the server away and with it there, and the right person waits one second at most",
        arguments: [false, true])
    func bounded(_ isThere: Bool) async throws {
        let upstream = try CodeOrigin([Self.short: "s-1", Self.made: "s-2", "k_hub": ""])
        let clock = ManualClock()
        try await HubFixture.run(upstream.url, clock: clock, token: "k_hub") { hub in
            // The hub knows both from before.
            for code in [Self.short, Self.made] {
                // From another address: the first one has shown neither.
                let socket = try RawSocket(port: hub.port, device: 3)
                try socket.send(Self.request(code, "/_hub/drafts"))
                #expect(try socket.message()?.status == 200)
            }
            let list = hub.folder.appending("hub/people.json").string
            try wait(for: "the class list") { FileManager.default.fileExists(atPath: list) ? true : nil }
            if !isThere { upstream.stop() }
            let first = try Self.flood(hub, "/v1/people", from: 0)
            #expect(first.compared == GuessLimit.perMinute && first.refused == 250 - GuessLimit.perMinute)
            // Drafts, too.
            #expect(try Self.flood(hub, "/_hub/drafts", from: 1000).compared == 0)
            #expect(try Self.status(Self.made, hub) == 200)
            #expect(try Self.status(Self.short, hub, device: 2) == 200)
            #expect(try Self.status(Self.short, hub) == 429)
            clock.advance(by: .seconds(1))
            #expect(try Self.status(Self.short, hub) == 200)
            #expect(try Self.flood(hub, "/v1/people", from: 2000).compared == 1)
            // Who was here before stays.
            #expect(try Self.status(Self.short, hub) == 200)
        }
    }

    @Test("a log-in at the desk that the server refuses is a guess of its phone, and one that it takes is none")
    func logIn() async throws {
        let upstream = try RawOrigin { request, socket in
            let isRight = request.text == "key=right"
            let status = isRight ? "303 See Other\r\nLocation: /desk/" : "403 Forbidden"
            try socket.send("HTTP/1.1 \(status)\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n")
        }
        try await HubFixture.run("http://127.0.0.1:\(upstream.port)", clock: ManualClock()) {
            (hub: HubFixture) throws in
            func logIn(_ key: String, _ path: String = "/desk/login", device: UInt8 = 1) throws -> Int? {
                let (form, socket) = ("key=\(key)", try RawSocket(port: hub.port, device: device))
                try socket.send(
                    "POST \(path) HTTP/1.1\r\nHost: hub\r\nContent-Length: \(form.utf8.count)\r\n"
                        + "Content-Type: application/x-www-form-urlencoded\r\n\r\n\(form)")
                return try socket.message()?.status
            }
            for _ in 0..<80 { #expect(try logIn("right") == 303) }
            for guess in 0..<80 {
                let path = guess % 2 == 0 ? "/desk/login" : "/desk//%6Cogin?x"
                #expect(try logIn("wrong\(guess)", path) == (guess < GuessLimit.perMinute ? 403 : 429))
            }
            #expect(upstream.requests.filter { $0.text.contains("wrong") }.count == GuessLimit.perMinute)
            #expect(try Self.status("GUES0000", hub) == 429)
            #expect(try logIn("right") == 429)
            #expect(try logIn("wrong", device: 2) == 403)
        }
    }

    @Test("a revoked key that a device shows again and again counts once, and a right one not at all")
    func repeated() async throws {
        let upstream = try CodeOrigin([Self.made: "s-2"])
        try await HubFixture.run(upstream.url, clock: ManualClock()) { hub in
            for _ in 0..<100 {
                let (wrong, right) = (try Self.status("GUES0000", hub), try Self.status(Self.made, hub))
                #expect(wrong == 401 && right == 200)
            }
            #expect(try Self.flood(hub, "/v1/people", from: 0).compared == GuessLimit.perMinute - 1)
        }
    }
}
