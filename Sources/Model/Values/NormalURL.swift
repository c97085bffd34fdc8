/// An absolute http, https, file or s3+https URL in its normal form, and the resolution of references against it (RFC 3986
/// sections 5 and 6.2.2). One resource has one normal form, however its URL was written.
///
/// - Scheme and host are in lowercase, the scheme's default port is omitted, a national domain name is in its ASCII
///   form (RFC 5891).
/// - `.` and `..` are resolved, a fragment is dropped.
/// - A path is percent-encoded in UTF-8 with capital hexadecimal digits, according to its form. A `%` without an escape
///   becomes `%25`.
/// - In a query, escapes have capital digits and do not stand for letters and digits; allowed characters are unchanged.
package struct NormalURL: Hashable, Sendable {
    /// How the reserved characters of a path (`( ) ! ' * , ; = + & $ @ :`) are treated.
    package enum PathForm: Hashable, Sendable {
        /// Always percent-encoded, as a host encodes names of files and ids: for URLs of Quire's protocol.
        case names
        /// Unchanged, since a server may treat `:` and `%3A` differently (RFC 3986 section 2.2): for any other URL.
        case anyServer
    }

    private let form: PathForm
    /// In lowercase.
    package var scheme: String
    /// Host, and the port unless it is the scheme's own (RFC 9110 section 4.2.3).
    package var authority: String
    /// Starts with `/`.
    package var path: String
    /// Includes the `?`.
    package var query: String

    /// The port of each scheme that has one (RFC 9110 section 4.2); after `s3+` it is that of the scheme behind the plus.
    package static let standardPorts = ["http": 80, "https": 443, "s3+http": 80, "s3+https": 443]

    /// The host and the port of a URL of HTTP; `nil` for other URLs.
    package var httpPlace: HostAndPort? {
        guard ["http", "https"].contains(scheme), let port = Self.standardPorts[scheme] else { return nil }
        return HostAndPort(authority: authority, standardPort: port)
    }

    /// The origin (RFC 6454): two URLs belong to one server only if their origins are equal.
    package var origin: String { scheme + "://" + authority }

    /// Without fragment.
    package var text: String { origin + path + query }

    /// - Returns: `nil` for any other text.
    package init?(_ text: String, form: PathForm = .names) {
        self.form = form
        guard let colon = text.firstIndex(of: ":") else { return nil }
        scheme = text[..<colon].lowercased()
        guard scheme == "file" || Self.standardPorts[scheme] != nil else { return nil }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let (authority, path, query) = Self.split(rest.dropFirst(2))
        guard let authority = Self.normalised(authority: authority, scheme: scheme) else { return nil }
        self.authority = authority
        self.path = Self.normalised(path: path.isEmpty ? "/" : path, form)
        self.query = Self.normalised(query: query)
    }

    /// The parts of a request's target.
    ///
    /// - Returns: `nil` where they do not form an HTTP URL.
    package init?(scheme: String, authority: String, target: String) {
        form = .names
        self.scheme = scheme.lowercased()
        guard target.utf8.first == UInt8(ascii: "/"),
            let name = Self.normalised(authority: authority[...], scheme: self.scheme)
        else { return nil }
        self.authority = name
        let target = target.prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        self.path = Self.normalised(path: path)
        query = Self.normalised(query: target[path.endIndex...])
    }

    /// The normal form of a URL; any other text is returned unchanged.
    package static func normalised(_ text: String) -> String { normalised(text, form: .names) }

    /// The same with a path of another form.
    package static func normalised(_ text: String, form: PathForm) -> String {
        isPlain(text) ? text : NormalURL(text, form: form)?.text ?? text
    }

    /// - Returns: `nil` for an invalid URL.
    package func resolving(_ reference: String) -> NormalURL? {
        let reference = reference.prefix { $0 != "#" }
        if let colon = reference.firstIndex(of: ":"), !reference[..<colon].contains(where: { "/?".contains($0) }) {
            return NormalURL(String(reference), form: form)
        }
        if reference.hasPrefix("//") { return NormalURL(scheme + ":" + reference, form: form) }
        var result = self
        let end = reference.firstIndex(of: "?") ?? reference.endIndex
        let path = reference[..<end]
        if path.isEmpty {
            if end != reference.endIndex { result.query = Self.normalised(query: reference[end...]) }
            return result
        }
        result.query = Self.normalised(query: reference[end...])
        let base = path.hasPrefix("/") ? "" : self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
        result.path = Self.normalised(path: base + path, form)
        return result
    }

    private static func split(_ text: Substring) -> (authority: Substring, path: Substring, query: Substring) {
        let text = text.prefix { $0 != "#" }
        let authority = text.prefix { $0 != "/" && $0 != "?" }
        let rest = text[authority.endIndex...]
        let path = rest.prefix { $0 != "?" }
        return (authority, path, rest[path.endIndex...])
    }

    // MARK: Parts

    /// - Returns: `nil` for one without a host, or with a user.
    package static func normalised(authority: Substring, scheme: String) -> String? {
        if scheme == "file" { return authority.isEmpty || authority.lowercased() == "localhost" ? "" : nil }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        var host = authority
        var port: Substring = ""
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            (host, port) = (authority[..<colon], authority[authority.index(after: colon)...])
        }
        guard let name = DomainName.ascii(host) else { return nil }
        return port.isEmpty || port == String(standardPorts[scheme] ?? 80) ? name : name + ":" + port
    }

    /// The normal form of a path or a part of one.
    package static func normalised(path: some StringProtocol) -> String { normalised(path: path, .names) }

    private static func normalised(path: some StringProtocol, _ form: PathForm) -> String {
        switch form {
        case .names: withoutDots(encoded(path) { isUnreserved($0) || $0 == UInt8(ascii: "/") })
        case .anyServer: withoutDots(encoded(path, isAllowedInPath))
        }
    }

    private static func normalised(query: some StringProtocol) -> String { encoded(query, isAllowedInQuery) }

    /// - Parameter isAllowed: which bytes are not encoded.
    private static func encoded(_ text: some StringProtocol, _ isAllowed: (UInt8) -> Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let octet = octet(rest) {
                rest.removeFirst(2)
                append(octet, to: &bytes, where: isUnreserved)
            } else {
                append(byte, to: &bytes, where: isAllowed)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to bytes: inout [UInt8], where isAllowed: (UInt8) -> Bool) {
        if isAllowed(byte) { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "%"))
        bytes += [byte >> 4, byte & 15].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") + $0 - 10 }
    }

    /// The byte of two hexadecimal digits.
    private static func octet(_ bytes: ArraySlice<UInt8>) -> UInt8? {
        guard bytes.count >= 2, let high = digit(bytes[bytes.startIndex]), let low = digit(bytes[bytes.startIndex + 1])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// RFC 3986 section 2.3.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// RFC 3986 section 3.3.
    private static func isAllowedInPath(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=:@/".utf8.contains(byte)
    }

    /// RFC 3986 section 3.4.
    private static func isAllowedInQuery(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte)
    }

    /// RFC 3986 section 5.2.4.
    private static func withoutDots(_ path: String) -> String {
        if !path.utf8.contains(UInt8(ascii: ".")) { return path }
        var segments: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
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

    /// Whether a URL is certainly in its normal form by a quick check; nearly all are.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            let own: String
            if bytes.starts(with: "http://".utf8) {
                own = "80"
            } else if bytes.starts(with: "https://".utf8) {
                own = "443"
            } else {
                return false
            }
            let start = own.utf8.count + 5
            var place = start
            while place < bytes.count, isPlainHost(bytes[place]) { place += 1 }
            guard place > start, place < bytes.count else { return false }
            if bytes[place] == UInt8(ascii: ":") {
                place += 1
                let port = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
                if port.isEmpty || port.elementsEqual(own.utf8) { return false }
                place = port.endIndex
            }
            return isPlainTarget(bytes[place...])
        }
    }

    private static func isPlainHost(_ byte: UInt8) -> Bool {
        isUnreserved(byte) && !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Whether a path has no escapes, no reserved characters and no query.
    package static func isPlain(path: String) -> Bool {
        path.utf8.allSatisfy { isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    private static func isPlainTarget(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard bytes.first == UInt8(ascii: "/") else { return false }
        var former: UInt8 = 0
        var isQuery = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "."): if former == UInt8(ascii: "/"), !isQuery { return false }
            case UInt8(ascii: "/"): break
            case UInt8(ascii: "?"): isQuery = true
            case UInt8(ascii: "="), UInt8(ascii: "&"): if !isQuery { return false }
            default: if !isUnreserved(byte) { return false }
            }
            former = byte
        }
        return true
    }
}
