/// A formatted text as a tree of blocks: CommonMark with tables, fenced code and math.
///
/// The tree is all that renderers see. It has no raw HTML, no destination but of the web, and no more nesting than
/// `MarkdownLimits` allows.
package struct FormattedText: Hashable, Sendable {
    package var blocks: [Block]
    /// Whether the source exceeded a limit. Its blocks are then the source itself, as plain paragraphs.
    package var isPlain: Bool

    package init(blocks: [Block], isPlain: Bool = false) {
        self.blocks = blocks
        self.isPlain = isPlain
    }

    package indirect enum Block: Hashable, Sendable {
        case paragraph([Inline])
        /// A heading of level 1 to 6.
        case heading(Int, [Inline])
        /// Code to the letter, without the line break at its end.
        case code(language: String?, String)
        case quote([Block])
        case list(List)
        case table(Table)
        case math(MathText)
        case rule
    }

    package struct List: Hashable, Sendable {
        /// The number of the first item; `nil` for bullets.
        package var start: Int?
        /// Whether the items are single paragraphs without space between them.
        package var isTight: Bool
        package var items: [[Block]]
    }

    package struct Table: Hashable, Sendable {
        package enum Alignment: Hashable, Sendable {
            case natural
            case left
            case center
            case right
        }

        /// One for each column.
        package var alignments: [Alignment]
        package var header: [[Inline]]
        /// Each row has as many cells as the header.
        package var rows: [[[Inline]]]
    }

    package indirect enum Inline: Hashable, Sendable {
        case text(String)
        case code(String)
        case emphasis([Inline])
        case strong([Inline])
        case link(WebLink, [Inline])
        case math(MathText)
        /// A line break that the author asked for.
        case lineBreak
        /// The end of a line in the source: a space.
        case softBreak
    }
}

/// A formula: its source, and what it means where all of it is in the subset.
package struct MathText: Hashable, Sendable {
    /// TeX as the author wrote it, without the dollars.
    package var source: String
    /// Whether it stands on a line of its own.
    package var isDisplayed: Bool
    /// `nil` where the source is outside of the subset: then the source is shown.
    package var expression: MathExpression?

    package init(_ source: String, isDisplayed: Bool) {
        self.source = source
        self.isDisplayed = isDisplayed
        expression = MathReader.read(source)
    }

    /// The source with its dollars.
    package var written: String { isDisplayed ? "$$\(source)$$" : "$\(source)$" }
}

extension FormattedText {
    /// A plain text as blocks: paragraphs at blank lines, and each line break is one.
    package init(plain text: String, isPlain: Bool = true) {
        var blocks: [Block] = []
        var lines: [Inline] = []
        func flush() {
            if !lines.isEmpty { blocks.append(.paragraph(lines)) }
            lines = []
        }
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if line.allSatisfy(\.isWhitespace) {
                flush()
            } else {
                if !lines.isEmpty { lines.append(.lineBreak) }
                lines.append(.text(String(line)))
            }
        }
        flush()
        self.init(blocks: blocks, isPlain: isPlain)
    }

    /// The words alone, for lists, search and titles: blocks on lines of their own.
    package var plainText: String { Self.plainText(of: blocks) }

    private static func plainText(of blocks: [Block]) -> String {
        blocks.map { block in
            switch block {
            case .paragraph(let inlines), .heading(_, let inlines): Self.plainText(of: inlines)
            case .code(_, let text): text
            case .quote(let blocks): plainText(of: blocks)
            case .list(let list):
                // The number of an item may be what distinguishes an option.
                list.items.enumerated().map { index, item in
                    (list.start.map { "\($0 &+ index). " } ?? "") + plainText(of: item)
                }.joined(separator: "\n")
            case .table(let table):
                ([table.header] + table.rows).map { row in
                    row.map { Self.plainText(of: $0) }.joined(separator: "\t")
                }.joined(separator: "\n")
            case .math(let math): math.plain
            case .rule: ""
            }
        }.joined(separator: "\n")
    }

    static func plainText(of inlines: [Inline]) -> String {
        inlines.map { inline in
            switch inline {
            case .text(let text), .code(let text): text
            case .emphasis(let inlines), .strong(let inlines), .link(_, let inlines): plainText(of: inlines)
            case .math(let math): math.plain
            case .lineBreak: "\n"
            case .softBreak: " "
            }
        }.joined()
    }
}
