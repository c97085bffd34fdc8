import HTTPTypes

/// A cache's report of how it handled a request: one member of Cache-Status (RFC 9211).
package struct CacheStatus: Hashable, Sendable {
    /// The name of the cache: its host, or the name that its operator chose.
    package var cache: String
    package var handling: Handling
    /// The remaining freshness lifetime in seconds, negative when stale (section 2.4).
    package var ttlSeconds: Int?
    /// Whether the response was stored (section 2.5).
    package var isStored = false
    /// Whether the request shared another one's answer (section 2.6).
    package var isCollapsed = false
    /// Further details (section 2.8): a token or a text.
    package var detail: String?

    package enum Handling: Hashable, Sendable {
        /// Answered without a request to the origin (section 2.1).
        case hit
        /// Forwarded, why (section 2.2), and the next hop's status (section 2.3).
        case forwarded(OriginQuestion.Reason, status: Int?)
    }

    package init(
        cache: String, handling: Handling, ttlSeconds: Int? = nil, isStored: Bool = false, isCollapsed: Bool = false,
        detail: String? = nil
    ) {
        self.cache = cache
        self.handling = handling
        self.ttlSeconds = ttlSeconds
        self.isStored = isStored
        self.isCollapsed = isCollapsed
        self.detail = detail
    }

    /// The member, a structured field's item with parameters.
    package var value: String {
        var text = Self.tokenOrString(cache)
        switch handling {
        case .hit: text += "; hit"
        case .forwarded(let reason, let status):
            text += "; fwd=\(reason.rawValue)"
            if let status { text += "; fwd-status=\(status)" }
        }
        if let ttlSeconds { text += "; ttl=\(ttlSeconds)" }
        if case .forwarded = handling {
            if isStored { text += "; stored" }
            if isCollapsed { text += "; collapsed" }
        }
        if let detail { text += "; detail=" + Self.tokenOrString(detail) }
        return text
    }

    /// Appends it after the members of the caches nearer to the origin (section 2).
    package func append(to fields: inout HTTPFields) {
        let before = fields[values: .cacheStatus].filter { !$0.isEmpty }
        fields[.cacheStatus] = (before + [value]).joined(separator: ", ")
    }

    /// RFC 9651 sections 4.1.6 and 4.1.7; characters that a string cannot hold are omitted.
    private static func tokenOrString(_ text: String) -> String {
        let bytes = text.utf8.filter { $0 >= 0x20 && $0 < 0x7F }
        if let first = bytes.first, isLetter(first), bytes.allSatisfy(isTokenByte) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in bytes {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || byte >= 0x30 && byte <= 0x39 || "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
    }
}
