import CacheStore
import Disk
import HTTPCaching
import Model
import NIOCore
import NIOPosix
import NIOSSL
import Quire
import Sync
import Synchronization

import struct SystemPackage.Errno

/// A store-and-forward gateway between the devices of a room and the upstream: the cache and the outbox of a store,
/// behind an HTTP port.
///
///     let hub = try HubServer(configuration, store: store)
///     try await hub.run { port in print("listening on port \(port)") }
public final class HubServer: Sendable {
    private let configuration: HubConfiguration
    private let times: HubTimes
    private let group: MultiThreadedEventLoopGroup
    private let upstream: Upstream
    private let service: HubService
    private let relay: WriteRelay
    private let keeper: OfflineKeeper
    private let cache: HTTPCache
    private let housekeeper: Housekeeper
    private let clock: any StoreClock
    /// `nil` where devices are spoken to without TLS.
    private let security: NIOSSLContext?
    /// Of each event loop.
    private let repeated: [ObjectIdentifier: RepeatedAnswers]
    private let state = Mutex(State())

    private struct State {
        var isStopping = false
        var connections: [ObjectIdentifier: ByteStream] = [:]
    }

    /// Requests that are being answered when the hub is stopped have this long to end.
    static let shutdownSeconds = 5.0
    /// More connections at once are turned away.
    static let mostConnections = 4096

    /// - Throws: `HubError`, and what opening the TLS library throws.
    public convenience init(_ configuration: HubConfiguration, store: QuireStore) throws {
        try self.init(configuration, store: store, times: HubTimes(), upstreamTimes: Upstream.Times())
    }

    init(
        _ configuration: HubConfiguration, store: QuireStore, times: HubTimes, upstreamTimes: Upstream.Times,
        trustRoots: NIOSSLTrustRoots = .default
    ) throws {
        self.configuration = configuration
        self.times = times
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads ?? System.coreCount)
        clock = store.clock
        security = try configuration.identity.map(Self.security)
        let loops = Array(group.makeIterator())
        repeated = Dictionary(
            uniqueKeysWithValues: loops.map { (ObjectIdentifier($0), RepeatedAnswers(loops: loops.count)) })
        upstream = try Upstream(
            configuration.upstream, group: group, clock: store.clock, token: configuration.token,
            look: configuration.presence, times: upstreamTimes, trustRoots: trustRoots)
        cache = store.httpCache(policy: .hub, named: HubProblem.cacheName)
        let caching = CachingUpstream(upstream: upstream, cache: cache)
        relay = try WriteRelay(store: store, caching: caching)
        keeper = OfflineKeeper(
            caching: caching, clock: store.clock, patterns: configuration.keep, keepsAll: configuration.keepsAll,
            knownURLs: { try store.cache.records(.trusting).map(\.url) }, spare: { store.cache.spare(urls: $0) })
        housekeeper = Housekeeper(store: store, cache: cache)
        let reporter = HubReporter(
            store: store, upstream: upstream, cache: cache, queue: relay.queue, keeper: keeper,
            startedAt: store.clock.now)
        service = HubService(caching: caching, clock: store.clock, relay: relay, page: StatusPage(reporter))
    }

    /// What is kept for times without the upstream.
    var keeperState: HubReport.Keeping { keeper.state }

    /// Listens until the task is cancelled, then lets what is being answered end.
    ///
    /// - Parameter onListening: called once, with the port, when connections are taken.
    public func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let listener = try await listen()
        let port = listener.channel.localAddress?.port ?? configuration.listenPort
        service.call(names(port: port))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.relay.run() }
            group.addTask { await self.keeper.run() }
            group.addTask { await self.housekeeper.run() }
            group.addTask {
                try await listener.executeThenClose { inbound in
                    for try await connection in inbound { self.serve(connection) }
                }
            }
            await onListening(port)
            do {
                // The keeper may have nothing to keep: the others do not end by themselves.
                while try await group.next() != nil {}
            } catch is CancellationError {
                // As it should be: the hub is stopped.
            }
            group.cancelAll()
        }
        await stop()
    }

    /// - Throws: `HubError.cannotProve`.
    private static func security(_ identity: HubConfiguration.Identity) throws -> NIOSSLContext {
        let (certificate, key) = (identity.certificate.string, identity.key.string)
        func read<Value>(_ file: String, _ work: () throws -> Value) throws -> Value {
            do { return try work() } catch { throw HubError.cannotProve(file: file, reason: "\(error)") }
        }
        let chain = try read(certificate) { try NIOSSLCertificate.fromPEMFile(certificate) }
        guard !chain.isEmpty else { throw HubError.cannotProve(file: certificate, reason: "no certificate is in it") }
        let privateKey = try read(key) { try NIOSSLPrivateKey(file: key, format: .pem) }
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        settings.minimumTLSVersion = .tlsv12
        settings.applicationProtocols = ["http/1.1"]
        return try read(certificate) { try NIOSSLContext(configuration: settings) }
    }

    private func listen() async throws -> NIOAsyncChannel<ByteStream, Never> {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
        let security = security
        do {
            return try await bootstrap.bind(host: configuration.listenHost, port: configuration.listenPort) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let stream = ByteStream(eventLoop: channel.eventLoop)
                    if let security {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: security))
                    }
                    try channel.pipeline.syncOperations.addHandler(stream)
                    return stream
                }
            }
        } catch let error as IOError {
            throw HubError.cannotListen(
                configuration.listenText, reason: Errno(rawValue: error.errnoCode).description.lowercased())
        } catch is SocketAddressError.UnknownHost {
            throw HubError.cannotListen(configuration.listenText, reason: "there is no such host")
        }
    }

    /// Names that a URL in a request may call this hub by.
    private func names(port: Int) -> [String] {
        ["localhost", "127.0.0.1", "[::1]", configuration.listenHost.lowercased()].map { "\($0):\(port)" }
    }

    private func serve(_ stream: ByteStream) {
        let isTaken = state.withLock { state in
            guard !state.isStopping, state.connections.count < Self.mostConnections else { return false }
            state.connections[ObjectIdentifier(stream)] = stream
            return true
        }
        guard isTaken else { return stream.close() }
        let connection = ClientConnection(
            stream: stream, service: service, times: times,
            repeated: RepeatedRequests(
                repeated[ObjectIdentifier(stream.eventLoop)] ?? RepeatedAnswers(loops: 1), cache: cache, clock: clock),
            isStopping: { [weak self] in self?.state.withLock { $0.isStopping } ?? true })
        Task(executorPreference: LoopExecutor.of(stream.eventLoop)) { [self] in
            await connection.run()
            state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(stream)) }
        }
    }

    private func stop() async {
        let idle = state.withLock { state in
            state.isStopping = true
            return service.activeRequests == 0 ? Array(state.connections.values) : []
        }
        for stream in idle { stream.close() }
        let limit = ContinuousClock.now + .seconds(Self.shutdownSeconds)
        while service.activeRequests > 0, ContinuousClock.now < limit {
            // The task is cancelled: a sleep in it would not sleep.
            await Task.detached { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
        for stream in state.withLock({ Array($0.connections.values) }) { stream.close() }
        upstream.shutdown()
        try? await group.shutdownGracefully()
    }
}
