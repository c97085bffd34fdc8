import FoundationEssentials
import Model
import NIOCore

/// Asks a proxy for a tunnel to the upstream (RFC 9110, section 9.3.6), before anything else is on the connection.
final class ProxyTunnel: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The proxy's reply is none, or a refusal.
    struct Refusal: Error {
        /// `nil` where it is not HTTP, or ended early.
        var status: Int?

        func reason(_ proxy: ProxyAddress, _ place: String) -> String {
            switch status {
            case 407:
                "the proxy \(proxy) asks for a name and a password: write it as http://NAME:PASSWORD@HOST:PORT"
            case let status?: "the proxy \(proxy) refuses a connection to \(place) (\(status))"
            case nil: "the proxy \(proxy) gives no proper answer"
            }
        }
    }

    private let request: String
    private let established: EventLoopPromise<Void>
    private var received = ByteBuffer()
    private var isOver = false
    private static let longestReplyBytes = 16 << 10

    init(_ proxy: ProxyAddress, to address: UpstreamAddress, established: EventLoopPromise<Void>) {
        let place = HostAndPort(host: address.host, port: address.port).description
        var request = "CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n"
        if let user = proxy.user {
            let secret = Data("\(user):\(proxy.password ?? "")".utf8).base64EncodedString()
            request += "Proxy-Authorization: Basic \(secret)\r\n"
        }
        self.request = request + "\r\n"
        self.established = established
    }

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(string: request)), promise: nil)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var piece = unwrapInboundIn(data)
        received.writeBuffer(&piece)
        let text = String(decoding: received.readableBytesView, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else {
            if received.readableBytes > Self.longestReplyBytes { end(.failure(Refusal())) }
            return
        }
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            return self.end(.failure(Refusal()))
        }
        // In the tunnel the upstream speaks when it is spoken to.
        let isClean = end.upperBound == text.endIndex
        self.end((200..<300).contains(status) && isClean ? .success(()) : .failure(Refusal(status: status)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !isOver { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) { end(.failure(Refusal())) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<Void, any Error>) {
        if isOver { return }
        isOver = true
        established.completeWith(result)
    }
}
