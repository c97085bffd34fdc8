import FoundationEssentials

/// Where the hub's questionnaires come from and its answers go: the parts of a URL such as `https://example.org/school`.
public struct UpstreamAddress: Hashable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    public let host: String
    public let port: Int
    /// What stands before every path; empty, or with a slash at its beginning and none at its end.
    public let basePath: String

    /// - Throws: `HubError.invalidUpstream`.
    public init(_ text: String) throws(HubError) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil, url.user() == nil,
            url.password() == nil, (1...65535).contains(url.port ?? 80)
        else { throw .invalidUpstream(text) }
        isSecure = scheme == "https"
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        port = url.port ?? (isSecure ? 443 : 80)
        var path = url.path(percentEncoded: true)
        while path.hasSuffix("/") { path.removeLast() }
        guard path.isEmpty || TargetCheck.isOrigin(path), !TargetCheck.climbs(path) else {
            throw .invalidUpstream(text)
        }
        basePath = path
    }

    public var scheme: String { isSecure ? "https" : "http" }

    /// For Host (RFC 9110 section 7.2): without the port that the scheme implies.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Without a slash at its end.
    public var base: String { "\(scheme)://\(authority)\(basePath)" }

    public var description: String { base }
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
