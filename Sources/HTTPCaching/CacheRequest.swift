import HTTPTypes

/// A request as the cache sees it, with its directives parsed once.
package struct CacheRequest: Hashable, Sendable {
    package let method: HTTPRequest.Method
    /// The target URI, absolute and without fragment (RFC 9110 section 7.1).
    package let url: String
    package let fields: HTTPFields
    /// The client's name for the target's authority, where a gateway has replaced it: a URL of an answer may have
    /// either.
    package let clientAuthority: String?
    /// The request's Cache-Control. Pragma counts only where there is none (RFC 9111 section 5.4).
    package let control: CacheControl

    package init(
        method: HTTPRequest.Method = .get, url: String = "", fields: HTTPFields, clientAuthority: String? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.clientAuthority = clientAuthority
        var control = CacheControl(fields)
        // In a request it has no field names (RFC 9111 section 5.2.1.4): an argument is ignored.
        if !control.noCacheFields.isEmpty { control.flags.insert(.noCache) }
        if fields.contains(.pragma), !fields.contains(.cacheControl) {
            let pragma = fields[values: .pragma].map { CacheControl($0) }
            if pragma.contains(where: { $0.noCache || !$0.noCacheFields.isEmpty }) { control.flags.insert(.noCache) }
        }
        self.control = control
    }

    /// Whether a stored response may answer it at all (RFC 9110 section 9.2.3).
    package var isCacheable: Bool { method == .get || method == .head }

    /// Whether the client asks about a copy of its own (RFC 9110 sections 13.1.2 and 13.1.3).
    package var hasValidationConditions: Bool { fields.contains(.ifNoneMatch) || fields.contains(.ifModifiedSince) }

    /// Safe by definition: they invalidate nothing (RFC 9110 section 9.2.1 and the registry of methods).
    package var isSafe: Bool { Self.safeMethods.contains(method.rawValue) }

    private static let safeMethods: Set<String> = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH",
    ]
}
