import Foundation

/// A client that keeps to no rule: bytes as they are.
final class RawClient {
    private let descriptor: Int32

    /// - Parameter source: the last number of the client's own address, 127.0.0.`source`.
    init(port: Int, source: UInt8 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let descriptor = descriptor
        let isBound = Self.withAddress(host: source, port: 0) { bind(descriptor, $0, $1) == 0 }
        let isConnected = Self.withAddress(host: 1, port: port) { connect(descriptor, $0, $1) == 0 }
        guard isBound, isConnected else { throw Unexpected("nothing listens on port \(port)") }
    }

    private static func withAddress<Result>(
        host: UInt8, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// Sends until everything is sent or the other side reads no more.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&waited, 1, patienceMilliseconds) == 1, waited.revents & Int16(POLLOUT) != 0 else {
                return false
            }
            let count = bytes.withUnsafeBytes { bytes in
                Foundation.send(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count <= 0 { return false }
            done += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Nothing more will be sent.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What comes until the other side closes, or the bytes are enough; the bound on the wait is for one that hangs.
    func received(atMost maximumBytes: Int = 1 << 20) -> [UInt8] { received(maximumBytes, isExact: false) }

    /// The same, and nothing of what follows.
    func received(exactly count: Int) -> [UInt8] { received(count, isExact: true) }

    private func received(_ maximumBytes: Int, isExact: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: isExact ? min(maximumBytes, 1 << 16) : 1 << 16)
        while bytes.count < maximumBytes {
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, patienceMilliseconds) == 1 else { return bytes }
            let most = isExact ? min(chunk.count, maximumBytes - bytes.count) : chunk.count
            let count = recv(descriptor, &chunk, most, 0)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
        return bytes
    }

    /// The status of the first reply; `nil` when the connection was closed without one.
    func status() -> Int? {
        let text = String(decoding: received(atMost: 12), as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 ") ? Int(text.dropFirst(9).prefix(3)) : nil
    }
}
