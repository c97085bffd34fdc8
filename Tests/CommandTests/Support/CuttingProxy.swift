import Foundation
import Synchronization

/// Stands between a device and a host on the loopback interface: it counts what goes up, and cuts connections.
final class CuttingProxy: Sendable {
    struct Plan: Sendable {
        /// A connection that has taken so many bytes up is cut.
        var cutEveryBytes: Int?
        /// Called once each, when so many bytes have gone up in all, before the next one does.
        var moments: [(bytes: Int, act: @Sendable () -> Void)] = []
        /// From so many bytes on, in all, nothing of what the host says comes back: the connection ends instead.
        var losesReplyAfterBytes: Int?
        /// How often that happens.
        var lostReplies = 1
    }

    private struct State {
        var uploadedBytes = 0
        var cuts = 0
        var plan: Plan
        var isEnded = false
    }

    let port: Int
    private let listener: Int32
    private let hostPort: Int
    private let state: Mutex<State>

    init(to hostPort: Int, _ plan: Plan) throws {
        self.hostPort = hostPort
        state = Mutex(State(plan: plan))
        (listener, port) = try Self.listen()
        Thread.detachNewThread { [self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { [self] in serve(client) }
            }
        }
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var uploadedBytes: Int { state.withLock { $0.uploadedBytes } }
    var cuts: Int { state.withLock { $0.cuts } }

    func end() {
        state.withLock { $0.isEnded = true }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private func serve(_ client: Int32) {
        defer { close(client) }
        let host = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(host) }
        guard Self.connect(host, hostPort) else { return }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var taken = 0
        while true {
            var waiting = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: host, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waiting, 2, patienceMilliseconds) > 0 else { return }
            if waiting[0].revents != 0 {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count > 0 else {
                    // The host sees an orderly end, so that it has the earlier bytes.
                    shutdown(host, Int32(SHUT_WR))
                    Self.drain(host)
                    return
                }
                taken += count
                let (acts, isCut) = note(count, taken: taken)
                guard Self.send(host, buffer[..<count]) else { return }
                for act in acts { act() }
                if isCut {
                    shutdown(host, Int32(SHUT_WR))
                    Self.drain(host)
                    return
                }
            }
            if waiting[1].revents != 0 {
                let count = recv(host, &buffer, buffer.count, 0)
                guard count > 0, !losesReply() else { return }
                guard Self.send(client, buffer[..<count]) else { return }
            }
        }
    }

    private func note(_ count: Int, taken: Int) -> (acts: [@Sendable () -> Void], isCut: Bool) {
        state.withLock { state in
            state.uploadedBytes += count
            let total = state.uploadedBytes
            let due = state.plan.moments.filter { $0.bytes <= total }
            state.plan.moments.removeAll { $0.bytes <= total }
            let isCut = state.plan.cutEveryBytes.map { taken >= $0 } ?? false
            if isCut { state.cuts += 1 }
            return (due.map(\.act), isCut)
        }
    }

    private func losesReply() -> Bool {
        state.withLock { state in
            guard let bytes = state.plan.losesReplyAfterBytes, state.uploadedBytes >= bytes else { return false }
            state.plan.lostReplies -= 1
            if state.plan.lostReplies == 0 { state.plan.losesReplyAfterBytes = nil }
            state.cuts += 1
            return true
        }
    }

    /// Reads what the host still says, until it has closed its end: then it has taken all that was sent.
    static func drain(_ host: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(host, &buffer, buffer.count, 0) > 0 {}
    }

    // MARK: Sockets

    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func address(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func connect(_ descriptor: Int32, _ port: Int) -> Bool {
        var address = address(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    static func listen() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Foundation.listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw Unexpected("no port for the proxy") }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
