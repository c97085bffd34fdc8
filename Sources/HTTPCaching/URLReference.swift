/// An absolute http or https URL in its parts, and the resolution of references against it (RFC 3986 section 5).
///
/// Only as much as invalidation needs: what is not understood is no URL, and invalidates nothing.
struct URLReference: Hashable, Sendable {
    /// In lowercase.
    var scheme: String
    /// Host in lowercase, and the port unless it is the scheme's own (RFC 9110 section 4.2.3).
    var authority: String
    /// Begins with `/`.
    var path: String
    /// With its `?`.
    var query: String

    /// The origin (RFC 6454): what two URLs must share for one to invalidate the other.
    var origin: String { scheme + "://" + authority }

    /// Without fragment.
    var text: String { origin + path + query }

    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let (authority, path, query) = Self.split(rest.dropFirst(2))
        guard let authority = Self.normalised(authority, scheme: scheme) else { return nil }
        self.authority = authority
        self.path = Self.withoutDots(path.isEmpty ? "/" : path)
        self.query = query
    }

    /// - Returns: `nil` for what is no http URL.
    func resolving(_ reference: String) -> URLReference? {
        let reference = reference.prefix { $0 != "#" }
        if let colon = reference.firstIndex(of: ":"), !reference[..<colon].contains(where: { "/?".contains($0) }) {
            return URLReference(String(reference))
        }
        if reference.hasPrefix("//") { return URLReference(scheme + ":" + reference) }
        var result = self
        let end = reference.firstIndex(of: "?") ?? reference.endIndex
        let path = reference[..<end]
        if path.isEmpty {
            if end != reference.endIndex { result.query = String(reference[end...]) }
            return result
        }
        result.query = String(reference[end...])
        let base = path.hasPrefix("/") ? "" : self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
        result.path = Self.withoutDots(base + path)
        return result
    }

    /// What a reference in an answer names, where that lies within this origin.
    ///
    /// - Parameter clientAuthority: what a gateway's client calls this origin.
    func sameOrigin(_ reference: String, clientAuthority: String?) -> URLReference? {
        guard var url = resolving(reference) else { return nil }
        if url.origin == origin { return url }
        guard let clientAuthority, let name = Self.normalised(clientAuthority[...], scheme: url.scheme),
            url.authority == name
        else { return nil }
        (url.scheme, url.authority) = (scheme, authority)
        return url
    }

    private static func split(_ text: Substring) -> (authority: Substring, path: String, query: String) {
        let text = text.prefix { $0 != "#" }
        let authority = text.prefix { $0 != "/" && $0 != "?" }
        let rest = text[authority.endIndex...]
        let path = rest.prefix { $0 != "?" }
        return (authority, String(path), String(rest[path.endIndex...]))
    }

    private static func normalised(_ authority: Substring, scheme: String) -> String? {
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        let text = authority.lowercased()
        let own = scheme == "https" ? ":443" : ":80"
        if text.hasSuffix(own) { return String(text.dropLast(own.count)) }
        return text.hasSuffix(":") ? String(text.dropLast()) : text
    }

    /// RFC 3986 section 5.2.4.
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var segments: [Substring] = []
        let parts = Substring(path).split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".":
                if isLast { segments.append("") }
            case "..":
                if segments.count > 1 { segments.removeLast() }
                if isLast { segments.append("") }
            default: segments.append(part)
            }
        }
        return segments.joined(separator: "/")
    }
}
