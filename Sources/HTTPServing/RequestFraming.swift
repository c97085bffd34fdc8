import NIOHTTP1

/// The fault in the head of a request, found before anything is done with it (RFC 9112).
struct RequestFraming: Hashable {
    var status: HTTPResponseStatus
    var detail: String

    /// - Returns: `nil` for a head that may be answered.
    static func fault(_ head: HTTPRequestHead) -> RequestFraming? {
        let hosts = head.headers["Host"]
        if hosts.count > 1 {
            return RequestFraming(status: .badRequest, detail: "The request has two Host fields: send one.")
        }
        // Section 3.2: HTTP/1.0 knows no such field.
        if hosts.isEmpty, !isOld(head) {
            return RequestFraming(status: .badRequest, detail: "The request has no Host field: send one.")
        }
        if let host = hosts.first, !isAuthority(host) {
            return RequestFraming(
                status: .badRequest, detail: "The Host field is not a name or an address with a port: send that.")
        }
        if let authority = authority(ofTarget: head.uri), !isAuthority(authority) {
            return RequestFraming(
                status: .badRequest, detail: "The target names no host with a port: send a name or an address.")
        }
        return codingFault(head)
    }

    /// Whether a text can be a name or an address with or without a port, which is digits (RFC 9110 section 7.2).
    static func isAuthority(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !",/?#@\\".utf8.contains($0) }) else { return false }
        // An address of IPv6 has colons, in brackets.
        let rest = text.utf8.lastIndex(of: UInt8(ascii: "]")).map { text.utf8[$0...].dropFirst() } ?? text.utf8[...]
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return true }
        return rest[colon...].dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Whether it is of HTTP/1.0.
    static func isOld(_ head: HTTPRequestHead) -> Bool {
        (head.version.major, head.version.minor) < (1, 1)
    }

    private static func codingFault(_ head: HTTPRequestHead) -> RequestFraming? {
        let codings = head.headers[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() }
        if codings.isEmpty { return nil }
        // Section 6.1: where both are there, one program would end the request where another does not.
        if isOld(head) || head.headers.contains(name: "Content-Length") {
            return RequestFraming(
                status: .badRequest, detail: "Where the content ends is said in two ways: send Content-Length alone.")
        }
        if codings == ["chunked"] { return nil }
        // Section 6.3: without it at the end the length of the content is unknown.
        if codings.last != "chunked" || codings.dropLast().contains("chunked") {
            return RequestFraming(
                status: .badRequest, detail: "The last transfer coding must be chunked: send the content so.")
        }
        return RequestFraming(
            status: .notImplemented, detail: "Of the transfer codings only chunked is known: send the content so.")
    }

    /// The authority of a target in absolute form, which counts instead of the Host field (section 3.2.2).
    static func authority(ofTarget target: String) -> String? {
        let lower = target.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lower.hasPrefix($0) }) else { return nil }
        return String(target.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
    }
}
