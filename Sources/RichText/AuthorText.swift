import Model

extension TextFormat {
    /// An author's text as a tree; `nil` where it is shown as it is written.
    package func tree(of text: String) -> FormattedText? {
        guard self == .markdown else { return nil }
        let tree = FormattedText(markdown: text)
        // Marks without words (`#`, a definition of a link) would be an empty line.
        let isEmpty = tree.plainText.allSatisfy(\.isWhitespace)
        return isEmpty && !text.allSatisfy(\.isWhitespace) ? FormattedText(plain: text) : tree
    }

    /// An author's text as one line of words: for lists, reviews and names of things.
    package func line(of text: String) -> String {
        guard let tree = tree(of: text) else { return text }
        return tree.plainText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// The text of a question as pages and terminals lay it out: its heading, and what follows in normal weight.
package struct QuestionText: Hashable, Sendable {
    /// The first block where it is a heading or a paragraph that is short enough for one.
    package var heading: FormattedText?
    package var body: FormattedText

    /// The longest text that is a heading, in UTF-16 code units. A longer one is a passage to read.
    package static let longestHeading = 240

    package init(_ tree: FormattedText) {
        switch tree.blocks.first {
        case .heading(_, let inlines), .paragraph(let inlines):
            let first = FormattedText(blocks: [.paragraph(inlines)])
            if first.plainText.utf16.count <= Self.longestHeading {
                heading = first
                body = FormattedText(blocks: Array(tree.blocks.dropFirst()))
                return
            }
        default: break
        }
        body = tree
    }
}
