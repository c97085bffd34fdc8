import Model
import RichText

/// The author's texts on paper, formatted where the document says so.
struct PrintedTexts: Sendable {
    let format: TextFormat
    let attributes: [HTMLWriter.Attribute]

    init(_ questionnaire: Questionnaire) {
        format = questionnaire.textFormat
        attributes =
            [.init("dir", TextDirection(of: questionnaire.locale)?.rawValue ?? "auto")]
            + (questionnaire.locale.map { [HTMLWriter.Attribute("lang", $0)] } ?? [])
    }

    /// A text of several lines.
    func write(_ text: String, _ kind: String, to writer: inout HTMLWriter) {
        if let tree = format.tree(of: text) {
            writer.element("div", attributes + [.init("class", kind + " formatted")]) { tree.write(to: &$0) }
        } else {
            writer.element("p", attributes + [.init("class", kind)], text: text)
        }
    }

    /// A text within a line: an option.
    func writeInline(_ text: String, to writer: inout HTMLWriter) {
        if let tree = format.tree(of: text) { tree.writeInline(to: &writer) } else { writer.text(text) }
    }
}
