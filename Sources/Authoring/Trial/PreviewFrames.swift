import HTTPServing
import HTTPTypes
import HummingbirdCore
import Model
import NIOCore

/// A question as people see it, on a page of its own: in frames of a phone's width and of a desktop's, so that the stylesheet decides
/// as on such a screen.
struct PreviewFrames {
    let page: DraftPage

    private var language: Language { page.language }

    /// The frame itself may be shown by this server alone. It runs nothing and sends nothing.
    static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; form-action 'none'; base-uri 'none'; "
        + "frame-ancestors 'self'"

    /// The frames in the form of a question.
    func models(of question: DraftQuestion) -> [[String: any Sendable]] {
        let href = page.href(question: question.id) + "/preview"
        return [
            (
                "phone", language.text("On a phone"), language.text("The question on a phone, 390 pixels wide"),
                language.text("Open the phone’s view alone")
            ),
            (
                "desktop", language.text("On a desktop"), language.text("The question on a desktop, 1200 pixels wide"),
                language.text("Open the desktop’s view alone")
            ),
        ]
        .map { kind, name, title, link in
            ["kind": kind, "name": name, "frameTitle": title, "link": link, "href": href]
        }
    }

    /// The page in a frame.
    func response(_ question: DraftQuestion, _ screens: AuthoringScreens) -> Response {
        var model: [String: any Sendable] = [
            "title": language.text("As people see it"),
            "nothing": language.text("This question is not right yet: the check says what is missing."),
        ]
        model["card"] = TrialScreen.preview(question, page) ?? false
        var fields = HTTPFields()
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.cacheControl] = "no-store"
        fields.protect(Self.policy)
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: screens.frame(model, page.context))))
    }
}
