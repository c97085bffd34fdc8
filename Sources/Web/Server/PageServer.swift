import Disk
import HTTPServing
import Hummingbird
import Logging
import Model
import NIOCore
import Networking
import SystemPackage

/// The local page: a person takes tests in a browser, online or not.
///
///     let server = PageServer(PageConfiguration(), opening: opening, logger: logger)
///     try await server.run { words in print(words) }
package struct PageServer: Sendable {
    private let configuration: PageConfiguration
    private let opening: StoreContext.Opening
    private let logger: Logger

    /// Requests that are being answered when the server is stopped have this long to end.
    static let shutdownSeconds = 5

    package init(_ configuration: PageConfiguration, opening: StoreContext.Opening, logger: Logger) {
        self.configuration = configuration
        self.opening = opening
        self.logger = logger
    }

    /// Listens until the task is cancelled, then completes the current responses.
    ///
    /// - Parameter tell: gets each line for the person who started it, the first when connections are accepted.
    /// - Throws: `PageError`, `StoreError`, `FileError`.
    package func run(tell: @escaping @Sendable (String) -> Void) async throws {
        try configuration.check()
        let opened = try await offload { try open() }
        let (authenticator, router) = (opened.authenticator, opened.router)
        let (configuration, address) = (configuration, configuration.listen)
        router.nextCode = { tell(Self.invitation(authenticator, configuration, port: $0, isFirst: false)) }
        let application = application(opened.responder) { channel in
            let port = channel.localAddress?.port ?? address.port
            authenticator.setPort(port)
            router.setPort(port)
            DescriptorLimit.watch(channel, limit: OpenFileLimit.current) { [logger] in logger.critical("\($0)") }
            tell(Self.invitation(authenticator, configuration, port: port, isFirst: true))
        }
        // Opening a large store takes a while.
        try Task.checkCancellation()
        do {
            try await CancellableServices(
                [application, router.background], shutdownSeconds: Self.shutdownSeconds, logger: logger
            ).run()
        } catch let error as IOError {
            let code = Errno(rawValue: error.errnoCode)
            if code == .addressInUse { throw PageError.portInUse(address) }
            throw PageError.cannotListen(address, reason: code.description.lowercased())
        } catch is SocketAddressError.UnknownHost {
            throw PageError.cannotListen(address, reason: "there is no such host")
        }
    }

    static func invitation(
        _ authenticator: PageAuthenticator, _ configuration: PageConfiguration, port: Int, isFirst: Bool
    ) -> String {
        let address = configuration.listen
        if address.isLoopback {
            let url = "http://\(HostAndPort(host: address.host, port: port))/open?code=\(authenticator.code)"
            return isFirst ? "quire: the page is at \(url)" : "quire: for one more browser: \(url)"
        }
        let code = stride(from: 0, to: 16, by: 4).map { authenticator.code.dropFirst($0).prefix(4) }.joined(
            separator: "-")
        guard isFirst else { return "quire: the pairing code for one more device is \(code)" }
        let reached = configuration.reachable(address.host).map { "http://\(HostAndPort(host: $0, port: port))/open" }
        return reached.isEmpty
            ? "quire: other devices cannot reach the page, this machine is on no network; the pairing code is \(code)"
            : "quire: the page is at \(reached.joined(separator: " and ")), the pairing code is \(code)"
    }

    /// The server around the responder; the tests run the same one in memory.
    func application(
        _ responder: PageResponder, onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) -> Application<PageResponder> {
        var bounds = ConnectionBounds(descriptors: OpenFileLimit.current)
        // A person who reads is silent for longer than a device.
        bounds.idleSeconds = 120
        let reserve = DescriptorReserve(limit: OpenFileLimit.current)
        let connections = ServerConnections(
            bounds, logger: logger, isShort: { reserve.isNear },
            // Files go to the disk as they come.
            holdsContent: { !PageResponder.isMultipart($0.contentType) })
        return Application(
            responder: responder,
            server: .bounded(connections),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.listen.host, port: configuration.listen.port), serverName: "quire"),
            onServerRunning: onServerRunning, logger: logger)
    }

    struct Opened {
        var responder: PageResponder
        var authenticator: PageAuthenticator
        var router: PageRouter
    }

    /// Opens the store. Blocks on the disk.
    func open() throws -> Opened {
        let storeContext = try opening.open()
        // No cookie lives that long: such a note is of no more use, and a failure to remove it of no harm.
        try? storeContext.store.pageAccess.forgetReturns(
            before: storeContext.store.clock.now.adding(seconds: -400 * 86400))
        let authenticator = PageAuthenticator(
            key: try storeContext.store.pageAccess.key(), listen: configuration.listen,
            allowsNetwork: configuration.allowsNetwork)
        let router = try PageRouter(
            storeContext: storeContext, opening: opening, isAutomatic: configuration.isAutomatic,
            help: HelpFiles(in: configuration.helpFolder), logger: logger)
        return Opened(
            responder: PageResponder(authenticator: authenticator, router: router, logger: logger),
            authenticator: authenticator, router: router)
    }
}
