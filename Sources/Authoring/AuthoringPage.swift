import HTTPTypes

/// A screen as HTML.
package struct AuthoringPage: Sendable {
    /// Of its template: the frame names the page by it.
    package var name: String
    package var title: String
    /// The content of the page, in HTML, without the frame around it.
    package var html: String
    package var status: HTTPResponse.Status
    /// The note about the last action: `good` or `warn`, and a sentence.
    package var said: (kind: String, text: String)?
    /// Whether it shows pages of this server in frames: its policy must allow that.
    package var hasFrames = false
}
