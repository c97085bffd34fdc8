import HummingbirdCore

/// An answer of the screens on which questionnaires are written.
package enum AuthoringReply: Sendable {
    /// A screen, without the frame that the server has around all of its pages.
    case page(AuthoringPage)
    /// After a change: a reload repeats nothing (RFC 9110, section 15.4.4).
    case seeOther(String)
    case response(Response)
}
