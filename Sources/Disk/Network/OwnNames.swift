import Glibc
import Model

/// The names by which a server may be addressed.
///
/// To a browser, a web page whose domain name was pointed at this machine (DNS rebinding) has the same origin as the
/// server, so the page could read and write everything. Its requests have that name in the Host field, so a server that
/// accepts only its own names is safe.
package struct OwnNames: Hashable, Sendable {
    private let names: Set<String>
    private let listensBeyondLoopback: Bool

    /// - Parameters:
    ///   - listen: the name or address that the server listens on.
    ///   - names: further ones, such as that of a reverse proxy or those of a certificate. `*.` stands for any one
    ///     label.
    ///   - machine: the machine's own name.
    package init(listen: String, names: [String] = [], machine: String? = OwnNames.machine) {
        var all = names + [listen]
        if let machine, !machine.isEmpty {
            let short = machine.prefix { $0 != "." }
            all += [machine, String(short), short + ".local"]
        }
        self.names = Set(all.map { Self.normalized($0) })
        listensBeyondLoopback = !HostAndPort.isLoopback(listen)
    }

    /// Whether a Host field, with or without a port, contains one of these names.
    ///
    /// An IP address needs no name server, so none can redirect it: a server reachable by others accepts each IP
    /// address.
    package func contains(_ authority: String) -> Bool {
        let name = Self.normalized(Self.host(authority))
        if HostAndPort.isLoopback(name) || names.contains(name) { return true }
        if let dot = name.firstIndex(of: "."), names.contains("*" + name[dot...]) { return true }
        return listensBeyondLoopback && Self.isAddress(name)
    }

    /// The machine's host name.
    package static var machine: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether a text is a name, or an address without brackets, that a Host field can carry.
    package static func isName(_ text: String) -> Bool {
        isAddress(text)
            || DomainName.ascii(text)?.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !":/?#@[]".utf8.contains($0) }
                == true
    }

    private static func host(_ authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    private static func isAddress(_ name: String) -> Bool {
        var bytes = in6_addr()
        return HostAndPort.ipv4(name) != nil || inet_pton(AF_INET6, name, &bytes) == 1
    }

    /// In the form of a Host field: a national name in its ASCII form. A trailing dot only marks the name as complete.
    private static func normalized(_ name: String) -> String {
        let lower = DomainName.ascii(name) ?? name.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }
}
