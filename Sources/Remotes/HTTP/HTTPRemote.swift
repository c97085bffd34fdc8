import AsyncHTTPClient
import FoundationEssentials
import Glibc
import HTTPTypes
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import Networking
import Sync
import Synchronization
import WireFormat

/// A Quire server over HTTP (`docs/protocol.md`).
///
/// It keeps connections open. `shutdown` closes them, and waits until they are closed; a remote that is released closes
/// them when no request is in flight any more.
public final class HTTPRemote: Remote {
    package let base: String
    public let listURL: String
    private let address: HTTPAddress
    private let token: String?
    private let trust: CertificateTrust
    /// Asked for a tunnel to the server (CONNECT).
    private let proxy: ProxyAddress?
    private let clock: any StoreClock
    private let presenceProbe: PresenceProbe
    private let limits: Limits
    private let largeReplies = LargeReplies()
    /// Made with the first request: commands that need no network start no threads for it.
    private let client = Mutex<KeptClient?>(nil)

    /// How long a server is waited for.
    struct Limits: Sendable {
        /// Until a connection is made.
        var connect = TimeAmount.seconds(3)
        /// While the server says nothing.
        var silence = TimeAmount.seconds(30)
        /// For one exchange in all, however steadily its bytes trickle.
        var exchange = Duration.seconds(600)
        /// A long file may take longer, as long as it arrives at this rate.
        var slowestBytesPerSecond = 16.0 * 1024

        /// The longest time for an exchange that has transferred so many bytes.
        func patience(afterBytes count: Int64) -> Duration {
            exchange + .seconds(Double(count) / slowestBytesPerSecond)
        }
    }

    static let longestGreetingBytes = 64 << 10
    /// The longest receipt of all has room in it.
    static let longestReceiptListBytes = Receipt.maximumBytes + (1 << 10)

    /// - Parameters:
    ///   - base: like `https://example.org/quire`.
    ///   - token: sent as a bearer token (RFC 6750), to this remote alone.
    ///   - trust: the certificate authorities that are trusted for an https remote.
    /// - Throws: `RemoteAddressError` when the URL is not one of http or https with a host.
    public convenience init(
        base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust()
    ) throws {
        try self.init(base: base, token: token, clock: clock, trust: trust, limits: Limits())
    }

    /// - Parameter proxies: which proxy leads to it.
    /// - Throws: `RemoteAddressError`, `ProxyAddressError`.
    package convenience init(
        base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust(),
        proxies: ProxyRule
    ) throws {
        try self.init(base: base, token: token, clock: clock, trust: trust, proxies: proxies, limits: Limits())
    }

    init(
        base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust(),
        proxies: ProxyRule = .none, limits: Limits
    ) throws {
        self.trust = trust
        self.limits = limits
        address = try HTTPAddress(base)
        self.base = address.base
        self.token = token
        self.clock = clock
        listURL = address.base + APIPath.questionnaires.text
        proxy = try proxies.proxy(to: address.host, isSecure: address.base.hasPrefix("https:"))
        presenceProbe = PresenceProbe(host: proxy?.host ?? address.host, port: proxy?.port ?? address.port)
    }

    public func documentURL(id: String) -> String { base + APIPath.questionnaire(id).text }

    public func presence() -> Presence { presenceProbe.presence() }

    public func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await exchange(.GET, url, fields: fields, body: nil, maximumBytes: maximumBytes)
    }

    public func stream(
        _ url: String, fields: HTTPFields, maximumBytes: Int64
    ) async throws(RemoteFailure) -> StreamedReply {
        let started = ContinuousClock.now
        let (response, head) = try await send(.GET, url, fields: fields, content: nil)
        let length = response.headers.first(name: "Content-Length").flatMap { Int64($0) }
        if let length, length > maximumBytes { throw tooLong(url, Int(maximumBytes)) }
        let pieces = ReplyPieces(response.body)
        let received = Mutex<Int64>(0)
        let body = HTTPBody(length: length) { [self] in
            do {
                guard let piece = try await pieces.next() else { return nil }
                let count = received.withLock { count in
                    count += Int64(piece.count)
                    return count
                }
                if count > maximumBytes { throw tooLong(url, Int(maximumBytes)) }
                if ContinuousClock.now - started > limits.patience(afterBytes: count) { throw tooSlow }
                return .bytes(piece)
            } catch let failure as RemoteFailure {
                throw failure
            } catch {
                throw failure(for: error)
            }
        }
        return StreamedReply(head: head, body: body)
    }

    public func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields.append(HTTPField(name: .contentDigest, value: DigestField.format(digest)))
        return try await exchange(
            .PUT, base + APIPath(test: test).text, fields: fields, body: bytes, maximumBytes: Receipt.maximumBytes)
    }

    public func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        guard let message = delivery.message else {
            throw RemoteFailure(.invalidReply, "attachments are uploaded piece by piece")
        }
        return try await exchange(
            HTTPMethod(rawValue: message.method.rawValue), base + message.path, fields: message.fields,
            body: message.body, maximumBytes: Receipt.maximumBytes)
    }

    public func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        try await exchange(
            .GET, base + APIPath.receipts(of: tests), fields: HTTPFields(), body: nil,
            maximumBytes: Self.longestReceiptListBytes)
    }

    public func report(_ progress: [UInt8], from sender: String) async throws(RemoteFailure) -> RemoteReply? {
        try await exchange(
            .PUT, base + APIPath.progress(sender).text, fields: [.contentType: "application/json"], body: progress,
            maximumBytes: Receipt.maximumBytes)
    }

    public nonisolated(nonsending) func shutdown() async {
        let made = client.withLock { client in
            defer { client = nil }
            return client
        }
        // A client that does not end cleanly has nothing left that we need.
        try? await made?.http.shutdown()
    }

    public func probe() async -> RemoteFailure? {
        struct Service: Decodable { var service: String }
        let portal = RemoteFailure(
            .notTheServer,
            "in the place of \(address.authority) a page of this network answers: log in there with a browser")
        do throws(RemoteFailure) {
            let reply = try await exchange(
                .GET, base + APIPath.service.text, fields: HTTPFields(), body: nil,
                maximumBytes: Self.longestGreetingBytes)
            if reply.status == 200 {
                let service = try? DocumentCoding.decode(Service.self, from: reply.body)
                return service?.service == "quire" ? nil : portal
            }
            // Whatever else it says, a server or a hub said it.
            if reply.hasProtocolMarks { return nil }
            // Hubs of earlier versions say so without a type.
            if reply.status == 504, ProblemDocument.isType(reply.fields[.contentType]) {
                return nil
            }
            if (500..<600).contains(reply.status), reply.status != 511 {
                return RemoteFailure(.unavailable, "\(address.authority) cannot answer now (\(reply.status))")
            }
            return RemoteFailure(.notTheServer, reply.strangerReason)
        } catch {
            return error.kind == .invalidReply ? portal : error
        }
    }

    // MARK: One exchange

    func exchange(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields, body: [UInt8]?, maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        try await exchange(
            method, url, fields: fields, content: body.map { .bytes($0) }, sizeBytes: 0, maximumBytes: maximumBytes)
    }

    /// - Parameter sizeBytes: the size of the request, if that may take longer than any answer.
    func exchange(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields, content: HTTPClientRequest.Body?, sizeBytes: Int64,
        maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        let started = ContinuousClock.now
        let (response, head) = try await send(method, url, fields: fields, content: content, sizeBytes: sizeBytes)
        do {
            let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            if announced > maximumBytes { throw tooLong(url, maximumBytes) }
            var reply = head
            for try await chunk in response.body {
                if reply.body.count + chunk.readableBytes > maximumBytes { throw tooLong(url, maximumBytes) }
                if reply.turn == nil, reply.body.count + chunk.readableBytes > LargeReplies.smallBytes {
                    reply.turn = await largeReplies.turn()
                    reply.body.reserveCapacity(announced)
                }
                chunk.withUnsafeReadableBytes { reply.body.append(contentsOf: $0) }
                if ContinuousClock.now - started > limits.patience(afterBytes: sizeBytes) { throw tooSlow }
            }
            reply.responseTime = clock.now
            return reply
        } catch let failure as RemoteFailure {
            throw failure
        } catch {
            throw failure(for: error)
        }
    }

    /// Asks, and waits for the fields of the reply.
    private func send(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields, content: HTTPClientRequest.Body?, sizeBytes: Int64 = 0
    ) async throws(RemoteFailure) -> (HTTPClientResponse, RemoteReply) {
        guard url.hasPrefix(base + "/") else {
            throw RemoteFailure(.invalidReply, "\(url) is not on this remote, \(base)")
        }
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "User-Agent", value: "quire")
        for field in fields { request.headers.add(name: field.name.rawName, value: field.value) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.body = content
        let requestTime = clock.now
        do {
            // A connection over which nothing goes any more is noticed long before that.
            let deadline = sizeBytes > 0 ? TimeAmount(limits.patience(afterBytes: sizeBytes)) : limits.silence
            let response = try await execute(request, deadline)
            var replyFields = HTTPFields()
            for header in response.headers {
                if let name = HTTPField.Name(header.name) {
                    replyFields.append(HTTPField(name: name, value: header.value))
                }
            }
            let head = RemoteReply(
                status: Int(response.status.code), fields: replyFields, body: [], requestTime: requestTime,
                responseTime: clock.now)
            return (response, head)
        } catch {
            throw failure(for: error)
        }
    }

    private func execute(
        _ request: HTTPClientRequest, _ deadline: TimeAmount
    ) async throws -> HTTPClientResponse {
        var sentAgain = 0
        while true {
            do {
                return try await currentClient().http.execute(request, timeout: deadline)
            } catch  where sentAgain < Self.repetitions(after: error) && [.GET, .HEAD].contains(request.method) {
                // The sweep, which counts its attempts, repeats requests that change something.
                sentAgain += 1
            }
        }
    }

    var authority: String { address.authority }

    private var tooSlow: RemoteFailure { RemoteFailure(.interrupted, "\(address.authority) sends too slowly") }

    private func tooLong(_ url: String, _ maximumBytes: Int) -> RemoteFailure {
        RemoteFailure(.invalidReply, "\(url) is longer than \(maximumBytes) bytes and was refused")
    }

    /// One thread is enough for one server. NIO's own group asks the machine for its cores first, and a fault of a file
    /// that it reads for that ends the program.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private func currentClient() -> KeptClient {
        client.withLock { client in
            if let client { return client }
            var configuration = HTTPClient.Configuration()
            // Redirects are not followed: they would carry the token, and an answer, to a server that the person did
            // not name.
            configuration.redirectConfiguration = .disallow
            configuration.tlsConfiguration = trust.configuration
            configuration.timeout = .init(connect: limits.connect, read: limits.silence, write: limits.silence)
            // A refused connection is reported at once; the sweep has its own retries.
            configuration.connectionPool.retryConnectionEstablishment = false
            if let proxy {
                configuration.proxy =
                    if let user = proxy.user {
                        .server(
                            host: proxy.host, port: proxy.port,
                            authorization: .basic(username: user, password: proxy.password ?? ""))
                    } else {
                        .server(host: proxy.host, port: proxy.port)
                    }
            }
            let place = HostAndPort.connectable(address.host)
            if place != address.host { configuration.dnsOverride = [address.host: place] }
            configuration.http1_1ConnectionDebugInitializer = { ReplyGuard.install(on: $0) }
            let made = KeptClient(HTTPClient(eventLoopGroup: Self.loops, configuration: configuration))
            client = made
            return made
        }
    }

    private func failure(for error: any Error) -> RemoteFailure {
        let place = address.authority
        if let proxy, let failure = Self.failure(error, at: proxy, place) { return failure }
        switch error {
        case is CancellationError: return RemoteFailure(.cancelled, "stopped")
        case let error as HTTPClientError where error == .cancelled: return RemoteFailure(.cancelled, "stopped")
        case let error as HTTPClientError where error == .connectTimeout:
            return RemoteFailure(.unreachable, "\(place) does not answer")
        case let error as HTTPClientError where error == .getConnectionFromPoolTimeout:
            return RemoteFailure(.unreachable, "\(place) does not answer")
        case let error as HTTPClientError:
            return RemoteFailure(.interrupted, "the connection to \(place) broke: \(error.shortDescription)")
        case let fault as ReplyFault: return RemoteFailure(.invalidReply, "\(place): \(fault)")
        case HTTPParserError.headerOverflow:
            return RemoteFailure(.invalidReply, "\(place): the header fields of the reply are longer than 80 KiB")
        case HTTPParserError.invalidEOFState:
            return RemoteFailure(.interrupted, "the connection to \(place) broke: the reply ended in the middle")
        case let error as HTTPParserError:
            return RemoteFailure(.invalidReply, "\(place): the reply is not HTTP: \(error)")
        case is NIOConnectionError: return RemoteFailure(.unreachable, "cannot connect to \(place)")
        case let error as IOError where Self.beforeConnection.contains(error.errnoCode):
            return RemoteFailure(.unreachable, "cannot connect to \(place)")
        default:
            return CertificateTrust.failure(error, place)
                ?? RemoteFailure(.interrupted, "the connection to \(place) broke: \(error)")
        }
    }

    /// The meaning of an error on the way through the proxy; nothing has left for the server then. `nil` for another one.
    private static func failure(_ error: any Error, at proxy: ProxyAddress, _ place: String) -> RemoteFailure? {
        switch error {
        case let error as HTTPClientError where error == .proxyAuthenticationRequired:
            RemoteFailure(
                .unreachable,
                "the proxy \(proxy) asks for a name and a password: write it as http://NAME:PASSWORD@HOST:PORT")
        case let error as HTTPClientError where error == .httpProxyHandshakeTimeout || error == .connectTimeout:
            RemoteFailure(.unreachable, "the proxy \(proxy) does not answer")
        case let error as HTTPClientError where error == .invalidProxyResponse:
            RemoteFailure(.unreachable, "the proxy \(proxy) refuses a connection to \(place)")
        case is NIOConnectionError: RemoteFailure(.unreachable, "cannot connect to the proxy \(proxy)")
        case let error as IOError where beforeConnection.contains(error.errnoCode):
            RemoteFailure(.unreachable, "cannot connect to the proxy \(proxy)")
        default: nil
        }
    }

    /// How often a request is sent again that got nothing of a reply: a kept connection may end just as it is reused (RFC 9110
    /// section 9.2.2, RFC 9112 section 9.3.1).
    private static func repetitions(after error: any Error) -> Int {
        switch error {
        case let error as HTTPClientError where error == .remoteConnectionClosed: 1
        case let error as IOError where [ECONNRESET, EPIPE].contains(error.errnoCode): 1
        // Something unasked lay on it (``ReplyGuard``): nothing of the request was sent, and the next one may be like it.
        case let error as ChannelError where error == .ioOnClosedChannel: 8
        default: 0
        }
    }

    private static let beforeConnection: Set<CInt> = [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL]
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let contentDigest = HTTPField.Name("Content-Digest")!
}
