/// How many connections a server has open at once, and how slow they may be.
public struct ConnectionBounds: Hashable, Sendable {
    /// Connections of all clients together.
    public var total: Int
    /// Connections from one address.
    public var perAddress: Int
    /// A client that is sending a request or receiving a response transfers `progressBytes` in this time, or is
    /// disconnected.
    public var progressSeconds = 30.0

    /// File descriptors that stay free for files and for the server's own connections.
    public static let sparedDescriptors = 256
    /// One address may have a quarter of the connections; the others are kept back for everybody else.
    public static let shareOfOneAddress = 4
    /// No more than this, however many descriptors there are.
    public static let most = 4096
    /// A client that transfers less in `progressSeconds` makes no progress. The slowest mobile networks transfer this in a
    /// second.
    public static let progressBytes = 1024

    public init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
    }

    /// The bounds of a process that may have this many files open.
    public init(descriptors: Int) {
        total = max(8, min(Self.most, max(descriptors - Self.sparedDescriptors, descriptors / 2)))
        perAddress = max(2, total / Self.shareOfOneAddress)
    }
}
