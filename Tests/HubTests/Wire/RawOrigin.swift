import Foundation
import Synchronization

/// An origin server of a test: a thread for each connection, and a closure that answers.
final class RawOrigin: Sendable {
    typealias Answer = @Sendable (RawMessage, RawSocket) throws -> Void

    private struct State {
        var listener: Int32 = -1
        /// Has the port while nothing listens there, so that no other server gets it.
        var held: Int32 = -1
        var connections: [Int32] = []
        var acceptedCount = 0
        var requests: [RawMessage] = []
        var answer: Answer
    }

    let port: Int
    private let state: Mutex<State>

    init(_ answer: @escaping Answer) throws {
        let (listener, port) = try Self.bound(port: 0)
        guard Foundation.listen(listener, 512) == 0 else { throw Unexpected("cannot listen at \(port)") }
        self.port = port
        state = Mutex(State(listener: listener, answer: answer))
        accept(on: listener)
    }

    deinit {
        stop()
        state.withLock { _ = close($0.held) }
    }

    /// An origin whose every answer has this body.
    static func of(_ body: String, cacheControl: String = "max-age=600", more: String = "") throws -> RawOrigin {
        try RawOrigin { request, socket in
            let length = "Content-Length: \(body.utf8.count)\r\n"
            let head = "HTTP/1.1 200 OK\r\nCache-Control: \(cacheControl)\r\n\(more)\(length)\r\n"
            try socket.send(head + (request.method == "HEAD" ? "" : body))
        }
    }

    private static func bound(port: Int) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = RawSocket.loopback(port)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else {
            close(listener)
            throw Unexpected("cannot have port \(port)")
        }
        return (listener, Int(in_port_t(bigEndian: address.sin_port)))
    }

    private func accept(on listener: Int32) {
        Thread.detachNewThread { [weak self] in
            while true {
                let descriptor = Foundation.accept(listener, nil, nil)
                guard descriptor >= 0 else { return }
                self?.state.withLock { state in
                    state.connections.append(descriptor)
                    state.acceptedCount += 1
                }
                Thread.detachNewThread { [weak self] in
                    let socket = RawSocket(descriptor: descriptor)
                    // A connection that breaks is what some tests are about.
                    try? self?.serve(socket)
                    self?.state.withLock { $0.connections.removeAll { $0 == descriptor } }
                }
            }
        }
    }

    private func serve(_ socket: RawSocket) throws {
        while let head = try socket.read(through: "\r\n\r\n") {
            var request = RawMessage(head: head)
            let wantsWord = request["expect"] != nil
            if !wantsWord {
                if let length = request["content-length"].flatMap({ Int($0) }) {
                    guard let body = try socket.read(count: length) else { return }
                    request.body = body
                } else if request["transfer-encoding"] != nil {
                    try readChunks(socket, &request)
                }
            }
            let answer = state.withLock { [request] state in
                state.requests.append(request)
                return state.answer
            }
            try answer(request, socket)
        }
    }

    private func readChunks(_ socket: RawSocket, _ request: inout RawMessage) throws {
        while let line = try socket.read(through: "\r\n"), let size = Int(line.dropLast(), radix: 16) {
            if size == 0 { break }
            guard let chunk = try socket.read(count: size), try socket.read(count: 2) != nil else { return }
            request.body += chunk
        }
        while let line = try socket.read(through: "\r\n"), line != "\r\n" {
            request.trailers.append(String(line.dropLast()))
        }
    }

    var requests: [RawMessage] { state.withLock { $0.requests } }
    /// Connections that were ever made.
    var acceptedCount: Int { state.withLock { $0.acceptedCount } }

    func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// Stops: no longer listens, and closes its connections.
    func stop() {
        let (listener, connections) = state.withLock { state in
            defer { state.listener = -1 }
            return (state.listener, state.connections)
        }
        guard listener >= 0 else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        if let (held, _) = try? Self.bound(port: port) { state.withLock { $0.held = held } }
        close(listener)
        for descriptor in connections { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Is back at the same port.
    func start() throws {
        let held = state.withLock { state in
            defer { state.held = -1 }
            return state.held
        }
        let listener = try held >= 0 ? held : Self.bound(port: port).0
        guard Foundation.listen(listener, 512) == 0 else { throw Unexpected("cannot listen at \(port)") }
        state.withLock { $0.listener = listener }
        accept(on: listener)
    }
}
