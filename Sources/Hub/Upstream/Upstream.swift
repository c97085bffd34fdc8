import HTTPMessages
import HTTPTypes
import Model
import NIOCore
import NIOPosix
import NIOSSL
import Sync
import Synchronization

/// The one server that the hub talks to. No request goes anywhere else, whatever a client writes.
final class Upstream: Sendable {
    let address: UpstreamAddress
    let presence: UpstreamPresence
    private let group: any EventLoopGroup
    private let tls: NIOSSLContext?
    private let times: Times
    private let token: String?
    private let proxy: ProxyAddress?
    private let idle = Mutex<[ObjectIdentifier: [UpstreamConnection]]>([:])
    private let clock: any StoreClock
    private let connections = Mutex(Connections())

    /// Those that are open, in use or kept.
    private struct Connections {
        var streams: [ObjectIdentifier: ByteStream] = [:]
        var isShutDown = false
    }

    /// How long the upstream is waited for.
    struct Times: Sendable {
        var connect = TimeAmount.seconds(5)
        /// Without a byte.
        var silence = TimeAmount.seconds(30)
    }

    /// Kept for another request, on each event loop.
    static let mostIdle = 32
    /// In Via: the same for each hub process, and no other has it.
    static let viaName: String = {
        var generator = SystemRandomNumberGenerator()
        let number: UInt32 = generator.next()
        return "quire-hub-" + String(number, radix: 16)
    }()

    /// - Parameter token: sent to the upstream where a request has no key of its own and `TokenLending` allows it.
    init(
        _ address: UpstreamAddress, group: any EventLoopGroup, clock: any StoreClock, token: String?,
        proxy: ProxyAddress? = nil, look: @escaping @Sendable () -> Presence, times: Times = Times(),
        trustRoots: NIOSSLTrustRoots = .default
    ) throws {
        self.address = address
        self.group = group
        self.token = token
        self.proxy = proxy
        self.times = times
        self.clock = clock
        presence = UpstreamPresence(clock: clock, look: look)
        if address.isSecure {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = trustRoots
            configuration.applicationProtocols = ["http/1.1"]
            tls = try NIOSSLContext(configuration: configuration)
        } else {
            tls = nil
        }
    }

    /// Whether devices need not show a token of their own to take questionnaires and to hand in tests.
    var hasToken: Bool { token != nil }

    /// The hub's own token, as a field.
    var ownAuthorization: String? { token.map { "Bearer \($0)" } }

    /// Whether the hub's own token goes with such a request, where no device's key does.
    ///
    /// - Parameter path: the upstream's, with its base path.
    func lendsToken(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        token != nil && TokenLending.isAllowed(method, path.dropFirst(address.basePath.count))
    }

    /// Whether a request may well be answered. Where the upstream was away and finding out takes no time, it is looked
    /// for at once.
    func isWorthTrying() async -> Bool {
        if presence.reasonNotToTry() != nil { return false }
        if presence.knowledge.isReachable == false { await probeOnce() }
        return presence.knowledge.isReachable != false
    }

    /// Whether there is a way now: a connection is made.
    func isThere() async -> Bool {
        if presence.reasonNotToTry() != nil { return false }
        await probeOnce()
        return presence.knowledge.isReachable != false
    }

    private static let repeatable: Set<HTTPRequest.Method> = [.get, .head, .options, .trace, .put, .delete]

    /// An exchange with the upstream.
    ///
    /// - Parameters:
    ///   - request: with the upstream's scheme, authority and whole path.
    ///   - body: of length 0 when the request has none.
    ///   - reuses: takes a connection that was kept, where there is one.
    ///   - repeats: sends it once more where that one ended; otherwise the failure says that that may be done.
    /// - Throws: `RemoteFailure`, and the body's errors.
    func exchange(
        _ request: HTTPRequest, _ body: HTTPBody, reuses: Bool = true, repeats: Bool = true,
        _ interim: @escaping @Sendable (HTTPResponse) async -> Void
    ) async throws -> HTTPReply {
        var request = request
        let body = body.length == 0 ? nil : body
        let isChunked = body.map { $0.length == nil } ?? false
        let fields = self.fields(of: &request, body: body)
        let head = MessageWriter.request(request, fields: fields)
        var isReused = reuses
        while true {
            let connection: UpstreamConnection
            if isReused, let kept = takeIdle() {
                connection = kept
            } else {
                isReused = false
                if let reason = presence.reasonNotToTry() {
                    presence.noteAway(reason, failsAtOnce: presence.knowledge.failsAtOnce)
                    startProbing()
                    throw RemoteFailure(.unreachable, reason)
                }
                connection = try await connect()
            }
            do {
                let reply = try await connection.exchange(
                    head: head, request: request, body: body, isChunked: isChunked, isReused: isReused,
                    interim: interim,
                    release: { [self] isUsable in if isUsable { keep(connection) } })
                presence.noteThere()
                return reply
            } catch is UpstreamConnection.OutOfStep {
                // Nothing was sent: another one takes the request, whatever its method.
                continue
            } catch let stale as UpstreamConnection.Stale {
                // RFC 9112 section 9.3.1: a request on a connection that was kept too long is retried where that is
                // safe.
                let mayBeRepeated = isReused && !stale.hasTakenBody && Self.repeatable.contains(request.method)
                if mayBeRepeated, repeats {
                    isReused = false
                    continue
                }
                throw RemoteFailure(
                    .interrupted, "\(address.authority) ended the connection without an answer",
                    mayBeRepeated: mayBeRepeated)
            } catch {
                if let failure = error as? RemoteFailure, failure.kind == .interrupted { doubt() }
                throw error
            }
        }
    }

    /// The fields as they go out.
    private func fields(of request: inout HTTPRequest, body: HTTPBody?) -> HTTPFields {
        var fields = HTTPFields([HTTPField(name: .hostField, value: address.authority)])
        var others = request.headerFields
        Forwarding.removeHopByHop(&others)
        others[.hostField] = nil
        others[values: .contentLength] = []
        if others[.authorization] == nil, lendsToken(request.method, request.path ?? "") {
            others[.authorization] = ownAuthorization
        }
        fields.append(contentsOf: others)
        if let body {
            if let length = body.length {
                fields[.contentLength] = String(length)
            } else {
                fields[.transferEncoding] = "chunked"
            }
        } else if request.method == .post || request.method == .put || request.method == .patch {
            fields[.contentLength] = "0"
        }
        return fields
    }

    // MARK: Connections

    /// A kept connection, if there is one: of the event loop that runs this, so that no thread changes, else of any. Questions of
    /// the cache run on no event loop.
    private func takeIdle() -> UpstreamConnection? {
        let own = MultiThreadedEventLoopGroup.currentEventLoop.map { ObjectIdentifier($0) }
        return idle.withLock { idle in
            if let own, let kept = idle[own]?.popLast() { return kept }
            for loop in Array(idle.keys) {
                if let kept = idle[loop]?.popLast() { return kept }
            }
            return nil
        }
    }

    private func keep(_ connection: UpstreamConnection) {
        let stream = connection.stream
        stream.onLoop { [self] in
            guard stream.isIdle else { return stream.close() }
            let isKept = idle.withLock { idle in
                let key = ObjectIdentifier(stream.eventLoop)
                guard idle[key, default: []].count < Self.mostIdle else { return false }
                idle[key, default: []].append(connection)
                return true
            }
            guard isKept else { return stream.close() }
            stream.whenClosed { [weak self, weak connection] in
                guard let self, let connection else { return }
                self.idle.withLock { $0[ObjectIdentifier(stream.eventLoop)]?.removeAll { $0 === connection } }
                stream.close()
            }
            stream.watch()
        }
    }

    private var currentLoop: any EventLoop { MultiThreadedEventLoopGroup.currentEventLoop ?? group.any() }

    private func connect() async throws(RemoteFailure) -> UpstreamConnection {
        let started = NIODeadline.now()
        let place = address.authority
        do {
            let stream = try await open()
            presence.noteThere()
            return UpstreamConnection(stream: stream, place: place, silence: times.silence)
        } catch {
            if connections.withLock({ $0.isShutDown }) { throw RemoteFailure(.cancelled, "stopped") }
            let isSlow = NIODeadline.now() - started > .milliseconds(500)
            let refusal = proxy.flatMap { (error as? ProxyTunnel.Refusal)?.reason($0, place) }
            let reason = refusal ?? "cannot connect to \(proxy.map { "the proxy \($0)" } ?? place)"
            presence.noteAway(reason, failsAtOnce: isSlow)
            startProbing()
            throw RemoteFailure(.unreachable, reason)
        }
    }

    private func open() async throws -> ByteStream {
        let bootstrap = ClientBootstrap(group: currentLoop)
            .connectTimeout(times.connect)
            .channelOption(.autoRead, value: false)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
        if let proxy { return try await open(through: proxy, bootstrap) }
        return try await bootstrap.connect(
            host: HostAndPort.connectable(address.host), port: address.port
        ) { channel in
            channel.eventLoop.makeCompletedFuture { try self.addStream(to: channel) }
        }
    }

    private func open(through proxy: ProxyAddress, _ bootstrap: ClientBootstrap) async throws -> ByteStream {
        let address = address
        let (channel, tunnel) = try await bootstrap.connect(
            host: HostAndPort.connectable(proxy.host), port: proxy.port
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                let established = channel.eventLoop.makePromise(of: Void.self)
                let tunnel = ProxyTunnel(proxy, to: address, established: established)
                try channel.pipeline.syncOperations.addHandler(tunnel)
                return (channel, established.futureResult)
            }
        }
        let silence = channel.eventLoop.scheduleTask(in: times.connect) { channel.close(promise: nil) }
        do {
            try await tunnel.get()
            silence.cancel()
            return try await channel.eventLoop.submit { try self.addStream(to: channel) }.get()
        } catch {
            silence.cancel()
            channel.close(promise: nil)
            throw error
        }
    }

    /// Makes a connection that leads to the upstream one for exchanges. On its event loop.
    private func addStream(to channel: any Channel) throws -> ByteStream {
        let handlers = channel.pipeline.syncOperations
        if let tunnel = try? handlers.context(handlerType: ProxyTunnel.self) {
            handlers.removeHandler(context: tunnel, promise: nil)
        }
        if let tls {
            let host = address.host
            let isName = host.contains { $0.isLetter } && !host.contains(":")
            try handlers.addHandler(NIOSSLClientHandler(context: tls, serverHostname: isName ? host : nil))
        }
        let stream = ByteStream(eventLoop: channel.eventLoop)
        try handlers.addHandler(stream)
        try note(stream, of: channel)
        return stream
    }

    private func note(_ stream: ByteStream, of channel: any Channel) throws {
        let isTaken = connections.withLock { connections in
            if !connections.isShutDown { connections.streams[ObjectIdentifier(stream)] = stream }
            return !connections.isShutDown
        }
        guard isTaken else { throw CancellationError() }
        channel.closeFuture.whenComplete { [self] _ in
            connections.withLock { _ = $0.streams.removeValue(forKey: ObjectIdentifier(stream)) }
        }
    }

    /// A connection broke or fell silent: whether the upstream is still there is found out beside the requests.
    private func doubt() {
        Task { [self] in await probeOnce() }
    }

    func startProbing() {
        Task { [weak self] in await self?.presence.probe { [weak self] in await self?.probeOnce() } }
    }

    private func probeOnce() async {
        if connections.withLock({ $0.isShutDown }) { return }
        do {
            let connection = try await connect()
            keep(connection)
        } catch {
            // Noted by the attempt itself.
        }
    }

    /// Ends all connections; no more are made.
    func shutdown() {
        let streams = connections.withLock { connections in
            connections.isShutDown = true
            return Array(connections.streams.values)
        }
        for stream in streams { stream.close() }
    }

    /// Whether no connection is open any more.
    var isClosed: Bool { connections.withLock { $0.streams.isEmpty } }
}
