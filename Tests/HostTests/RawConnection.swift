import Foundation

/// A client that keeps to no rule: bytes as they are.
final class RawConnection: Sendable {
    private let descriptor: Int32

    struct Failure: Error {
        var reason: String
    }

    /// - Parameter source: the address of this machine that it comes from.
    init(port: Int, from source: String = "127.0.0.1") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // For a machine that hangs, not for a slow one.
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard try call(bind, to: source, port: 0), try call(connect, to: "127.0.0.1", port: port) else {
            throw Failure(reason: "cannot connect: \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    private func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, to host: String, port: Int
    ) throws -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw Failure(reason: host) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// - Returns: whether the other side still takes bytes.
    @discardableResult
    func send(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// What comes until the other side closes, or until `mark`. It is read by a thread of its own: the server that answers
    /// may need every thread of the tests' tasks.
    func received(through mark: String? = nil) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try self.read(through: mark) }) }
        }
    }

    private func read(through mark: String?) throws -> String {
        var text = ""
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count < 0, errno != ECONNRESET { throw Failure(reason: "nothing comes") }
            if count <= 0 { return text }
            text += String(decoding: chunk[..<count], as: UTF8.self)
            if let mark, text.contains(mark) { return text }
        }
    }
}
