import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server that answers as scripted by the test, over TLS if it has a certificate; and forwards other requests to a
/// real host.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        var method: String
        var path: String
        /// The request line and the fields, as they came.
        var head: String
        var body: String

        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    enum Action: Sendable {
        /// A whole response is made of it; the connection is closed after it.
        case answer(status: String, fields: [String: String], body: String)
        /// Never answers.
        case silence
        case handOn(port: Int)
    }

    private let listener: any Channel
    private let requests: Requests

    /// - Parameter answer: what to do with a request; called on a thread of the server's.
    init(
        certificate: Certificates.Identity? = nil, _ answer: @escaping @Sendable (Request) -> Action
    ) throws {
        let context = try certificate.map { try NIOSSLContext(configuration: try $0.serverConfiguration) }
        let requests = Requests()
        listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(RequestHandler(requests, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        self.requests = requests
    }

    deinit { listener.close(promise: nil) }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// What was asked so far.
    var received: [Request] { requests.all.withLock { $0 } }

    static func plain(_ status: String, _ body: String, type: String = "application/json") -> Action {
        .answer(status: status, fields: ["Content-Type": type], body: body)
    }
}

private final class Requests: Sendable {
    let all = Mutex<[ScriptedServer.Request]>([])
}

/// Collects one request, then does with it what the test says.
private final class RequestHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let requests: Requests
    private let answer: @Sendable (ScriptedServer.Request) -> ScriptedServer.Action
    private var bytes = Data()

    init(_ requests: Requests, _ answer: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Action) {
        self.requests = requests
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.append(contentsOf: unwrapInboundIn(data).readableBytesView)
        // The beginning of a TLS handshake, answered as a server does that knows none.
        if bytes.first == 0x16 {
            return write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", context.channel)
        }
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return }
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let words = head.split(separator: " ")
        guard words.count > 2 else { return context.close(promise: nil) }
        var request = ScriptedServer.Request(
            method: String(words[0]), path: String(words[1]), head: head, body: "")
        let body = bytes[end.upperBound...]
        guard body.count >= request.field("Content-Length").flatMap({ Int($0) }) ?? 0 else { return }
        request.body = String(decoding: body, as: UTF8.self)
        bytes = Data()
        requests.all.withLock { $0.append(request) }
        perform(answer(request), request, context)
    }

    private func perform(
        _ action: ScriptedServer.Action, _ request: ScriptedServer.Request, _ context: ChannelHandlerContext
    ) {
        switch action {
        case .silence: break
        case .answer(let status, let fields, let body):
            var text = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n"
            for (name, value) in fields { text += "\(name): \(value)\r\n" }
            write(text + "\r\n" + body, context.channel)
        case .handOn(let port): handOn(request, port, context.channel)
        }
    }

    private func write(_ text: String, _ channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(string: text)).whenComplete { _ in channel.close(promise: nil) }
    }

    private func handOn(_ request: ScriptedServer.Request, _ port: Int, _ client: any Channel) {
        let lines = request.head.split(separator: "\r\n").filter { !$0.lowercased().hasPrefix("connection:") }
        let text = lines.joined(separator: "\r\n") + "\r\nConnection: close\r\n\r\n" + request.body
        ClientBootstrap(group: client.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ReplyHandler(client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenComplete { result in
                switch result {
                case .success(let host): host.writeAndFlush(ByteBuffer(string: text), promise: nil)
                case .failure: client.close(promise: nil)
                }
            }
    }
}

/// Passes the host's reply to the client, and closes when the host does; the client gets `Connection: close`, since the
/// host does not send it.
private final class ReplyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel
    private var isFirst = true

    init(_ client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        if isFirst, let line = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            isFirst = false
            var told = bytes.readSlice(length: line + 1 - bytes.readerIndex) ?? ByteBuffer()
            told.writeString("Connection: close\r\n")
            told.writeBuffer(&bytes)
            bytes = told
        }
        client.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
