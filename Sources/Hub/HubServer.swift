import CacheStore
import Disk
import HTTPCaching
import Model
import NIOCore
import NIOPosix
import NIOSSL
import Networking
import Quire
import Sync
import Synchronization

import struct SystemPackage.Errno

/// A store-and-forward gateway between the devices of a room and the upstream: the cache and the outbox of a store,
/// behind an HTTP port.
///
///     let hub = try HubServer(configuration, store: store)
///     try await hub.run { port in print("listening on port \(port)") }
package final class HubServer: Sendable {
    private let configuration: HubConfiguration
    private let times: HubTimes
    private let group: MultiThreadedEventLoopGroup
    private let upstream: Upstream
    private let service: HubService
    private let relay: WriteRelay
    private let prefetcher: Prefetcher
    private let cache: HTTPCache
    private let purger: CachePurger
    /// `nil` where devices are spoken to without TLS.
    private let security: NIOSSLContext?
    private let table: ConnectionTable
    private let isStopping = Once()
    /// Sockets of clients whose end is not complete, those of a TLS handshake that ends included.
    private let openSockets = Atomic(0)
    private let runningConnections = Atomic(0)

    /// Requests that are being answered when the hub is stopped have this long to end.
    static let shutdownSeconds = 5.0
    /// Then their connections have this long to end: a client under TLS need not agree at once.
    static let closingSeconds = 2.0

    /// - Throws: `HubError`, and the errors of the TLS library.
    package convenience init(_ configuration: HubConfiguration, store: QuireStore) throws {
        try self.init(
            configuration, store: store, times: HubTimes(), upstreamTimes: Upstream.Times(),
            connections: .hub(openFiles: OpenFileLimit.current),
            reserve: DescriptorReserve(limit: OpenFileLimit.current))
    }

    init(
        _ configuration: HubConfiguration, store: QuireStore, times: HubTimes, upstreamTimes: Upstream.Times,
        connections: ConnectionBounds = .hub, reserve: DescriptorReserve? = nil, drafts: DraftBounds = DraftBounds(),
        trustRoots: NIOSSLTrustRoots = .default
    ) throws {
        self.configuration = configuration
        table = ConnectionTable(connections) { reserve?.isNear ?? false }
        self.times = times
        group = MultiThreadedEventLoopGroup(numberOfThreads: configuration.threads ?? System.coreCount)
        var names = configuration.names + [configuration.upstream.host]
        if let identity = configuration.identity {
            let (context, own) = try Self.security(identity)
            security = context
            names += Self.names(of: own)
        } else {
            security = nil
        }
        upstream = try Upstream(
            configuration.upstream, group: group, clock: store.clock, token: configuration.token,
            proxy: configuration.proxy, look: configuration.presence, times: upstreamTimes, trustRoots: trustRoots)
        cache = store.httpCache(policy: .hub, named: HubProblem.cacheName)
        let base = configuration.upstream.base
        store.cache.priority.favour { ProtocolQuery.isFavoured($0, base: base) }
        let caching = CachingUpstream(upstream: upstream, cache: cache)
        relay = try WriteRelay(
            store: store, caching: caching, name: configuration.ownName, drafts: drafts, patience: times.answer)
        prefetcher = Prefetcher(
            caching: caching, clock: store.clock, patterns: configuration.keep, keepsAll: configuration.keepsAll,
            knownURLs: { try store.cache.catalog.records(.trusting).map(\.url) },
            spare: { store.cache.priority.spare(urls: $0) })
        purger = CachePurger(store: store, cache: cache)
        let reporter = HubReporter(
            store: store, upstream: upstream, cache: cache, queue: relay.queue, prefetcher: prefetcher,
            drafts: relay.drafts, startedAt: store.clock.now, showsPeople: configuration.showsPeople)
        service = HubService(
            caching: caching, clock: store.clock, relay: relay,
            page: StatusPage(reporter, appAddresses: configuration.appAddresses),
            drafts: DraftEndpoint(store: store, drafts: relay.drafts, keys: relay.keys, bounds: drafts),
            showsPeople: configuration.showsPeople,
            names: OwnNames(listen: configuration.listen.host, names: names))
    }

    /// The state of the content kept for times without the upstream.
    var prefetchState: HubReport.Keeping { prefetcher.state }

    /// Of clients, now.
    var connectionCount: Int { table.count }

    /// Listens until the task is cancelled, then completes the current responses.
    ///
    /// - Parameter onListening: called once, with the port, when connections are taken.
    package func run(onListening: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let listener = try await listen()
        let port = listener.channel.localAddress?.port ?? configuration.listen.port
        service.call(names(port: port))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await self.relay.run() }
            group.addTask { await self.relay.keys.run() }
            group.addTask { await self.prefetcher.run() }
            group.addTask { await self.purger.run() }
            group.addTask {
                try await listener.executeThenClose { inbound in
                    for try await accepted in inbound { self.serve(accepted) }
                }
            }
            await onListening(port)
            do {
                // The prefetcher may have nothing to keep: the others do not end by themselves.
                while try await group.next() != nil {}
            } catch is CancellationError {
                // As it should be: the hub is stopped.
            }
            group.cancelAll()
        }
        await stop()
    }

    /// The names that a certificate vouches for.
    private static func names(of certificate: NIOSSLCertificate) -> [String] {
        certificate._subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { name in
            name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// - Throws: `HubError.cannotProve`.
    private static func security(
        _ identity: HubConfiguration.Identity
    ) throws -> (context: NIOSSLContext, own: NIOSSLCertificate) {
        let (certificate, key) = (identity.certificate.string, identity.key.string)
        func read<Value>(_ file: String, _ work: () throws -> Value) throws -> Value {
            do { return try work() } catch { throw HubError.cannotProve(file: file, reason: "\(error)") }
        }
        let chain = try read(certificate) { try NIOSSLCertificate.fromPEMFile(certificate) }
        guard let own = chain.first else {
            throw HubError.cannotProve(file: certificate, reason: "no certificate is in it")
        }
        let privateKey = try read(key) { try NIOSSLPrivateKey(file: key, format: .pem) }
        var settings = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        settings.minimumTLSVersion = .tlsv12
        settings.applicationProtocols = ["http/1.1"]
        // A client that has gone to sleep does not hold up the hub's own end.
        settings.shutdownTimeout = .seconds(1)
        return (try read(certificate) { try NIOSSLContext(configuration: settings) }, own)
    }

    /// A client's connection with its address.
    private struct Accepted: Sendable {
        var stream: ByteStream
        var address: String
    }

    private func listen() async throws -> NIOAsyncChannel<Accepted, Never> {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
        let security = security
        do {
            let listener = try await bootstrap.bind(
                host: configuration.listen.host, port: configuration.listen.port
            ) { channel in
                channel.eventLoop.makeCompletedFuture {
                    self.openSockets.add(1, ordering: .relaxed)
                    channel.closeFuture.whenComplete { _ in self.openSockets.subtract(1, ordering: .relaxed) }
                    let stream = ByteStream(eventLoop: channel.eventLoop)
                    if let security {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: security))
                    }
                    try channel.pipeline.syncOperations.addHandler(stream)
                    let address = ClientAddress.key(channel.remoteAddress?.ipAddress ?? "")
                    return Accepted(stream: stream, address: address)
                }
            }
            DescriptorLimit.watch(listener.channel, limit: OpenFileLimit.current, report: configuration.report)
            return listener
        } catch let error as IOError {
            throw HubError.cannotListen(
                configuration.listen.description, reason: Errno(rawValue: error.errnoCode).description.lowercased())
        } catch is SocketAddressError.UnknownHost {
            throw HubError.cannotListen(configuration.listen.description, reason: "there is no such host")
        }
    }

    /// Names that a URL in a request may call this hub by.
    private func names(port: Int) -> [String] {
        let own = ["localhost", "127.0.0.1", "[::1]", configuration.listen.host]
        return (own + configuration.names + [OwnNames.machine].compactMap(\.self)).map { "\($0.lowercased()):\(port)" }
    }

    private func serve(_ accepted: Accepted) {
        let (stream, address) = (accepted.stream, accepted.address)
        guard table.admit(stream, from: address) else { return stream.close() }
        let connection = ClientConnection(
            stream: stream, address: address, service: service, times: times, table: table,
            isStopping: { [isStopping] in isStopping.isDone })
        runningConnections.add(1, ordering: .relaxed)
        Task(executorPreference: LoopExecutor.of(stream.eventLoop)) { [self] in
            await connection.run()
            table.remove(stream, from: address)
            runningConnections.subtract(1, ordering: .relaxed)
        }
    }

    /// Shuts down in this order: current responses, connections, background work, threads. Work scheduled on a stopped
    /// thread would be lost with a warning from NIO.
    private func stop() async {
        _ = isStopping.begin()
        table.close()
        if service.activeRequests == 0 { for stream in table.streams { stream.close() } }
        await wait(Self.shutdownSeconds) { service.activeRequests == 0 }
        for stream in table.streams { stream.close() }
        upstream.shutdown()
        let isQuiet = Once()
        Task { [cache] in
            await cache.finishBackgroundWork()
            _ = isQuiet.begin()
        }
        await wait(Self.closingSeconds) {
            isQuiet.isDone && upstream.isClosed && runningConnections.load(ordering: .relaxed) == 0
                && openSockets.load(ordering: .relaxed) == 0
        }
        try? await group.shutdownGracefully()
    }

    /// Waits for a condition, for at most this many seconds.
    private func wait(_ seconds: Double, until isReached: () -> Bool) async {
        let limit = ContinuousClock.now + .seconds(seconds)
        while !isReached(), ContinuousClock.now < limit {
            // The task is cancelled: a sleep in it would not sleep.
            await Task.detached { try? await Task.sleep(for: .milliseconds(10)) }.value
        }
    }
}
