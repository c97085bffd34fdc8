import Model

/// Why the page cannot be served, and what to do about it.
package enum PageError: Error, Equatable, CustomStringConvertible {
    case invalidAddress(String)
    case cannotListen(HostAndPort, reason: String)
    /// Another program already listens there.
    case portInUse(HostAndPort)
    /// Others could reach it, and this was not allowed.
    case networkNotAllowed(HostAndPort)

    package var description: String {
        switch self {
        case .invalidAddress(let text):
            "“\(text)” is not an address to listen on: write it as 127.0.0.1:8480 or [::1]:8480"
        case .cannotListen(let address, let reason):
            "cannot listen on \(address) (\(reason)): name another address with --listen"
        case .portInUse(let address):
            "\(address) is in use: another “quire serve” may be running; end it, or take another port with --listen "
                + "\(HostAndPort(host: address.host, port: address.port == 0 ? 0 : address.port + 1))"
        case .networkNotAllowed(let address):
            "others could reach the page at \(address): add --allow-network if they may (anyone with the pairing code "
                + "can read and send your tests, and the connection is not encrypted), or listen on 127.0.0.1"
        }
    }
}
