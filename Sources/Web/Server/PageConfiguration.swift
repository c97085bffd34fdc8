import Model
import SystemPackage

/// How the page is served.
package struct PageConfiguration: Sendable {
    package var listen: HostAndPort
    /// Others on the network may reach it, with a pairing code.
    package var allowsNetwork: Bool
    /// Sends and fetches by itself when there is a connection.
    package var isAutomatic: Bool
    /// The addresses at which other machines reach a program that listens on one.
    package var reachable: @Sendable (String) -> [String]
    /// The folder of the documents' site; without one the page has no help.
    package var helpFolder: FilePath?

    /// Always the same, so that bookmarks and open tabs find the page after a restart.
    package static let standardListen = HostAndPort(host: "127.0.0.1", port: 8480)

    package init(
        listen: HostAndPort = PageConfiguration.standardListen, allowsNetwork: Bool = false, isAutomatic: Bool = true,
        reachable: @escaping @Sendable (String) -> [String] = { [$0] }, helpFolder: FilePath? = nil
    ) {
        self.listen = listen
        self.allowsNetwork = allowsNetwork
        self.isAutomatic = isAutomatic
        self.reachable = reachable
        self.helpFolder = helpFolder
    }

    /// - Throws: `PageError.networkNotAllowed`.
    func check() throws(PageError) {
        if !listen.isLoopback, !allowsNetwork { throw .networkNotAllowed(listen) }
    }
}
