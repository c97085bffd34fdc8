import Foundation
import Synchronization

/// What a server that keeps to no rule answers: bytes as they are.
struct RawReply: Sendable {
    var bytes: [UInt8]
    /// Sent again and again after the bytes, until the client stops reading or so many bytes are sent.
    var repeated: [UInt8] = []
    var repeatedBytes = 0
    /// The connection ends with the reply.
    var closes = false
    /// Called before it does.
    var beforeClosing: @Sendable () -> Void = {}

    init(_ bytes: [UInt8], closes: Bool = false) {
        self.bytes = bytes
        self.closes = closes
    }

    init(_ text: String, closes: Bool = false) { self.init(Array(text.utf8), closes: closes) }

    /// A reply that never ends; the bound is for a reader that never gives up.
    static func endless(_ start: String, then repeated: [UInt8], upTo bytes: Int = 10 << 30) -> RawReply {
        var reply = RawReply(start, closes: true)
        reply.repeated = repeated
        reply.repeatedBytes = bytes
        return reply
    }

    static func ok(_ body: [UInt8], fields: [String] = [], type: String = "application/json") -> RawReply {
        let lines = ["HTTP/1.1 200 OK", "Content-Type: \(type)", "Content-Length: \(body.count)"] + fields
        return RawReply(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    static func ok(_ text: String, fields: [String] = []) -> RawReply { ok(Array(text.utf8), fields: fields) }

    /// The list with these items, each as JSON.
    static func list(_ items: [String], next: String? = nil, fields: [String] = []) -> RawReply {
        let more = next.map { ", \"next\": \"\($0)\"" } ?? ""
        return ok("{\"questionnaires\": [\(items.joined(separator: ","))]\(more)}", fields: fields)
    }

    /// A status line, such as `503 Away`, and nothing else.
    static func status(_ line: String) -> RawReply { RawReply("HTTP/1.1 \(line)\r\nContent-Length: 0\r\n\r\n") }

    /// A list of one questionnaire, `q`.
    static let listOfOne = list([#"{"id": "q", "title": "Q", "url": "/v1/questionnaires/q"}"#])
}

/// A server of raw bytes on the loopback interface; each connection has a thread.
final class RawServer: Sendable {
    struct Request: Sendable {
        var method: String
        var target: String
        /// All fields, as they came.
        var head: String
        var number: Int
    }

    /// A server of one questionnaire, `q`.
    ///
    /// - Parameters:
    ///   - document: what it answers where the questionnaire is asked for.
    ///   - rest: its answer to all else; by default the questionnaire's own answer.
    static func ofOne(_ document: RawReply = .ok(HostileReply.good), rest: RawReply? = nil) throws -> RawServer {
        try RawServer(answerOfOne(document, rest: rest))
    }

    static func answerOfOne(_ document: RawReply, rest: RawReply? = nil) -> Answer {
        { request in
            switch request.target {
            case "/v1/questionnaires": .listOfOne
            case "/v1/questionnaires/q": document
            default: rest ?? document
            }
        }
    }

    typealias Answer = @Sendable (Request) -> RawReply

    let port: Int
    private let listener: Int32
    private let answer: Answer
    private let requests = Mutex<[Request]>([])

    /// - Parameter wanted: the port; any free one where it is 0.
    init(port wanted: Int = 0, _ answer: @escaping Answer) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(wanted).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var reuses: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Unexpected("no socket: \(errno)") }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                Thread.detachNewThread { self.serve(connection) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    var address: String { "http://127.0.0.1:\(port)" }
    var received: [Request] { requests.withLock { $0 } }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        var buffer: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            var place = buffer.firstRange(of: end)
            while place == nil {
                guard read(connection, into: &buffer) else { return }
                place = buffer.firstRange(of: end)
            }
            guard let place else { return }
            let head = String(decoding: buffer[..<place.lowerBound], as: UTF8.self)
            let length =
                head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                .flatMap { Int($0.dropFirst(15).filter { !$0.isWhitespace }) } ?? 0
            while buffer.count < place.upperBound + length { guard read(connection, into: &buffer) else { return } }
            buffer.removeFirst(place.upperBound + length)
            let words = head.split(separator: " ")
            guard words.count > 2 else { return }
            let request = requests.withLock { requests in
                requests.append(
                    Request(method: String(words[0]), target: String(words[1]), head: head, number: requests.count))
                return requests[requests.count - 1]
            }
            let reply = answer(request)
            guard send(connection, reply.bytes) else { return }
            var sent = 0
            while sent < reply.repeatedBytes {
                guard send(connection, reply.repeated) else { return }
                sent += reply.repeated.count
            }
            if reply.closes { return reply.beforeClosing() }
        }
    }

    private func read(_ connection: Int32, into buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(connection, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private func send(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = Foundation.send(
                    connection, bytes.baseAddress?.advanced(by: done), bytes.count - done, Int32(MSG_NOSIGNAL))
                if count <= 0 { return false }
                done += count
            }
            return true
        }
    }
}
