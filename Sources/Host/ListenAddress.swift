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
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw .invalidAddress(text)
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw .invalidAddress(text)
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { throw .invalidAddress(text) }
        self.init(host: String(host), port: Int(port))
    }

    public static let standard = ListenAddress(host: "127.0.0.1", port: 8484)

    /// Reached from this machine alone.
    public var isLoopback: Bool { host == "::1" || host.lowercased() == "localhost" || host.hasPrefix("127.") }

    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
