import HTTPTypes

/// What kind of cache this is, and the choices that the RFC leaves to it.
public struct CachePolicy: Hashable, Sendable {
    /// Whether the responses serve more than one user (RFC 9111 section 1).
    package var isShared: Bool
    /// With the origin away stale content is served however old it is, as if stale-if-error had no limit. What says
    /// `must-revalidate`, `no-cache` or `proxy-revalidate` is never served so.
    package var servesStaleOffline: Bool
    /// The fields that go before Cache-Control and Expires, the most specific one first (RFC 9213 section 2.2).
    package var targetedFields: [HTTPField.Name]
    /// The share of the time since Last-Modified for which a response without stated lifetime is fresh, in hundredths
    /// (RFC 9111 section 4.2.2).
    package var heuristicPercent: Int
    /// The longest heuristic lifetime.
    package var heuristicLimitSeconds: Int
    /// Whether bodies are kept after their content coding was removed. Such a cache leaves Content-Encoding and
    /// Content-Type out when it updates a stored response (RFC 9111 section 3.2). So a pull does; an `HTTPCache` keeps bodies
    /// as they come, whatever this says.
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
