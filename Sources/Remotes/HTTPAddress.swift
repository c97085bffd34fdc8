import FoundationEssentials
import Model

/// The parts of a remote's URL.
struct HTTPAddress: Hashable, Sendable {
    /// Without a slash at its end.
    var base: String
    var host: String
    var port: Int

    var authority: String { "\(host):\(port)" }

    init(_ text: String) throws(RemoteAddressError) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(), !host.isEmpty, url.query() == nil, url.fragment() == nil
        else { throw RemoteAddressError(text: text) }
        if url.user() != nil || url.password() != nil || !(1...65_535).contains(url.port ?? 1) {
            throw RemoteAddressError(text: text)
        }
        var base = text
        while base.hasSuffix("/") { base.removeLast() }
        self.base = base
        self.host = host.trimmingBrackets()
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}

/// A remote's URL that cannot be used.
public struct RemoteAddressError: DescribedError, Equatable {
    public let text: String

    /// What stands before an @ may be a password: it is not repeated.
    private var withoutSecrets: String {
        guard let at = text.lastIndex(of: "@") else { return text }
        let before = text[..<at]
        let start = before.firstRange(of: "//")?.upperBound ?? before.startIndex
        return text[..<start] + "…" + text[at...]
    }

    public var description: String {
        "“\(withoutSecrets)” cannot be a remote: give a URL such as https://school.example or http://127.0.0.1:8484, "
            + "without a name, password, query or fragment, or a folder such as file:///media/stick"
    }
}

extension String {
    fileprivate func trimmingBrackets() -> String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
