import NIOSSL
import Networking
import Synchronization

/// The names that a hub answers to.
///
/// A web page whose own name was made to point at the hub (DNS rebinding) is of the same origin as the hub to its browser,
/// and would read everything here. Its requests name that page in Host, so a foreign name is refused (RFC 9110 section
/// 15.5.20). No page can do that with an address in the place of a name: its browser asks that very address.
struct OwnNames: Sendable {
    /// In lowercase, without a port.
    private var names: Set<String>
    /// Endings after the first label, of certificates such as `*.school.example`.
    private var endings: Set<String> = []

    /// - Parameter configured: those of the command line; with the upstream's own name, since a device may use the hub as a
    ///   way to it.
    init(_ configured: [String], machine: [String] = MachineName.all) {
        names = Set((configured + machine + ["localhost"]).map { Self.host(of: $0) })
    }

    /// Adds the names that a certificate vouches for.
    mutating func add(_ certificate: NIOSSLCertificate) {
        for name in certificate._subjectAlternativeNames() {
            guard case .dnsName = name.nameType else { continue }
            let text = name.contents.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }.lowercased()
            if text.hasPrefix("*.") { endings.insert(String(text.dropFirst())) } else { names.insert(text) }
        }
    }

    /// Whether a request with this in Host, or in its URL, is for the hub. An absent name is not a foreign one.
    func contains(_ authority: String) -> Bool {
        let host = Self.host(of: authority)
        if host.isEmpty || names.contains(host) || MachineName.isAddress(host) || host.hasSuffix(".localhost") {
            return true
        }
        return host.firstIndex(of: ".").map { endings.contains(String(host[$0...])) } ?? false
    }

    /// Without the port, the brackets of an IPv6 address and the dot of an absolute name.
    static func host(of authority: String) -> String {
        var host = authority[...]
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            host = host[..<end].dropFirst()
        } else if let colon = host.lastIndex(of: ":"), host.firstIndex(of: ":") == colon {
            host = host[..<colon]
        }
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.lowercased()
    }
}
