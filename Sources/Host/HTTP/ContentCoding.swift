/// Evaluates Accept-Encoding (RFC 9110 section 12.5.3). The host has two codings: gzip and none.
enum ContentCoding {
    /// Whether the content is better sent gzipped: it is allowed, and the identity is not preferred to it.
    static func prefersGzip(acceptEncoding: String?) -> Bool {
        guard let acceptEncoding else { return false }
        var gzip: Double?
        var identity: Double?
        var other: Double?
        for element in acceptEncoding.split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let name = parts.first else { continue }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch name {
            case "gzip", "x-gzip": gzip = max(gzip ?? 0, quality)
            case "identity": identity = quality
            case "*": other = quality
            default: break
            }
        }
        guard let quality = gzip ?? other, quality > 0 else { return false }
        return quality >= identity ?? 0
    }
}
