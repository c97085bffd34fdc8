import Foundation

/// A TCP connection of a test, in blocking calls: what goes over the wire is what the test says, byte for byte.
///
/// Every wait has a bound; it is for something that hangs, not for something slow.
final class RawSocket {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Parameter device: the last number of the address on the loopback interface that the connection comes from.
    convenience init(port: Int, device: UInt8 = 1) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if device != 1 {
            var own = Self.loopback(0)
            own.sin_addr.s_addr = (UInt32(0x7F00_0000) + UInt32(device)).bigEndian
            _ = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = Self.loopback(port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            Foundation.close(descriptor)
            throw Unexpected("cannot connect to port \(port)")
        }
        self.init(descriptor: descriptor)
    }

    deinit { Foundation.close(descriptor) }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Unexpected("the other side takes no more") }
            rest = rest.dropFirst(count)
        }
    }

    /// Says that nothing more will be sent.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// More bytes; none at the end.
    private func more() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0 {
            if errno == ECONNRESET { return [] }
            throw Unexpected("nothing comes: \(String(cString: strerror(errno)))")
        }
        return Array(bytes[..<count])
    }

    /// All that comes until the connection ends.
    func readToEnd() throws -> String {
        while case let bytes = try more(), !bytes.isEmpty { buffer += bytes }
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// The text up to and with a mark; `nil` when the connection ends before.
    func read(through mark: String) throws -> String? {
        let wanted = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: wanted) {
                defer { buffer.removeSubrange(..<range.upperBound) }
                return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
            }
            let bytes = try more()
            if bytes.isEmpty { return nil }
            buffer += bytes
        }
    }

    func read(count: Int) throws -> [UInt8]? {
        while buffer.count < count {
            let bytes = try more()
            if bytes.isEmpty { return nil }
            buffer += bytes
        }
        defer { buffer.removeSubrange(..<count) }
        return Array(buffer[..<count])
    }

    /// A message's head and its body, by its framing.
    func message(hasNoBody: Bool = false) throws -> RawMessage? {
        guard let head = try read(through: "\r\n\r\n") else { return nil }
        var message = RawMessage(head: head)
        if hasNoBody || message.status == 204 || message.status == 304 || (100..<200).contains(message.status) {
            return message
        }
        if message["transfer-encoding"]?.lowercased() == "chunked" {
            while true {
                guard let line = try read(through: "\r\n"),
                    let size = Int(line.dropLast().prefix { $0 != ";" }, radix: 16)
                else { return nil }
                if size == 0 { break }
                guard let chunk = try read(count: size), try read(count: 2) != nil else { return nil }
                message.body += chunk
            }
            while let line = try read(through: "\r\n"), line != "\r\n" {
                message.trailers.append(String(line.dropLast()))
            }
        } else if let length = message["content-length"].flatMap({ Int($0) }) {
            guard let body = try read(count: length) else { return nil }
            message.body = body
        } else if message.status > 0 {
            message.body = Array(try readToEnd().utf8)
        }
        return message
    }
}

/// A request or a response, as it was on the wire.
struct RawMessage: CustomStringConvertible {
    var head: String
    var body: [UInt8] = []
    var trailers: [String] = []

    var startLine: String { String(head.prefix { $0 != "\r\n" && $0 != "\r" }) }
    var words: [String] { startLine.split(separator: " ").map(String.init) }
    var method: String { words.first ?? "" }
    var target: String { words.count > 1 ? words[1] : "" }
    /// Of a response; 0 for a request.
    var status: Int { startLine.hasPrefix("HTTP/") && words.count > 1 ? Int(words[1]) ?? 0 : 0 }
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of a field, joined.
    subscript(_ name: String) -> String? {
        let values = head.split(separator: "\r\n").dropFirst().compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    var description: String { head + text.prefix(500) }
}

/// Something that a test relies on and does not find.
struct Unexpected: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Runs blocking code on a thread of its own: the pool's few threads are the hub's.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try work() }) }
    }
}

/// The bound of every wait: for something that hangs, not for a machine that is busy.
let patienceSeconds = 120

/// Looks again and again until something holds.
@discardableResult
func wait<Value>(for what: String, _ look: () throws -> Value?) throws -> Value {
    let limit = Date().addingTimeInterval(Double(patienceSeconds))
    while true {
        if let value = try look() { return value }
        if Date() > limit { throw Unexpected("waited \(patienceSeconds) s for \(what)") }
        usleep(2000)
    }
}
