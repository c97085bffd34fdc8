import Disk
import Dispatch
import HTTPMessages
import HTTPTypes
import Model
import RichText
import Sync

/// `POST /_hub/app/formatted`: an author's Markdown as trees of elements, which the app keeps beside the questionnaire
/// so that it shows them offline (docs/hub.md). The reply depends on the texts alone.
enum FormattedTexts {
    static let path = AppPage.path + "formatted"

    /// The bounds of a request. The app divides a questionnaire that has more.
    static let maximumBytes = 1 << 20
    static let mostTexts = 1000

    private struct Request: Decodable {
        /// Questions and descriptions.
        var passages: [String]
        /// Options and other labels.
        var lines: [String]
    }

    private struct Reply: Encodable {
        struct Passage: Encodable {
            /// The text as one line of words.
            var line: String
            var heading: [HTMLNode]?
            var body: [HTMLNode]
        }
        struct Label: Encodable {
            var line: String
            var nodes: [HTMLNode]
        }
        /// In the order of the request.
        var passages: [Passage]
        var lines: [Label]
    }

    /// One text after the other: devices that open questionnaires at once leave the rest of the processor to the hub.
    private static let queue = DispatchQueue(label: "quire.formatted", qos: .utility)

    static func reply(to head: RequestHead, _ body: HTTPBody) async throws -> HTTPReply {
        guard head.method == .post else {
            throw HubProblem.notAllowed("Texts are sent here to be formatted.", allowed: "POST")
        }
        let content = try await SubmittedContent.bytes(
            head.fields, body, maximumBytes: maximumBytes, what: "A list of texts"
        ) { HubProblem(400, "The texts cannot be decompressed: \($0).") }
        let request: Request
        do throws(DocumentFault) {
            request = try DocumentCoding.decode(Request.self, from: content)
        } catch {
            throw HubProblem(400, "The list of texts cannot be read: \(error).")
        }
        guard request.passages.count + request.lines.count <= mostTexts else {
            throw HubProblem(413, "At most \(mostTexts) texts are formatted at once.")
        }
        let bytes = try await offload(on: queue) {
            try DocumentCoding.encodeLine(
                Reply(passages: request.passages.map(passage), lines: request.lines.map(label)))
        }
        var fields = AppPage.fields
        fields[.cacheControl] = "no-store"
        fields[.contentType] = "application/json"
        return HTTPReply(head: HTTPResponse(status: .ok, headerFields: fields), body: HTTPBody(bytes: bytes))
    }

    private static func passage(_ text: String) -> Reply.Passage {
        let question = QuestionText(TextFormat.markdown.tree(of: text) ?? FormattedText(plain: text))
        var body = HTMLWriter()
        question.body.write(to: &body)
        let heading = question.heading.map { heading in
            var writer = HTMLWriter()
            heading.writeInline(to: &writer)
            return writer.nodes
        }
        return Reply.Passage(line: TextFormat.markdown.line(of: text), heading: heading, body: body.nodes)
    }

    private static func label(_ text: String) -> Reply.Label {
        var writer = HTMLWriter()
        (TextFormat.markdown.tree(of: text) ?? FormattedText(plain: text)).writeInline(to: &writer)
        return Reply.Label(line: TextFormat.markdown.line(of: text), nodes: writer.nodes)
    }
}
