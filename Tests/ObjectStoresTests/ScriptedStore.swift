import Foundation
import Glibc
import Synchronization

/// A server that answers each request as a script says, byte for byte, on threads of its own. For one test.
final class ScriptedStore: Sendable {
    struct Request: Sendable {
        var method: String
        /// With its query.
        var target: String
        var fields: [String: String]
        var body: [UInt8]
    }

    let port: Int
    private let listener: CInt
    private let seen = Mutex<[Request]>([])

    /// - Parameters:
    ///   - keepsConnections: whether a connection takes another request after an answer; it is closed otherwise.
    ///   - answer: gets a request and its number, from 0; the bytes that are sent.
    init(keepsConnections: Bool = false, _ answer: @escaping @Sendable (Request, Int) -> String) throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place -> UInt16? in
                guard bind(listener, place, length) == 0, listen(listener, 64) == 0,
                    getsockname(listener, place, &length) == 0
                else { return nil }
                return UnsafeRawPointer(place).assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port.bigEndian
            }
        }
        guard let port else { throw POSIXError(.EADDRINUSE) }
        self.port = Int(port)
        self.listener = listener
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 { return }
                let serve: @Sendable () -> Void = { [self] in
                    repeat {
                        guard let request = Self.read(connection) else { break }
                        let number = seen.withLock {
                            $0.append(request)
                            return $0.count - 1
                        }
                        let bytes = Array(answer(request, number).utf8)
                        _ = send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
                    } while keepsConnections
                    Glibc.close(connection)
                }
                if keepsConnections { Thread.detachNewThread(serve) } else { serve() }
            }
        }
    }

    var requests: [Request] { seen.withLock { $0 } }

    /// Ends it.
    func stop() { shutdown(listener, CInt(SHUT_RDWR)) }

    private static func read(_ connection: CInt) -> Request? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        var wanted = Int.max
        var request = Request(method: "", target: "", fields: [:], body: [])
        var bodyStart = 0
        while bytes.count < wanted {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count <= 0 { return nil }
            bytes += buffer[..<count]
            guard wanted == .max, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { continue }
            let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
            let first = lines[0].split(separator: " ").map(String.init)
            (request.method, request.target) = (first[0], first[1])
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { continue }
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                request.fields[line[..<colon].lowercased()] = value
            }
            bodyStart = end.upperBound
            wanted = bodyStart + (request.fields["content-length"].flatMap { Int($0) } ?? 0)
        }
        request.body = Array(bytes[bodyStart...])
        return request
    }
}

/// A reply after which the connection ends.
func reply(_ status: String, _ fields: String..., body: String = "") -> String {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)", "Connection: close"] + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}

func fault(_ code: String, _ message: String = "Sorry.") -> String {
    "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
}
