/// How the page is served.
public struct PageConfiguration: Sendable {
    public var listen: PageAddress
    /// Others on the network may reach it, with a pairing code.
    public var allowsNetwork: Bool
    /// Sends and fetches by itself when there is a connection.
    public var isAutomatic: Bool

    public init(listen: PageAddress = .standard, allowsNetwork: Bool = false, isAutomatic: Bool = true) {
        self.listen = listen
        self.allowsNetwork = allowsNetwork
        self.isAutomatic = isAutomatic
    }

    /// - Throws: `PageError.networkNotAllowed`.
    func check() throws(PageError) {
        if !listen.isLoopback, !allowsNetwork { throw .networkNotAllowed(listen) }
    }
}
