/// An HTTP proxy, which is asked for a tunnel to a server (RFC 9110, section 9.3.6).
package struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: Int
    package var user: String?
    package var password: String?

    /// - Parameter source: where it stands, for the error.
    /// - Throws: `ProxyAddressError`.
    package init(_ text: String, from source: String) throws(ProxyAddressError) {
        var rest = text[...]
        if let end = text.firstRange(of: "://") {
            let scheme = text[..<end.lowerBound].lowercased()
            guard scheme == "http" else { throw .unknownScheme(scheme, source) }
            rest = text[end.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = PercentEncoding.decode(parts[0])
            password = parts.count > 1 ? PercentEncoding.decode(parts[1]) : ""
            // A line break in it would begin another field.
            let isSafe = [user, password].allSatisfy { $0?.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true }
            guard isSafe, user?.contains(":") == false else { throw .invalid(source) }
            rest = rest[rest.index(after: at)...]
        }
        // The port of curl, where none is named.
        guard let place = HostAndPort(authority: String(rest), standardPort: 1080),
            place.host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw .invalid(source) }
        (host, port) = (place.host, place.port)
    }

    /// Without the password.
    package var description: String { HostAndPort(host: host, port: port).description }
}

/// Why a proxy cannot be used.
package enum ProxyAddressError: Error, Equatable {
    case invalid(String)
    case unknownScheme(String, String)
}

/// Which proxy leads to a server: a setting, else the variables that curl reads.
package struct ProxyRule: Sendable {
    private let setting: String?
    private let variables: [String: String]

    /// - Parameters:
    ///   - setting: a proxy's address; `none` for no proxy, whatever the variables say; `nil` to go by the variables.
    ///   - variables: the environment. `HTTP_PROXY` in upper case is not looked at: in CGI a client's field of the name Proxy
    ///     would set it.
    package init(setting: String?, variables: [String: String]) {
        self.setting = setting
        self.variables = variables
    }

    /// No proxy for any server.
    package static let none = ProxyRule(setting: "none", variables: [:])

    /// - Throws: `ProxyAddressError`.
    package func proxy(to host: String, isSecure: Bool) throws(ProxyAddressError) -> ProxyAddress? {
        if let setting {
            if setting.isEmpty || setting.lowercased() == "none" { return nil }
            return try ProxyAddress(setting, from: "the setting “proxy” of the store")
        }
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let (name, value) = value(names), !isExcepted(host) else { return nil }
        return try ProxyAddress(value, from: "$" + name)
    }

    /// The first variable that is set; an empty one is none.
    private func value(_ names: [String]) -> (name: String, value: String)? {
        for name in names { if let value = variables[name], !value.isEmpty { return (name, value) } }
        return nil
    }

    /// `no_proxy`: `*`, or hosts with all below them, addresses, and networks such as 10.0.0.0/8.
    private func isExcepted(_ host: String) -> Bool {
        guard let list = value(["no_proxy", "NO_PROXY"])?.value else { return false }
        let host = Self.bare(host)
        return list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).contains { entry in
            if entry == "*" { return true }
            let parts = entry.split(separator: "/", maxSplits: 1)
            if parts.count == 2, let bits = Int(parts[1]), (0...32).contains(bits),
                let network = HostAndPort.ipv4(parts[0]), let address = HostAndPort.ipv4(host)
            {
                return bits == 0 || (network ^ address) >> (32 - bits) == 0
            }
            let name = Self.bare(String(entry))
            if HostAndPort.isLiteral(host) || HostAndPort.isLiteral(name) { return host == name }
            return !name.isEmpty && (host == name || host.hasSuffix("." + name))
        }
    }

    /// In lower case, without the dots around it and the brackets of IPv6.
    private static func bare(_ host: String) -> String {
        var name = host.lowercased()[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        while name.hasPrefix(".") { name = name.dropFirst() }
        while name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }
}
