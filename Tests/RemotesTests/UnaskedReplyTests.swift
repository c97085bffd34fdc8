import Disk
import Foundation
import HTTPTypes
import Sync
import Testing

@testable import Remotes

/// RFC 9112 section 9.2: what comes without a request is no reply to the next one.
@Suite("Unrequested replies")
struct UnaskedReplyTests {
    private static let unasked = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 404 No\r\nX: ",
        "x",
        "\r\n", "HTTP/1.1 100 Continue\r\n\r\n",
    ]

    @Test(
        "what a server sends too much on a kept connection is not the reply to the next request",
        arguments: unasked, [false, true])
    func surplus(_ what: String, isAtOnce: Bool) async throws {
        let server = try SurplusServer(what, isAtOnce: isAtOnce)
        try await withRemote(of: server) { remote in
            for number in 0..<8 {
                let text = try await Self.text(number, from: remote)
                // The surplus is on the way before the next request. One that was sent again has two replies.
                await server.sent(behind: text)
            }
        }
    }

    @Test("nor is it the reply to a request that waits for the connection", arguments: unasked)
    func waiting(_ what: String) async throws {
        let server = try SurplusServer(what, isAtOnce: true)
        try await withRemote(of: server) { remote in
            await withTaskGroup { group in
                for number in 0..<64 {
                    group.addTask {
                        // Each reply costs a connection: one that fails again and again is given up. On a busy machine a
                        // connection may not be made in time. No request gets the reply to another one.
                        do throws(RemoteFailure) {
                            _ = try await Self.text(number, from: remote)
                        } catch {
                            #expect([.interrupted, .unreachable].contains(error.kind), "\(error)")
                        }
                    }
                }
            }
        }
    }

    private func withRemote(of server: SurplusServer, _ body: (HTTPRemote) async throws -> Void) async throws {
        let remote = try HTTPRemote(base: "http://127.0.0.1:\(server.port)", token: nil, clock: SystemClock())
        do {
            try await body(remote)
        } catch {
            await remote.shutdown()
            throw error
        }
        await remote.shutdown()
        withExtendedLifetime(server) {}
    }

    private static func text(
        _ number: Int, from remote: HTTPRemote
    ) async throws(RemoteFailure) -> String {
        let reply = try await remote.get(
            remote.listURL + "?n=\(number)", fields: HTTPFields(), maximumBytes: 1 << 20)
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(reply.status == 200 && text.hasSuffix("?n=\(number)"), "\(text)")
        return text
    }
}

/// A server that answers with the connection's number and the target of each request, and sends something more, at once or a moment later.
private final class SurplusServer: Sendable {
    let port: Int
    private let listener: Int32
    private let surplus: [UInt8]
    private let isAtOnce: Bool
    private let moments: AsyncStream<String>
    private let moment: AsyncStream<String>.Continuation

    init(_ surplus: String, isAtOnce: Bool) throws {
        self.surplus = Array(surplus.utf8)
        self.isAtOnce = isAtOnce
        (moments, moment) = AsyncStream.makeStream(of: String.self)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw TricklingServer.NoSocket(code: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            for number in 1... {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread { self.serve(connection, number) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Returns when the surplus behind this reply was sent.
    func sent(behind reply: String) async { for await text in moments where text == reply { return } }

    private func serve(_ connection: Int32, _ number: Int) {
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            let request = String(decoding: buffer[..<count], as: UTF8.self)
            let target = request.split(separator: " ").dropFirst().first.map { String($0) } ?? ""
            let text = "\(number) \(target)"
            let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)".utf8)
            guard send(connection, isAtOnce ? reply + surplus : reply) else { return }
            if !isAtOnce {
                usleep(20_000)
                _ = send(connection, surplus)
            }
            waitUntilReceived(connection)
            moment.yield(text)
        }
    }

    /// Waits until everything that was sent is in the other end's socket, or that is closed: on a busy machine `send` returns
    /// before.
    private func waitUntilReceived(_ connection: Int32) {
        var unacknowledged: Int32 = 0
        var state = pollfd(fd: connection, events: 0, revents: 0)
        while ioctl(connection, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0, poll(&state, 1, 1) == 0 {}
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes {
            Foundation.send(connection, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
