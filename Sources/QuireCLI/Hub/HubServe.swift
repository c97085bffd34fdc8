import ArgumentParser
import Disk
import FoundationEssentials
import Hub
import Model
import Quire
import Remotes
import Synchronization
import SystemPackage

/// `quire hub --upstream URL`
struct HubServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the hub until SIGTERM or Ctrl-C. (This is what `quire hub` does.)")

    @Option(help: ArgumentHelp("The server whose content is cached.", valueName: "url"))
    var upstream: String

    @Option(help: ArgumentHelp("Where to listen; port 0 takes any free one.", valueName: "addr:port"))
    var listen = "127.0.0.1:8080"

    @OptionGroup var quota: QuotaOption

    @OptionGroup var folder: HubFolder

    @Option(
        help: ArgumentHelp(
            "Send the server the token in the first line of this file, which only its owner may read.",
            valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Use TLS with the certificates in this PEM file, the hub's own first.", valueName: "file")
    )
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's private key, a PEM file.", valueName: "file"))
    var key: String?

    @Option(
        help: ArgumentHelp(
            "Keep this up to date for times without the server: a questionnaire's id, or a path such as /films/*.mp4.",
            valueName: "pattern"))
    var keep: [String] = []

    @Flag(help: "Keep everything in the server's list of questionnaires.")
    var keepAll = false

    @Option(
        help: ArgumentHelp(
            "Answer to this name too, besides the hub's addresses and the machine's own name.", valueName: "host"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "The HTTP proxy on the way to the server, such as http://NAME:PASSWORD@HOST:PORT; none for no proxy. Without it the "
                + "variables https_proxy, http_proxy and no_proxy decide.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Show the class list (names, classes, numbers) to phones without a key of their own.")
    var showPeople = false

    func validate() throws {
        guard (certificate == nil) == (key == nil) else {
            throw ValidationError("--certificate and --key belong together: give both, or none")
        }
    }

    func run() async throws { try await Termination.cancelling { try await serve() } }

    private func serve() async throws {
        do {
            guard let address = HostAndPort(listen) else { throw HubError.invalidAddress(listen) }
            var configuration = HubConfiguration(
                upstream: try UpstreamAddress(upstream), listen: address)
            let store = try openStore(configuration.upstream)
            configuration.token = try Session.token(store, file: tokenFile)
            configuration.keep = keep + Self.patterns(store.settings.otherFields["keep"])
            configuration.keepsAll = keepAll || store.settings.otherFields["keepAll"] == .bool(true)
            configuration.showsPeople = showPeople || store.settings.otherFields["showPeople"] == .bool(true)
            if let certificate, let key {
                configuration.identity = .init(certificate: FilePath(certificate), key: FilePath(key))
            }
            let scheme = certificate == nil ? "http" : "https"
            let proxies = Session.proxies(store, named: proxy)
            configuration.proxy = try proxies.proxy(
                to: configuration.upstream.host, isSecure: configuration.upstream.isSecure)
            let remote = try HTTPRemote(
                base: configuration.upstream.base, token: nil, clock: store.clock, proxies: proxies)
            configuration.presence = { remote.presence() }
            configuration.names = name + Self.patterns(store.settings.otherFields["names"])
            let listening = Mutex<Int?>(nil)
            let appAddresses: @Sendable () -> [String] = {
                guard let port = listening.withLock({ $0 }) else { return [] }
                return MachineAddresses.reachable(address.host).map {
                    "\(scheme)://\(HostAndPort(host: $0, port: port))/_hub/app/"
                }
            }
            configuration.appAddresses = appAddresses
            configuration.report = { Output.complain($0) }
            if (try? store.isNewToPeople()) == true {
                Output.complain(
                    "this hub's folder is from before there were people and keys: all that it kept is here and is sent on, and "
                        + "from now on each device acts with its own key, for the hub lends its own to no device")
            }
            let hub = try HubServer(configuration, store: store)
            // It was asked to end while it started.
            try Task.checkCancellation()
            try await hub.run { port in
                let listened = HostAndPort(host: address.host, port: port)
                Output.write("quire: hub listening on \(scheme)://\(listened)\n")
                listening.withLock { $0 = port }
                let reached = appAddresses()
                Output.write(
                    reached.isEmpty
                        ? "quire: phones cannot reach this hub: this machine is on no network\n"
                        : reached.map { "quire: phones open \($0)\n" }.joined())
                if let first = reached.first { Output.writeQRCode(of: first) }
            }
        } catch let error as HubError {
            switch error {
            case .invalidUpstream, .invalidAddress: throw Failure(Exit.usage, error.description)
            case .cannotProve: throw Failure(Exit.badData, error.description)
            case .cannotListen, .storeInUse: throw Failure(Exit.inputOutput, error.description)
            }
        }
    }

    /// A list of texts in the settings; other values are skipped.
    private static func patterns(_ value: JSONValue?) -> [String] {
        guard case .array(let members) = value else { return [] }
        return members.compactMap { member in
            if case .string(let text) = member, !text.isEmpty { text } else { nil }
        }
    }

    /// Opens the hub's store, or makes it; waiting items in it go to the upstream named now.
    private func openStore(_ upstream: UpstreamAddress) throws -> QuireStore {
        let made: QuireStore
        do {
            made = try Self.open(folder.path, quota.quota?.bytes)
        } catch StoreError.noStore {
            let settings = StoreSettings(
                remote: upstream.base, deviceId: TestID.random().description, quotaBytes: quota.quota?.bytes)
            _ = try QuireStore.create(at: folder.path, settings: settings)
            return try Self.open(folder.path, quota.quota?.bytes)
        }
        guard made.settings.remote != upstream.base else { return made }
        var settings = made.settings
        settings.remote = upstream.base
        settings.tokenFile = nil
        try made.save(settings)
        return try Self.open(folder.path, quota.quota?.bytes)
    }

    private static func open(_ path: FilePath, _ quotaBytes: Int64?) throws -> QuireStore {
        try QuireStore.open(at: path, quotaBytes: quotaBytes, memoryTierBytes: Session.longLivedMemoryBytes)
    }
}
