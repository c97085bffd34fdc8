import Model

/// Where the hub's questionnaires come from and its answers go: the parts of a URL such as `https://example.org/school`.
package struct UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
    package let isSecure: Bool
    /// As the network knows it, without the brackets of an IPv6 address.
    package let host: String
    package let port: Int
    /// The prefix of every path; empty, or with a leading slash and no trailing one.
    package let basePath: String

    /// - Throws: `HubError.invalidUpstream`.
    package init(_ text: String) throws(HubError) {
        guard let url = NormalURL(text), let place = url.httpPlace, !text.contains(where: { "?#".contains($0) }),
            !TargetCheck.climbs(text)
        else { throw .invalidUpstream(text) }
        isSecure = url.scheme == "https"
        (host, port) = (place.host, place.port)
        var path = url.path
        while path.hasSuffix("/") { path.removeLast() }
        basePath = path
    }

    package var scheme: String { isSecure ? "https" : "http" }

    /// For Host (RFC 9110 section 7.2): without the port that the scheme implies.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == NormalURL.standardPorts[scheme] ? name : "\(name):\(port)"
    }

    /// Without a slash at its end.
    package var base: String { "\(scheme)://\(authority)\(basePath)" }

    package var description: String { base }
}

/// Checks of a request target (RFC 9112 section 3.2).
enum TargetCheck {
    static func isOrigin(_ target: some StringProtocol) -> Bool { target.utf8.first == UInt8(ascii: "/") }

    /// Whether a path has a segment `..`, however it is written: behind a base path it would lead out of it.
    static func climbs(_ target: some StringProtocol) -> Bool {
        guard target.utf8.contains(UInt8(ascii: ".")) || target.utf8.contains(UInt8(ascii: "%")) else { return false }
        let path = target.prefix { $0 != "?" }
        return path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains { segment in
            let plain = segment.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/")
            return plain.split(whereSeparator: { $0 == "/" || $0 == "\\" }).contains("..")
                || plain.replacing("%5c", with: "/").split(separator: "/").contains("..")
        }
    }
}
