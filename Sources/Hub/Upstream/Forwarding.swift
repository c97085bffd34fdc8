import HTTPMessages
import HTTPTypes

/// The changes that an intermediary makes to the fields of messages (RFC 9110 section 7.6).
enum Forwarding {
    private static let hopByHop: Set<HTTPField.Name> = {
        let more = ["Keep-Alive", "Proxy-Connection", "HTTP2-Settings"].compactMap { HTTPField.Name($0) }
        return Set(
            [.connection, .te, .transferEncoding, .upgrade, .proxyAuthenticate, .proxyAuthorization] + more)
    }()

    /// Fields that Connection must not remove: a sender could otherwise remove what defines the message.
    private static let kept: Set<HTTPField.Name> = [
        .cacheControl, .contentLength, .contentType, .contentEncoding, .contentRange, .authorization, .expires, .date,
        .eTag, .lastModified, .age, .vary, .setCookie, .cookie,
    ]

    /// Removes the fields that are meant for one connection alone (section 7.6.1).
    static func removeHopByHop(_ fields: inout HTTPFields) {
        var named: Set<HTTPField.Name> = []
        if let connection = fields[.connection] {
            for option in connection.split(separator: ",") {
                if let name = HTTPField.Name(String(option.trimmingSpaces)), !kept.contains(name) { named.insert(name) }
            }
        }
        let gone = fields.filter { hopByHop.contains($0.name) || named.contains($0.name) }.map(\.name)
        for name in gone { fields[values: name] = [] }
    }

    /// Removes a client's claims about the path of its request, or about another target. A server may build links or
    /// choose content from these fields, and they are not part of the cache key: one client's claim would be in
    /// everyone's copy.
    static func removeClaims(_ fields: inout HTTPFields) {
        guard fields.contains(where: { isClaim($0.name.canonicalName) }) else { return }
        fields = HTTPFields(fields.filter { !isClaim($0.name.canonicalName) })
    }

    /// - Parameter name: in lowercase.
    private static func isClaim(_ name: String) -> Bool {
        name == "forwarded"
            || name.hasPrefix("x-") && (claims.contains(name) || claimed.contains(where: name.hasPrefix))
    }

    private static let claimed = ["x-forwarded-", "x-original-", "x-rewrite-", "x-http-method"]
    private static let claims: Set<String> = [
        "x-forwarded", "x-host", "x-method-override", "x-real-ip", "x-client-ip", "x-cluster-client-ip",
    ]

    /// Adds the hub to Via (section 7.6.3).
    static func addVia(_ fields: inout HTTPFields, minor: Int, name: String) {
        fields.append(HTTPField(name: .via, value: "1.\(minor) \(name)"))
    }

    /// Whether a message has been here before.
    static func isLoop(_ fields: HTTPFields, name: String) -> Bool {
        fields[values: .via].contains { value in
            value.split(separator: ",").contains { member in
                let words = member.split(whereSeparator: { $0 == " " || $0 == "\t" })
                return words.count > 1 && words[1] == name
            }
        }
    }

    /// Removes fields that a trailer section must not have (section 6.5.1).
    static func removeForbidden(fromTrailers fields: inout HTTPFields) {
        let forbidden: Set<HTTPField.Name> = hopByHop.union([
            .contentLength, .hostField, .authorization, .contentEncoding, .contentType, .contentRange, .cacheControl,
            .age,
            .date, .expires, .location, .retryAfter, .vary, .setCookie, .trailer, .expect, .maxForwards,
        ])
        let gone = fields.filter { forbidden.contains($0.name) }.map(\.name)
        for name in gone { fields[values: name] = [] }
    }
}

extension HTTPField.Name {
    // Proof: they are valid field names.
    // swift-format-ignore: NeverForceUnwrap
    static let contentDigest = HTTPField.Name("Content-Digest")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let hostField = HTTPField.Name("Host")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let cacheStatus = HTTPField.Name("Cache-Status")!
}
