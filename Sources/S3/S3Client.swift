import AsyncHTTPClient
import Disk
import HTTPCaching
import Model
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Networking
import ObjectStores
import Synchronization
import SystemPackage

/// Sends signed requests to a bucket, and repeats what failed for a while.
final class S3Client: Sendable {
    /// One request; it can be sent any number of times.
    struct Request: Sendable {
        var method: String
        var object: ObjectName?
        var query: [(name: String, value: String)] = []
        var fields: [(name: String, value: String)] = []
        var content: ObjectContent?
    }

    struct Limits: Sendable {
        var connect = TimeAmount.seconds(5)
        /// While the store says nothing.
        var silence = TimeAmount.seconds(60)
        /// A long object may take longer, as long as it moves at this rate.
        var exchange = TimeAmount.minutes(10)
        var slowestBytesPerSecond: Int64 = 16 << 10
        /// The longest list or error that is read.
        var replyBytes = 8 << 20
    }

    let bucket: S3Bucket
    private let signature: S3Signature
    private let clock: any StoreClock
    private let trust: TLSConfiguration
    private let limits: Limits
    private let retry: S3Retry
    private let client = Mutex<OpenClient?>(nil)

    init(
        _ bucket: S3Bucket, _ settings: S3Settings, clock: any StoreClock, trust: TLSConfiguration,
        limits: Limits, retry: S3Retry
    ) {
        self.bucket = bucket
        signature = S3Signature(credentials: settings.credentials, region: settings.region)
        self.clock = clock
        self.trust = trust
        self.limits = limits
        self.retry = retry
    }

    /// Sends a request until a reply comes that a repetition would not change.
    ///
    /// - Returns: the reply, and whether an earlier attempt may have taken effect.
    func send(_ request: Request) async throws(ObjectStoreError) -> (reply: S3Reply, isRepeated: Bool) {
        var attempt = 0
        var mayHaveTakenEffect = false
        while true {
            attempt += 1
            var requested: Duration?
            let failure: ObjectStoreError
            do throws(ObjectStoreError) {
                let reply = try await sendOnce(request)
                if reply.status < 400 { return (reply, mayHaveTakenEffect) }
                let fault = reply.fault
                guard S3Retry.mayRepeat(status: reply.status, code: fault.code) else {
                    return (reply, mayHaveTakenEffect)
                }
                requested = reply.requestedPause(clock.now)
                failure = error(reply, request.object)
            } catch {
                guard error.isTransient else { throw error }
                failure = error
            }
            mayHaveTakenEffect = mayHaveTakenEffect || failure.mayHaveTakenEffect
            let pause = retry.pause(before: attempt, requested: requested, random: Double.random(in: 0...1))
            guard let pause else { throw failure }
            do {
                try await Task.sleep(for: pause)
            } catch {
                throw ObjectStoreError(.cancelled, "stopped")
            }
        }
    }

    /// Sends a request once. The body of an error is read, that of a success is not.
    private func sendOnce(_ request: Request) async throws(ObjectStoreError) -> S3Reply {
        let hash = request.content?.digest.hex ?? S3Signature.emptyHash
        let path = bucket.path(request.object)
        let host: (name: String, value: String) = (name: "host", value: bucket.requestAuthority)
        let fields = [host] + request.fields
        let signed = signature.fields(
            for: S3Signature.Request(
                method: request.method, path: path, query: request.query, fields: fields, payloadHash: hash),
            at: clock.now)
        var url = "\(bucket.isEncrypted ? "https" : "http")://\(bucket.requestAuthority)\(path)"
        if !request.query.isEmpty { url += "?" + S3Signature.query(request.query) }
        var message = HTTPClientRequest(url: url)
        message.method = HTTPMethod(rawValue: request.method)
        for field in request.fields + signed { message.headers.add(name: field.name, value: field.value) }
        message.headers.add(name: "User-Agent", value: "quire")
        if let content = request.content { message.body = Self.body(content) }
        let bytes = request.content?.sizeBytes ?? 0
        let deadline = limits.exchange + .seconds(bytes / limits.slowestBytesPerSecond)
        do {
            let response = try await currentClient().http.execute(message, timeout: deadline)
            var reply = S3Reply(
                status: Int(response.status.code), fields: response.headers.map { (name: $0.name, value: $0.value) },
                body: response.body)
            if reply.status >= 300 {
                reply.errorBytes = try await Array(response.body.collect(upTo: 64 << 10).readableBytesView)
            }
            return reply
        } catch {
            throw failure(error)
        }
    }

    private static func body(_ content: ObjectContent) -> HTTPClientRequest.Body {
        if let bytes = content.bytes { return .bytes(ByteBuffer(bytes: bytes)) }
        return .stream(CheckedPieces(content: content), length: .known(content.sizeBytes))
    }

    /// The body of a reply, when it fits.
    func bytes(of reply: S3Reply) async throws(ObjectStoreError) -> [UInt8] {
        do {
            return try await Array(reply.body.collect(upTo: limits.replyBytes).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw ObjectStoreError(.tooLong, "a reply of \(bucket.url) is longer than \(limits.replyBytes) bytes")
        } catch {
            throw failure(error)
        }
    }

    // MARK: - Errors

    /// What a reply of an error means.
    func error(_ reply: S3Reply, _ object: ObjectName?) -> ObjectStoreError {
        let (code, message) = reply.fault
        let place = object.map { "\(bucket.url)/\($0)" } ?? bucket.url
        let said = "\(reply.status)" + (code.isEmpty ? "" : " \(code)") + (message.isEmpty ? "" : ": \(message)")
        if let skew = skew(reply, code) { return ObjectStoreError(.refused, skew) }
        switch reply.status {
        case 301, 307, 308:
            let region = reply.field("x-amz-bucket-region").map { "set AWS_REGION to \($0)" }
            return ObjectStoreError(
                .refused,
                "\(bucket.url) is at another endpoint: \(region ?? "check AWS_ENDPOINT_URL and AWS_REGION")")
        case 400 where code.hasPrefix("Authorization"):
            return ObjectStoreError(.refused, "\(bucket.url) is in another region: set AWS_REGION (it answers \(said))")
        case 401, 403:
            let advice =
                switch code {
                case "SignatureDoesNotMatch":
                    "the secret key is not that of this access key: check AWS_SECRET_ACCESS_KEY"
                case "InvalidAccessKeyId": "it does not know this access key: check AWS_ACCESS_KEY_ID"
                case "ExpiredToken", "InvalidToken": "the session token has expired: get a new one"
                default: "these credentials may not do that: ask who runs the bucket"
                }
            return ObjectStoreError(.refused, "\(place) is refused, \(advice) (it answers \(said))")
        case 404:
            return ObjectStoreError(
                .unusable,
                code == "NoSuchBucket"
                    ? "there is no bucket \(bucket.name) at \(bucket.authority): make it there, or correct the address"
                    : "\(place) answers \(said): is this an object store?")
        case 501:
            return ObjectStoreError(
                .unusable,
                "\(bucket.url) does not know create-only writes (If-None-Match: *), so it cannot be used (it answers \(said))"
            )
        case 507: return ObjectStoreError(.full, "\(bucket.url) is full: free some space there")
        case 408, 429, 500...599, 409:
            if code.contains("Quota") { return ObjectStoreError(.full, "\(bucket.url) is full (it answers \(said))") }
            return ObjectStoreError(.unavailable, "\(bucket.url) cannot now (it answers \(said))")
        default: return ObjectStoreError(.unusable, "\(place) answers \(said): is this an object store?")
        }
    }

    /// The sentence about a clock that the store refuses; `nil` where it refuses something else. A reply to HEAD has no body
    /// that names the error, but a date.
    private func skew(_ reply: S3Reply, _ code: String) -> String? {
        let theirs = reply.field("Date").flatMap { HTTPDate.parse($0, now: clock.now) }
        let minutes = theirs.map { Int((clock.now.seconds(since: $0) / 60).rounded()) }
        let isNamed = code == "RequestTimeTooSkewed" || code == "RequestExpired"
        guard isNamed || reply.status == 403 && code.isEmpty && abs(minutes ?? 0) >= Self.toleratedMinutes else {
            return nil
        }
        guard let minutes else {
            return "the clock of this machine differs too much from that of \(bucket.authority): set it"
        }
        let direction = minutes < 0 ? "behind" : "ahead of"
        return "the clock of this machine is \(abs(minutes)) minutes \(direction) that of \(bucket.authority): set it"
    }

    /// S3 refuses signatures that are older or newer.
    private static let toleratedMinutes = 15

    func failure(_ error: any Error) -> ObjectStoreError {
        let place = bucket.authority
        switch error {
        case let error as ObjectStoreError: return error
        case is CancellationError: return ObjectStoreError(.cancelled, "stopped")
        case let error as HTTPClientError where error == .cancelled: return ObjectStoreError(.cancelled, "stopped")
        case let error as HTTPClientError where [.connectTimeout, .getConnectionFromPoolTimeout].contains(error):
            return ObjectStoreError(.unreachable, "\(place) does not answer")
        case let error as HTTPClientError:
            return ObjectStoreError(.interrupted, "the connection to \(place) broke: \(error.shortDescription)")
        case let error as IOError where Self.beforeConnection.contains(Errno(rawValue: error.errnoCode)):
            return ObjectStoreError(.unreachable, "cannot connect to \(place)")
        case is NIOConnectionError: return ObjectStoreError(.unreachable, "cannot connect to \(place)")
        // Bytes that nothing had asked for are seen before the request goes out.
        case ReplyFault.unasked: return ObjectStoreError(.interrupted, "the connection to \(place) broke: \(error)")
        case let fault as ReplyFault:
            return ObjectStoreError(.unusable, "\(place): \(fault): is this an object store?")
        case HTTPParserError.invalidEOFState:
            return ObjectStoreError(.interrupted, "the connection to \(place) broke: the reply ended in the middle")
        case HTTPParserError.headerOverflow:
            return ObjectStoreError(
                .unusable,
                "\(place): the header fields of the reply are longer than 80 KiB: is this an object store?")
        case let error as HTTPParserError:
            return ObjectStoreError(.unusable, "\(place): the reply is not HTTP: \(error): is this an object store?")
        case let error as NIOSSLError:
            if case .handshakeFailed = error {
                return ObjectStoreError(
                    .unreachable,
                    "no safe connection to \(place): its certificate is not signed by an authority that this machine trusts, "
                        + "has expired, or it does not speak TLS as it should")
            }
            return ObjectStoreError(.interrupted, "the connection to \(place) broke")
        case is NIOSSLExtraError:
            return ObjectStoreError(.unreachable, "the certificate of \(place) was made out for another name")
        default: return ObjectStoreError(.interrupted, "the connection to \(place) broke: \(error)")
        }
    }

    /// Errors after which nothing was sent.
    private static let beforeConnection: Set<Errno> = [
        .connectionRefused, .networkUnreachable, .noRouteToHost, .networkDown, .addressNotAvailable,
    ]

    // MARK: - Connections

    /// One thread is enough for one bucket.
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private func currentClient() -> OpenClient {
        client.withLock { client in
            if let client { return client }
            var configuration = HTTPClient.Configuration()
            // A redirect would take the signature, and answers, elsewhere.
            configuration.redirectConfiguration = .disallow
            configuration.tlsConfiguration = trust
            configuration.timeout = .init(connect: limits.connect, read: limits.silence, write: limits.silence)
            configuration.connectionPool.retryConnectionEstablishment = false
            // As many as there are threads that wait for it; the library's standard is 8.
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = BlockingThreads.mostWaiting
            let place = HostAndPort.connectable(bucket.host)
            // `localhost` and names below it are this machine (RFC 6761 section 6.3).
            if place != bucket.host { configuration.dnsOverride = [bucket.host: place] }
            configuration.http1_1ConnectionDebugInitializer = { ReplyGuard.install(on: $0) }
            let made = OpenClient(HTTPClient(eventLoopGroup: Self.loops, configuration: configuration))
            client = made
            return made
        }
    }

    /// Closes the connections, and waits until they are closed.
    func shutdown() async {
        let open = client.withLock { client in
            defer { client = nil }
            return client
        }
        do { try await open?.http.shutdown() } catch {
            // It was closed already.
        }
    }
}

/// A client that is shut down with its last reference.
private final class OpenClient: Sendable {
    let http: HTTPClient

    init(_ http: HTTPClient) { self.http = http }

    deinit { http.shutdown { _ in } }
}

/// Content as it is sent: the next piece is read when the connection takes one. The last piece is held back until the digest
/// of all is right, so other content never arrives as a whole.
private struct CheckedPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let content: ObjectContent

    struct AsyncIterator: AsyncIteratorProtocol {
        let content: ObjectContent
        var offset: Int64 = 0
        var builder = DigestBuilder()

        mutating func next() async throws -> ByteBuffer? {
            guard offset < content.sizeBytes else { return nil }
            let count = Int(Swift.min(content.sizeBytes - offset, Int64(S3ObjectStore.pieceBytes)))
            let piece = try await content.read(offset, count)
            piece.withUnsafeBytes { builder.update($0) }
            offset += Int64(piece.count)
            let isWrong =
                offset > content.sizeBytes || offset == content.sizeBytes && builder.finish() != content.digest
            guard !piece.isEmpty, !isWrong else {
                throw ObjectStoreError(.otherContent, "the content is not what its digest says")
            }
            return ByteBuffer(bytes: piece)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(content: content) }
}
