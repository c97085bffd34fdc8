import Model

/// Where the host listens.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// 0 for any free port.
    public var port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `127.0.0.1:8484`, `localhost:0` or `[::1]:8484`.
    ///
    /// - Throws: `HostError.invalidAddress`.
    public init(_ text: String) throws(HostError) {
        guard let parsed = HostAndPort(text) else { throw .invalidAddress(text) }
        self.init(host: parsed.host, port: parsed.port)
    }

    public static let standard = ListenAddress(host: "127.0.0.1", port: 8484)

    /// Reached from this machine alone.
    public var isLoopback: Bool { HostAndPort.isLoopback(host) }

    public var description: String { HostAndPort(host: host, port: port).description }
}
