import HTTPTypes
import Model
import WireFormat

/// Distinguishes the server's replies from those of other pages that answer in its place: a login page, a proxy, a
/// parked name.
extension RemoteReply {
    /// Whether the reply is not a Quire server's or hub's (`StrangerRule`).
    package var isFromStranger: Bool {
        StrangerRule.applies(status: status, fields: fields, marks: hasProtocolMarks ? .present : .absent)
    }

    /// The description of such a reply, in one sentence.
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
}

extension ReceivedProblem {
    /// The problem document of a reply; `nil` where it has none.
    package init?(_ reply: RemoteReply) {
        self.init(contentType: reply.fields[.contentType], status: reply.status, body: reply.body)
    }
}
