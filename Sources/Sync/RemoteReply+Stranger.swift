import HTTPTypes
import Model
import WireFormat

/// Telling the server's replies from those of other pages that answer in its place: a login page, a proxy, a parked name.
extension RemoteReply {
    /// Whether the reply is not a Quire server's or hub's: such a reply moves nothing forward and rejects nothing.
    ///
    /// A refusal (4xx) needs the protocol's own marks. That a server is overloaded or broken (408, 425, 429, 5xx) a proxy
    /// before it may say as well: it changes nothing here.
    package var isFromStranger: Bool {
        switch status {
        case 200..<300: Self.isWebPage(fields)
        case 304, 408, 425, 429, 500..<511, 512...: false
        case 401: !asksForBearerToken && !hasProtocolMarks
        // A proxy, and (RFC 9110 section 15.5.20) a server that is not the one that the address names. Nothing that was sent
        // there is to blame.
        case 407, 421: true
        case 400..<500: !hasProtocolMarks
        default: true
        }
    }

    /// What to say of such a reply, in one sentence.
    package var strangerReason: String {
        if let redirection { return redirection }
        switch status {
        // RFC 6585 section 6.
        case 511: return "this network wants a login first (511): open a page in a browser"
        case 407: return "a proxy on the way wants a login (407)"
        // A host says which of its names to use.
        case 421:
            if let sentence = ReceivedProblem(self)?.sentence { return "\(sentence) (421)" }
        default: break
        }
        return "what answered is not the Quire server (\(status)), but a login page, a proxy or another site"
    }

    /// Whether it carries a problem document with the protocol's own marks.
    package var hasProtocolMarks: Bool { ReceivedProblem(self)?.isOwn == true }

    /// A server asks for a token without a problem document, too, where a proxy removes that. A login with name and password
    /// is another page's.
    private var asksForBearerToken: Bool {
        fields[.wwwAuthenticate].map { $0.lowercased().contains("bearer") } ?? true
    }

    /// No message of the protocol is one.
    private static func isWebPage(_ fields: HTTPFields) -> Bool {
        fields[.contentType]?.lowercased().hasPrefix("text/html") == true
    }
}

extension ReceivedProblem {
    /// The problem document of a reply; `nil` where it has none.
    package init?(_ reply: RemoteReply) {
        self.init(contentType: reply.fields[.contentType], status: reply.status, body: reply.body)
    }
}
