import Model
import NIOCore
import Sync
import SystemPackage

/// The configuration of a hub.
package struct HubConfiguration: Sendable {
    package var upstream: UpstreamAddress
    /// The proxy on the way to the upstream.
    package var proxy: ProxyAddress?
    /// Where it listens; port 0 for any free one.
    package var listen: HostAndPort
    /// Sent to the upstream in place of a device's own: for fetching questionnaires and for sending tests.
    package var token: String?
    /// Paths, or ids of questionnaires, that are kept fresh for times without the upstream.
    package var keep: [String] = []
    /// Everything that the upstream's list names is kept.
    package var keepsAll = false
    /// Whether devices without a key see the class list: names, classes and ids, and no codes.
    package var showsPeople = false
    /// Whether the machine can reach the upstream, determined without a packet.
    package var presence: @Sendable () -> Presence = { .likely }
    /// If set, the hub accepts only TLS connections from devices.
    package var identity: Identity?
    /// Names that devices call the hub by, beside its addresses and those of the machine.
    package var names: [String] = []
    /// What it is called, for people; `nil` where it has no name.
    var ownName: String? { names.first { !$0.contains("*") } }
    /// Where phones open the app, once it listens: those of each network that the machine is on by now.
    package var appAddresses: @Sendable () -> [String] = { [] }
    /// Called with a sentence for the operator of the hub.
    package var report: @Sendable (String) -> Void = { _ in }
    /// The number of threads; by default one for each processor.
    package var threads: Int?

    /// The hub's certificate and key: PEM files.
    package struct Identity: Sendable, Hashable {
        /// The hub's own certificate first, then those between it and an authority that the devices trust.
        package var certificate: FilePath
        package var key: FilePath

        package init(certificate: FilePath, key: FilePath) {
            self.certificate = certificate
            self.key = key
        }
    }

    package init(upstream: UpstreamAddress, listen: HostAndPort) {
        self.upstream = upstream
        self.listen = listen
    }
}
