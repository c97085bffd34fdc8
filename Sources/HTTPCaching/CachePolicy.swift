import HTTPTypes

/// The kind of the cache, and the choices that the RFC leaves to it.
public struct CachePolicy: Hashable, Sendable {
    /// Whether the responses serve more than one user (RFC 9111 section 1).
    package var isShared: Bool
    /// Whether stale content is served however old it is when the origin is unreachable, as if stale-if-error had no
    /// limit. Responses with `must-revalidate`, `no-cache` or `proxy-revalidate` are never served this way.
    package var servesStaleOffline: Bool
    /// The fields that take precedence over Cache-Control and Expires, the most specific one first (RFC 9213 section
    /// 2.2).
    package var targetedFields: [HTTPField.Name]
    /// The share of the time since Last-Modified for which a response without a stated lifetime is fresh, in hundredths
    /// (RFC 9111 section 4.2.2).
    package var heuristicPercent: Int
    /// The longest heuristic lifetime.
    package var heuristicLimitSeconds: Int
    /// Whether bodies are stored without their content coding. Such a cache excludes Content-Encoding and Content-Type
    /// when it updates a stored response (RFC 9111 section 3.2). A pull does so; an `HTTPCache` always stores bodies as
    /// they arrive.
    package var storesDecoded: Bool

    package init(
        isShared: Bool, servesStaleOffline: Bool = true, targetedFields: [HTTPField.Name] = [],
        heuristicPercent: Int = 10, heuristicLimitSeconds: Int = 86_400, storesDecoded: Bool = false
    ) {
        self.isShared = isShared
        self.servesStaleOffline = servesStaleOffline
        self.targetedFields = targetedFields
        self.heuristicPercent = heuristicPercent
        self.heuristicLimitSeconds = heuristicLimitSeconds
        self.storesDecoded = storesDecoded
    }

    /// The cache of one user's device.
    public static let device = CachePolicy(isShared: false, storesDecoded: true)
    /// The cache of a gateway in front of an origin.
    public static let hub = CachePolicy(isShared: true, targetedFields: [.cdnCacheControl])
}

extension HTTPField.Name {
    // Proof: these are valid field names.
    // swift-format-ignore: NeverForceUnwrap
    static let pragma = HTTPField.Name("Pragma")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let contentDigest = HTTPField.Name("Content-Digest")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let contentMD5 = HTTPField.Name("Content-MD5")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let cdnCacheControl = HTTPField.Name("CDN-Cache-Control")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    package static let cacheStatus = HTTPField.Name("Cache-Status")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let setCookie2 = HTTPField.Name("Set-Cookie2")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let keepAlive = HTTPField.Name("Keep-Alive")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let proxyConnection = HTTPField.Name("Proxy-Connection")!
    // Proof: as above.
    // swift-format-ignore: NeverForceUnwrap
    static let proxyAuthenticationInfo = HTTPField.Name("Proxy-Authentication-Info")!
}
