import Model

/// The parts of a remote's URL.
struct HTTPAddress: Hashable, Sendable {
    /// In its normal form, without a slash at its end.
    var base: String
    /// As the network knows it, without brackets.
    var host: String
    var port: Int
    /// Host and port, with the host's name as a person wrote it.
    var authority: String

    init(_ text: String) throws(RemoteAddressError) {
        guard let url = NormalURL(text), let place = url.httpPlace, !text.contains(where: { "?#".contains($0) }) else {
            throw RemoteAddressError(text: text)
        }
        var base = url.text
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        (host, port) = (place.host, place.port)
        authority = "\(Self.writtenHost(text) ?? place.host):\(place.port)"
    }

    /// The name in a URL as it was written, without brackets.
    private static func writtenHost(_ text: String) -> String? {
        guard let start = text.firstRange(of: "//")?.upperBound else { return nil }
        let authority = String(text[start...].prefix { $0 != "/" })
        return HostAndPort(authority: PercentEncoding.decode(authority) ?? authority, standardPort: 1)?.host
    }
}

/// A remote's URL that cannot be used.
public struct RemoteAddressError: DescribedError, Equatable {
    public let text: String

    /// The part before an @ may be a password: it is not repeated.
    private var withoutSecrets: String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let before = text[..<at]
        let start = before.firstRange(of: "//")?.upperBound ?? before.startIndex
        return text[..<start] + "…" + text[at...]
    }

    public var description: String {
        "“\(withoutSecrets)” cannot be a remote: give "
            + RemoteKind.all.dropLast().map(\.form).joined(separator: ", ") + ", or "
            + (RemoteKind.all.last?.form ?? "")
    }
}
