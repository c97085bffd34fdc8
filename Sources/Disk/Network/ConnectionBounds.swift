/// The limits on the number and the slowness of a server's connections.
package struct ConnectionBounds: Hashable, Sendable {
    /// Connections of all clients together.
    package var total: Int
    /// Connections from one address.
    package var perAddress: Int
    /// A client that is sending a request or receiving a response must transfer `progressBytes` in this time, or is
    /// disconnected.
    package var progressSeconds = 30.0
    /// A connection that is silent for this long, without a request, is closed.
    package var idleSeconds: Int64 = 60
    /// Bytes of requests' contents in memory, of all clients together.
    package var bodyBytes = 64 << 20

    /// Connections that are turned away stay open until the client has read why. So many may, beside those that count; beyond
    /// that the one that has been leaving for longest is closed.
    package var leaving: Int { max(2, min(64, total / 4)) }
    /// A connection that is turned away is closed after this time at the latest.
    package static let leavingSeconds = 5.0

    /// File descriptors reserved for files and for the server's own connections.
    package static let sparedDescriptors = 256
    /// One address may have a quarter of the connections; the rest is reserved for others.
    package static let shareOfOneAddress = 4
    /// The maximum, however many descriptors there are.
    package static let most = 4096
    /// A client that transfers less in `progressSeconds` makes no progress. The slowest mobile networks transfer this in a
    /// second.
    package static let progressBytes = 1024

    package init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
    }

    /// The bounds of a process that may have this many files open.
    package init(descriptors: Int) {
        total = max(8, min(Self.most, max(descriptors - Self.sparedDescriptors, descriptors / 2)))
        perAddress = max(2, total / Self.shareOfOneAddress)
    }
}
