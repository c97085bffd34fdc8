import Model
import NIOCore
import Sync
import SystemPackage

/// What a hub is told when it starts.
public struct HubConfiguration: Sendable {
    public var upstream: UpstreamAddress
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var listenHost: String
    /// 0 for any free port.
    public var listenPort: Int
    /// Shown to the upstream in the place of what a device shows: for taking questionnaires and for handing in tests.
    public var token: String?
    /// Paths, or ids of questionnaires, that are kept fresh for times without the upstream.
    public var keep: [String] = []
    /// Everything that the upstream's list names is kept.
    public var keepsAll = false
    /// What the machine knows of the way to the upstream, told without a packet.
    public var presence: @Sendable () -> Presence = { .likely }
    /// Where it is there, devices are spoken to over TLS, and over nothing else.
    public var identity: Identity?
    /// Names that devices call the hub by, beside its addresses and those of the machine.
    public var names: [String] = []
    /// Is given a sentence for the person who runs the hub.
    public var report: @Sendable (String) -> Void = { _ in }
    /// Threads; one for each processor unless told.
    public var threads: Int?

    /// What the hub proves with who it is: PEM files.
    public struct Identity: Sendable, Hashable {
        /// The hub's own certificate first, then those between it and an authority that the devices trust.
        public var certificate: FilePath
        public var key: FilePath

        public init(certificate: FilePath, key: FilePath) {
            self.certificate = certificate
            self.key = key
        }
    }

    public init(upstream: UpstreamAddress, listenHost: String, listenPort: Int) {
        self.upstream = upstream
        self.listenHost = listenHost
        self.listenPort = listenPort
    }

    /// Reads `0.0.0.0:8080`, `localhost:0` or `[::1]:8080`.
    ///
    /// - Throws: `HubError.invalidAddress`.
    public static func listenAddress(_ text: String) throws(HubError) -> (host: String, port: Int) {
        guard let parsed = HostAndPort(text) else { throw .invalidAddress(text) }
        return (parsed.host, parsed.port)
    }

    var listenText: String { HostAndPort(host: listenHost, port: listenPort).description }
}
