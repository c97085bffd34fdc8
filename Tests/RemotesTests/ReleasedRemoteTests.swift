import Disk
import HTTPTypes
import Sync
import Testing

@testable import Remotes

/// In a debug build, AsyncHTTPClient ends the program over a client that was not shut down.
@Suite("A remote that is let go of")
struct ReleasedRemoteTests {
    private func remote(of server: TricklingServer) throws -> HTTPRemote {
        // However busy this machine is.
        var limits = HTTPRemote.Limits()
        limits.connect = .seconds(600)
        limits.silence = .seconds(600)
        return try HTTPRemote(
            base: "http://127.0.0.1:\(server.port)", token: nil, clock: SystemClock(), limits: limits)
    }

    @Test("without shutdown, over an error as well, ends its connections by itself")
    func released() async throws {
        let server = try TricklingServer(piece: [0x78], count: 10, pauseMicroseconds: 0)
        weak var released: HTTPRemote?
        func use() async throws {
            let remote = try remote(of: server)
            released = remote
            #expect(try await remote.get(remote.listURL, fields: HTTPFields(), maximumBytes: 100).body.count == 10)
            _ = try await remote.get(remote.listURL, fields: HTTPFields(), maximumBytes: 9)
        }
        await #expect(throws: RemoteFailure.self) { try await use() }
        #expect(released == nil)
        withExtendedLifetime(server) {}
    }

    @Test("while something is under way over it completes that first")
    func underWay() async throws {
        let server = try TricklingServer(
            piece: [UInt8](repeating: 0x78, count: 1024), count: 300, pauseMicroseconds: 100)
        weak var held: HTTPRemote?
        func begin() async throws -> HTTPBody {
            let remote = try remote(of: server)
            held = remote
            return try await remote.stream(remote.listURL, fields: HTTPFields(), maximumBytes: 1 << 20).body
        }
        var body: HTTPBody? = try await begin()
        #expect(held != nil)
        #expect(try await body?.collect(maximumBytes: 1 << 20).count == 300 << 10)
        body = nil
        #expect(held == nil)
        withExtendedLifetime(server) {}
    }

    @Test("after shutdown, once or twice, or without any use, is no matter")
    func shutDown() async throws {
        let server = try TricklingServer(piece: [0x78], count: 1, pauseMicroseconds: 0)
        var remote: HTTPRemote? = try remote(of: server)
        remote = try self.remote(of: server)
        if let remote {
            _ = try await remote.get(remote.listURL, fields: HTTPFields(), maximumBytes: 100)
            await remote.shutdown()
            await remote.shutdown()
            // It makes itself a new client when it is used again.
            _ = try await remote.get(remote.listURL, fields: HTTPFields(), maximumBytes: 100)
        }
        remote = nil
        withExtendedLifetime(server) {}
    }
}
