import Disk
import HTTPMessages
import HTTPTypes
import NIOCore

/// Whether a request is for this hub, and its target (RFC 9112 section 3.2).
enum RequestTarget {
    /// The path with its query, or `*`.
    ///
    /// - Parameters:
    ///   - names: those that this hub answers to.
    ///   - isOurs: whether a URL with this authority, in lowercase, means this hub.
    static func path(
        of head: RequestHead, names: OwnNames, isOurs: (String) -> Bool
    ) throws(HubProblem) -> String {
        if head.method == .connect {
            throw HubProblem.notAllowed("This is no proxy for connections: CONNECT is not taken.")
        }
        let hosts = head.fields[values: .hostField]
        guard hosts.count <= 1, hosts.count == 1 || head.minor == 0, hosts.allSatisfy(isAuthority) else {
            throw HubProblem(400, "A request needs one Host field with a name in it.")
        }
        let isAsterisk = head.target == "*" && head.method == .options
        if TargetCheck.isOrigin(head.target) || isAsterisk {
            // An empty name is not a foreign one, and no browser sends it.
            if let host = hosts.first, !host.isEmpty, !names.contains(host) {
                let name = host.prefix(100)
                throw .misdirected(
                    "This hub does not answer to the name “\(name)”: use its address, or start it with --name.")
            }
            return head.target
        }
        // Section 3.2.2: the absolute form counts instead of Host.
        guard let scheme = head.target.range(of: "://"),
            ["http", "https"].contains(head.target[..<scheme.lowerBound].lowercased())
        else { throw HubProblem(400, "The request target is neither a path nor a URL.") }
        let rest = head.target[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard isAuthority(String(authority)), !authority.isEmpty, isOurs(authority.lowercased()) else {
            throw .misdirected("This hub stands for one server alone, which is not the one of this URL.")
        }
        let path = rest.dropFirst(authority.count)
        if path.isEmpty { return head.method == .options ? "*" : "/" }
        return path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// Whether a text can be `host[:port]` (RFC 3986 section 3.2), without a user. An empty one is allowed to be sent.
    private static func isAuthority(_ text: String) -> Bool {
        text.utf8.count <= 300
            && text.utf8.allSatisfy { byte in
                byte.isToken && byte != UInt8(ascii: "#") && byte != UInt8(ascii: "^") && byte != UInt8(ascii: "|")
                    && byte != UInt8(ascii: "`") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[")
                    || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")")
                    || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ",")
            }
    }
}

extension StringProtocol {
    fileprivate func range(of text: String) -> Range<Index>? { firstRange(of: text) }
}
