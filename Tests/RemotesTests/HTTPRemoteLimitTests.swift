import Disk
import HTTPTypes
import Sync
import Testing

@testable import Remotes

/// However a server trickles: an exchange comes to an end.
@Suite("How long a server is waited for")
struct HTTPRemoteLimitTests {
    private static let piece = [UInt8](repeating: 0x78, count: 1024)

    /// A remote that is shut down, and a server that is there, until the end.
    private func with(
        _ server: TricklingServer, _ limits: HTTPRemote.Limits, _ body: (HTTPRemote) async throws -> Void
    ) async throws {
        let remote = try HTTPRemote(
            base: "http://127.0.0.1:\(server.port)", token: nil, clock: SystemClock(), limits: limits)
        do {
            try await body(remote)
        } catch {
            await remote.shutdown()
            throw error
        }
        await remote.shutdown()
        withExtendedLifetime(server) {}
    }

    private func limits(pace: Double) -> HTTPRemote.Limits {
        var limits = HTTPRemote.Limits()
        limits.connect = .seconds(60)
        limits.silence = .seconds(600)
        limits.exchange = .milliseconds(50)
        limits.slowestBytesPerSecond = pace
        return limits
    }

    @Test("one that sends steadily and without an end is given up when the time of an exchange is over")
    func exchange() async throws {
        let server = try TricklingServer(piece: Self.piece, count: 1 << 19, pauseMicroseconds: 1000)
        try await with(server, limits(pace: 1)) { remote in
            let failure = await #expect(throws: RemoteFailure.self) {
                try await remote.get(remote.listURL, fields: HTTPFields(), maximumBytes: 1 << 30)
            }
            #expect(failure?.kind == .interrupted && failure?.reason == "127.0.0.1:\(server.port) sends too slowly")
        }
    }

    @Test("a long file may take longer than other exchanges, as long as it comes at a pace")
    func pace() async throws {
        let server = try TricklingServer(piece: Self.piece, count: 150, pauseMicroseconds: 1000)
        try await with(server, limits(pace: 1)) { patient in
            let whole = try await patient.stream(patient.listURL, fields: HTTPFields(), maximumBytes: 1 << 30)
            #expect(whole.head.status == 200 && whole.body.length == 150 * 1024)
            #expect(try await whole.body.collect(maximumBytes: 1 << 20).count == 150 * 1024)
        }
        try await with(server, limits(pace: 1e12)) { hasty in
            let slow = try await hasty.stream(hasty.listURL, fields: HTTPFields(), maximumBytes: 1 << 30)
            let failure = await #expect(throws: RemoteFailure.self) {
                try await slow.body.collect(maximumBytes: 1 << 20)
            }
            #expect(failure?.reason == "127.0.0.1:\(server.port) sends too slowly")
        }
    }

    @Test("a file that is longer than is allowed is refused before it comes, or when it is reached")
    func length() async throws {
        let server = try TricklingServer(piece: Self.piece, count: 1 << 20, pauseMicroseconds: 0)
        try await with(server, HTTPRemote.Limits()) { remote in
            let failure = await #expect(throws: RemoteFailure.self) {
                try await remote.stream(remote.listURL, fields: HTTPFields(), maximumBytes: 1 << 20)
            }
            #expect(failure?.kind == .invalidReply && failure?.reason.contains("longer than 1048576 bytes") == true)
        }
    }
}
