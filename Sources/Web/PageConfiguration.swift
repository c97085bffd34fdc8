import Model

/// How the page is served.
public struct PageConfiguration: Sendable {
    public var listen: HostAndPort
    /// Others on the network may reach it, with a pairing code.
    public var allowsNetwork: Bool
    /// Sends and fetches by itself when there is a connection.
    public var isAutomatic: Bool
    /// The addresses at which other machines reach a program that listens on one.
    public var reachable: @Sendable (String) -> [String]

    /// Always the same, so that bookmarks and open tabs find the page after a restart.
    public static let standardListen = HostAndPort(host: "127.0.0.1", port: 8480)

    public init(
        listen: HostAndPort = PageConfiguration.standardListen, allowsNetwork: Bool = false, isAutomatic: Bool = true,
        reachable: @escaping @Sendable (String) -> [String] = { [$0] }
    ) {
        self.listen = listen
        self.allowsNetwork = allowsNetwork
        self.isAutomatic = isAutomatic
        self.reachable = reachable
    }

    /// - Throws: `PageError.networkNotAllowed`.
    func check() throws(PageError) {
        if !listen.isLoopback, !allowsNetwork { throw .networkNotAllowed(listen) }
    }
}
