import Model
import ObjectStores

/// A bucket and the prefix in it under which objects are: where requests go.
package struct S3Bucket: Hashable, Sendable {
    /// How a bucket is named in a request.
    package enum Style: String, Hashable, Sendable {
        /// As the first part of the path.
        case path
        /// As the first label of the host.
        case virtual
    }

    package var isEncrypted: Bool
    /// As the network knows it, without brackets.
    package var host: String
    package var port: Int
    package var name: String
    /// Empty, or ending with a slash.
    package var prefix: String
    package var style: Style

    /// Of addresses that name the endpoint, in lower case.
    package static let schemes: Set = ["s3+https", "s3+http"]

    /// Whether a text is the address of a bucket, with its endpoint or without (`s3://bucket/prefix`).
    package static func isAddress(_ text: String) -> Bool {
        guard let (scheme, _) = parts(of: text) else { return false }
        return scheme == "s3" || schemes.contains(scheme)
    }

    /// The scheme, in lower case, and what follows `://`.
    private static func parts(of text: String) -> (scheme: String, rest: Substring)? {
        text.firstRange(of: "://").map { (text[..<$0.lowerBound].lowercased(), text[$0.upperBound...]) }
    }

    /// `s3+https://endpoint/bucket/prefix`, or `s3+http://…` on this machine.
    ///
    /// - Throws: `S3AddressError`.
    package init(_ text: String, style: Style? = nil) throws(S3AddressError) {
        guard let (scheme, rest) = Self.parts(of: text), Self.schemes.contains(scheme) else {
            throw S3AddressError(text)
        }
        isEncrypted = scheme == "s3+https"
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2,
            let place = HostAndPort(authority: String(parts[0]), standardPort: NormalURL.standardPorts[scheme] ?? 443)
        else { throw S3AddressError(text) }
        (host, port) = (place.host.lowercased(), place.port)
        guard isEncrypted || place.isLoopback else {
            throw S3AddressError(text, "it is not encrypted, which is for this machine alone: use s3+https")
        }
        (name, prefix) = try Self.bucket(String(parts[1]), text)
        self.style = style ?? Self.standardStyle(host, name)
    }

    /// `s3://bucket/prefix`, at the endpoint that the environment names, or at Amazon's for the region.
    package init(
        short text: String, endpoint: String?, region: String, style: Style? = nil
    ) throws(S3AddressError) {
        guard text.lowercased().hasPrefix("s3://") else { throw S3AddressError(text) }
        let rest = String(text.dropFirst("s3://".count))
        guard var endpoint else {
            try self.init("s3+https://s3.\(region).amazonaws.com/\(rest)", style: style)
            return
        }
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        guard endpoint.lowercased().hasPrefix("http://") || endpoint.lowercased().hasPrefix("https://") else {
            throw S3AddressError(endpoint, "AWS_ENDPOINT_URL must be a URL such as https://s3.example.org")
        }
        try self.init("s3+\(endpoint)/\(rest)", style: style)
    }

    private static func bucket(_ text: String, _ whole: String) throws(S3AddressError) -> (String, String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let bucket = String(parts[0])
        let letters = bucket.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
        }
        guard letters, (3...63).contains(bucket.utf8.count) else {
            throw S3AddressError(
                whole,
                "a bucket's name has 3 to 63 lowercase letters, digits, hyphens and dots: name it after the endpoint")
        }
        var rest = parts.dropFirst().joined(separator: "/")
        while rest.hasSuffix("/") { rest.removeLast() }
        if rest.isEmpty { return (bucket, "") }
        let isPlain = rest.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || "-._~/".utf8.contains($0)
        }
        guard isPlain, ObjectName(rest) != nil, rest.utf8.count <= 200 else {
            throw S3AddressError(
                whole, "“\(rest)” cannot be a prefix: use up to 200 letters, digits, hyphens, dots and slashes")
        }
        return (bucket, rest + "/")
    }

    /// Amazon wants new buckets in the host; others seldom have names for it. A dot in a bucket's name fits no certificate.
    private static func standardStyle(_ host: String, _ bucket: String) -> Style {
        host.hasSuffix(".amazonaws.com") && !bucket.contains(".") ? .virtual : .path
    }

    /// Without anything secret, for people; the address that opens it again.
    package var url: String {
        var url = "\(scheme)://\(authority)/\(name)"
        if !prefix.isEmpty { url += "/" + prefix.dropLast() }
        return url
    }

    private var scheme: String { isEncrypted ? "s3+https" : "s3+http" }

    /// The host and port of the endpoint.
    package var authority: String {
        port == NormalURL.standardPorts[scheme] ? bracketed(host) : "\(bracketed(host)):\(port)"
    }

    /// The host and port that requests name.
    var requestAuthority: String { style == .virtual ? "\(name).\(authority)" : authority }

    /// The path of an object, percent-encoded; of the bucket itself without one.
    func path(_ object: ObjectName?) -> String {
        let bucket = style == .virtual ? "/" : "/\(S3Signature.encode(name))"
        guard let object else { return bucket }
        let key = S3Signature.encode(prefix + object.text, keepingSlashes: true)
        return style == .virtual ? "/\(key)" : "\(bucket)/\(key)"
    }

    private func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

/// The address of a bucket that cannot be used.
package struct S3AddressError: DescribedError, Hashable {
    private let text: String
    private let reason: String

    init(_ text: String, _ reason: String = "write it like s3+https://s3.example.org/bucket/prefix") {
        self.text = text
        self.reason = reason
    }

    package var description: String { "“\(shown)” is not the address of a bucket: \(reason)" }

    /// What stands before an @ may be a password.
    private var shown: String { text.lastIndex(of: "@").map { "…" + text[$0...] } ?? text }
}
