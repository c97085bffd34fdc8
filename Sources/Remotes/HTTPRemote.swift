import AsyncHTTPClient
import FoundationEssentials
import Glibc
import HTTPTypes
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import Sync
import Synchronization

/// A Quire server over HTTP (`docs/protocol.md`).
public final class HTTPRemote: Remote {
    public let base: String
    public let listURL: String
    private let address: HTTPAddress
    private let token: String?
    private let trust: CertificateTrust
    private let clock: any StoreClock
    private let presenceProbe: PresenceProbe
    private let limits: Limits
    private let largeReplies = LargeReplies()
    /// Made with the first request: commands that need no network start no threads for it.
    private let client = Mutex<HTTPClient?>(nil)

    /// How long a server is waited for.
    struct Limits: Sendable {
        /// Until a connection is made.
        var connect = TimeAmount.seconds(3)
        /// While the server says nothing.
        var silence = TimeAmount.seconds(30)
        /// For one exchange in all, however steadily its bytes trickle.
        var exchange = Duration.seconds(600)
    }

    static let longestReceiptBytes = 256 << 10
    static let longestReceiptListBytes = 4 << 20

    /// - Parameters:
    ///   - base: like `https://example.org/quire`.
    ///   - token: sent as a bearer token (RFC 6750), to this remote alone.
    ///   - trust: who may vouch for an https remote.
    /// - Throws: `RemoteAddressError` when the URL is not one of http or https with a host.
    public convenience init(
        base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust()
    ) throws {
        try self.init(base: base, token: token, clock: clock, trust: trust, limits: Limits())
    }

    init(
        base: String, token: String?, clock: any StoreClock, trust: CertificateTrust = CertificateTrust(),
        limits: Limits
    ) throws {
        self.trust = trust
        self.limits = limits
        address = try HTTPAddress(base)
        self.base = address.base
        self.token = token
        self.clock = clock
        listURL = address.base + "/v1/questionnaires"
        presenceProbe = PresenceProbe(host: address.host, port: address.port)
    }

    public func documentURL(id: String) -> String { listURL + "/" + PercentEncoding.pathSegment(id) }

    public func presence() -> Presence { presenceProbe.presence() }

    public func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        try await exchange(.GET, url, fields: fields, body: nil, maximumBytes: maximumBytes)
    }

    public func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields.append(HTTPField(name: .contentDigest, value: "sha-256=:\(Data(digest.bytes).base64EncodedString()):"))
        return try await exchange(
            .PUT, base + "/v1/tests/\(test)", fields: fields, body: bytes, maximumBytes: Self.longestReceiptBytes)
    }

    public func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let ids = tests.map(\.description).joined(separator: ",")
        return try await exchange(
            .GET, base + "/v1/tests?ids=\(ids)", fields: HTTPFields(), body: nil,
            maximumBytes: Self.longestReceiptListBytes)
    }

    public func shutdown() async {
        let made = client.withLock { client in
            defer { client = nil }
            return client
        }
        // A client that does not end cleanly has nothing left that we need.
        try? await made?.shutdown()
    }

    // MARK: One exchange

    private func exchange(
        _ method: HTTPMethod, _ url: String, fields: HTTPFields, body: [UInt8]?, maximumBytes: Int
    ) async throws(RemoteFailure) -> RemoteReply {
        guard url.hasPrefix(base + "/") else {
            throw RemoteFailure(.invalidReply, "\(url) is not on this remote, \(base)")
        }
        var request = HTTPClientRequest(url: url)
        request.method = method
        request.headers.add(name: "User-Agent", value: "quire")
        for field in fields { request.headers.add(name: field.name.rawName, value: field.value) }
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body { request.body = .bytes(body) }
        let requestTime = clock.now
        do {
            let started = ContinuousClock.now
            let response = try await currentClient().execute(request, timeout: limits.silence)
            let announced = response.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
            if announced > maximumBytes { throw tooLong(url, maximumBytes) }
            var received: [UInt8] = []
            var turn: ReplyTurn?
            for try await chunk in response.body {
                if received.count + chunk.readableBytes > maximumBytes { throw tooLong(url, maximumBytes) }
                if turn == nil, received.count + chunk.readableBytes > LargeReplies.smallBytes {
                    turn = await largeReplies.turn()
                    received.reserveCapacity(announced)
                }
                chunk.withUnsafeReadableBytes { received.append(contentsOf: $0) }
                if ContinuousClock.now - started > limits.exchange {
                    throw RemoteFailure(.interrupted, "\(address.authority) sends too slowly")
                }
            }
            var replyFields = HTTPFields()
            for header in response.headers {
                if let name = HTTPField.Name(header.name) {
                    replyFields.append(HTTPField(name: name, value: header.value))
                }
            }
            return RemoteReply(
                status: Int(response.status.code), fields: replyFields, body: received, requestTime: requestTime,
                responseTime: clock.now, turn: turn)
        } catch let failure as RemoteFailure {
            throw failure
        } catch {
            throw failure(for: error)
        }
    }

    private func tooLong(_ url: String, _ maximumBytes: Int) -> RemoteFailure {
        RemoteFailure(.invalidReply, "\(url) is longer than \(maximumBytes) bytes and was refused")
    }

    private func currentClient() -> HTTPClient {
        client.withLock { client in
            if let client { return client }
            var configuration = HTTPClient.Configuration()
            // No redirect is followed: it would carry the token, and an answer, to a place that nobody named.
            configuration.redirectConfiguration = .disallow
            configuration.tlsConfiguration = trust.configuration
            configuration.timeout = .init(connect: limits.connect, read: limits.silence)
            // A refused connection is reported at once; the sweep has its own retries.
            configuration.connectionPool.retryConnectionEstablishment = false
            configuration.http1_1ConnectionDebugInitializer = { ReplyGuard.install(on: $0) }
            let made = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            client = made
            return made
        }
    }

    private func failure(for error: any Error) -> RemoteFailure {
        let place = address.authority
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

    private static let beforeConnection: Set<CInt> = [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL]
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let contentDigest = HTTPField.Name("Content-Digest")!
}
