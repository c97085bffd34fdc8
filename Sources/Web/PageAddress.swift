import Model

/// Where the page listens.
public struct PageAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// 0 for any free port.
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8480`, `localhost:0` or `[::1]:8480`.
    ///
    /// - Throws: `PageError.invalidAddress`.
    public init(_ text: String) throws(PageError) {
        guard let parsed = HostAndPort(text) else { throw .invalidAddress(text) }
        self.init(host: parsed.host, port: parsed.port)
    }

    /// Always the same, so that a bookmark, and a tab that was left open, find the page again.
    public static let standard = PageAddress(host: "127.0.0.1", port: 8480)

    /// Reached from this machine alone.
    public var isLoopback: Bool { HostAndPort.isLoopback(host) }

    public var description: String { HostAndPort(host: host, port: port).description }

    /// An address in figures: no name, so no name server can be made to point it elsewhere.
    static func isLiteral(_ host: String) -> Bool {
        HostAndPort.ipv4(host) != nil
            || host.contains(":") && host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }
}
