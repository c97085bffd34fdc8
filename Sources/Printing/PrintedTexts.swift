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

/// The text of elements that no writer makes: the head of the page.
enum HTMLText {
    static func escaped(_ text: String) -> String {
        var writer = HTMLWriter()
        writer.text(text)
        return writer.html
    }
}

/// Base64 (RFC 4648, section 4), for what stands within the page.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for index in 0..<3 { word = word << 8 | (index < part.count ? UInt32(part[start + index]) : 0) }
            for index in 0..<4 {
                let isPadding = index > part.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(word >> UInt32(18 - 6 * index) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
