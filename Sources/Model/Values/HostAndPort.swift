/// An address to listen on, as a person writes it: `127.0.0.1:8484`, `localhost:0` or `[::1]:8484`.
package struct HostAndPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    package var host: String
    /// 0 for any free port.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `nil` for anything else; an IPv6 address without brackets would be ambiguous.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// The authority of a URL, with or without a port; `nil` for an impossible port.
    package init?(authority: String, standardPort: Int) {
        var host = authority[...]
        var port = standardPort
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else { return nil }
            port = Int(number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { Self.isLoopback(host) }

    /// Whether a name or an address without brackets is this machine's own: 127.0.0.0/8 and `::1` (RFC 6890), and
    /// `localhost`. A name with such a prefix, `127.example.org`, may belong to anyone, and a name below `localhost` is
    /// resolved by the machine's resolver (RFC 6761, section 6.3, asks it for loopback and cannot force it).
    package static func isLoopback(_ host: some StringProtocol) -> Bool {
        host == "::1" || host.lowercased() == "localhost" || ipv4(host).map { $0 >> 24 == 127 } == true
    }

    /// The name to connect to for a host: names below `localhost` are this machine's own, whether its resolver knows
    /// them or not (RFC 6761 section 6.3 asks clients for this).
    package static func connectable(_ host: String) -> String {
        host.lowercased().hasSuffix(".localhost") ? "localhost" : host
    }

    /// Whether it is an IP address and not a name, so that no name server can redirect it.
    package static func isLiteral(_ host: String) -> Bool {
        ipv4(host) != nil || host.contains(":") && host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    /// The value of an IPv4 address in four decimal parts; `nil` for anything else, such as parts with a leading zero,
    /// which some programs read as octal (RFC 6943, section 3.1.1).
    package static func ipv4(_ host: some StringProtocol) -> UInt32? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard part.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                part.count == 1 || part.first != "0", let byte = UInt8(part)
            else { return nil }
            value = value << 8 | UInt32(byte)
        }
        return value
    }
}
