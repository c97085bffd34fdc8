import Foundation

/// A server that answers every request with a body that comes in small pieces, one after the other.
final class TricklingServer: Sendable {
    let port: Int
    private let listener: Int32
    private let piece: [UInt8]
    private let count: Int
    private let pauseMicroseconds: UInt32

    /// - Parameters:
    ///   - count: of the pieces; the client may leave before.
    ///   - pauseMicroseconds: between two of them: so slow is this server.
    init(piece: [UInt8], count: Int, pauseMicroseconds: UInt32) throws {
        self.piece = piece
        self.count = count
        self.pauseMicroseconds = pauseMicroseconds
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw NoSocket(code: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread { self.answer(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    struct NoSocket: Error { var code: Int32 }

    private func answer(_ connection: Int32) {
        defer { close(connection) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(piece.count * count)\r\n\r\n"
        guard send(connection, Array(head.utf8)) else { return }
        for _ in 0..<count {
            guard send(connection, piece) else { return }
            usleep(pauseMicroseconds)
        }
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes {
            Foundation.send(connection, $0.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
    }
}
