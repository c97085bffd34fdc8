import HTTPTypes
import WireFormat

/// The rule by which a reply is known to come from another page than a Quire server's or hub's: a login page, a proxy, a parked
/// name. Such a reply moves nothing forward, rejects nothing, and replaces nothing that is kept.
///
/// Devices and hubs call it; the app's `background-sync.js` has its twin. `Tests/Vectors/strangers.json` is run against both.
package enum StrangerRule {
    /// The protocol's own marks in a reply's content (docs/protocol.md, section 1).
    package enum Marks: Sendable {
        case present
        case absent
        /// Only the reply's head is known: the type of a problem document stands for its marks.
        case unread
    }

    /// Whether the reply is a stranger's.
    ///
    /// A refusal (4xx) needs the protocol's own marks. That a server is overloaded or broken (408, 425, 429, 5xx) a proxy
    /// before it may say as well: it changes nothing here.
    ///
    /// - Parameter mayBePage: whether the content that was asked for may be a web page, as a questionnaire's file may. No
    ///   message and no document of the protocol is one.
    package static func applies(
        status: Int, fields: HTTPFields, marks: Marks, mayBePage: Bool = false
    ) -> Bool {
        let type = fields[.contentType]
        let hasMarks =
            switch marks {
            case .present: true
            case .absent: false
            case .unread: ProblemDocument.isType(type)
            }
        switch status {
        case 200..<300: return !mayBePage && type?.lowercased().hasPrefix("text/html") == true
        case 304, 408, 425, 429, 500..<511, 512...: return false
        case 401: return !asksForBearerToken(fields) && !hasMarks
        // A proxy, and (RFC 9110 section 15.5.20) a server that is not the one that the address names. Nothing that was sent
        // there is to blame.
        case 407, 421: return true
        case 400..<500: return !hasMarks
        default: return true
        }
    }

    /// A server asks for a token without a problem document, too, where a proxy removes that. A login with name and password
    /// is another page's.
    private static func asksForBearerToken(_ fields: HTTPFields) -> Bool {
        fields[.wwwAuthenticate].map { $0.lowercased().contains("bearer") } ?? true
    }
}
