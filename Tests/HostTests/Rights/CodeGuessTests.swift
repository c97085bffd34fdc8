import Foundation
import Model
import Networking
import Testing
import WireFormat

@testable import Host

@Suite("Guessing the codes of a class, from many connections at once")
struct CodeGuessTests {
    private static let connections = 50
    private static let guesses = 200

    private func request(_ code: String, isLast: Bool) -> String {
        "GET /v1/access/self HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(code)\r\n"
            + (isLast ? "Connection: close\r\n\r\n" : "\r\n")
    }

    /// The status of one request from an address of this machine.
    private func status(_ code: String, from source: String = "127.0.0.1", _ port: Int) async throws -> Int? {
        let connection = try RawConnection(port: port, from: source)
        connection.send(request(code, isLast: true))
        return Int(try await connection.received().dropFirst(9).prefix(3))
    }

    /// How many of the wrong codes were compared, and how many were refused unseen.
    private func flood(_ port: Int) async throws -> (compared: Int, refused: Int) {
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<Self.connections {
                group.addTask {
                    let connection = try RawConnection(port: port)
                    for guess in 0..<Self.guesses {
                        let code = "GUES" + String(100_000 + number * Self.guesses + guess)
                        connection.send(request(code, isLast: guess == Self.guesses - 1))
                    }
                    return try await connection.received()
                }
            }
            var (compared, refused) = (0, 0)
            for try await text in group {
                compared += text.components(separatedBy: "HTTP/1.1 401").count - 1
                refused += text.components(separatedBy: "HTTP/1.1 429").count - 1
            }
            return (compared, refused)
        }
    }

    @Test(
        "10 000 wrong codes from 50 connections are bounded, and the right person waits one second after them at most")
    func bounded() async throws {
        let fixture = try HostFixture()
        let keys = try KeyStore(making: fixture.data, clock: fixture.clock)
        let short = try #require(PersonalCode("ABCD2345"))
        let made = PersonalCode.make()
        _ = try keys.add(short, of: "s-1")
        _ = try keys.add(made, of: "s-2")
        // Later than the keys' files, whose time then shows each change: they are not read for each request.
        fixture.clock.advance(by: .seconds(400 * 86_400))
        let clock = fixture.clock
        try await fixture.run { port in
            let first = try await flood(port)
            #expect(first.compared == GuessLimit.perMinute)
            #expect(first.compared + first.refused == Self.connections * Self.guesses)
            // A code that cannot be guessed, and another address, are not shut out; a short one looks like a wrong one.
            #expect(try await status(made.text, port) == 200)
            #expect(try await status(short.text, from: "127.0.0.2", port) == 200)
            #expect(try await status(short.text, port) == 429)
            clock.advance(by: .seconds(1))
            #expect(try await status(short.text, port) == 200)
            // Who was here before stays.
            #expect(try await flood(port).refused >= Self.connections * Self.guesses - 1)
            #expect(try await status(short.text, port) == 200)
        }
    }
}
