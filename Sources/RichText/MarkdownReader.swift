import CMarkGFM
import Synchronization

extension FormattedText {
    /// Reads CommonMark with tables, fenced code and math. Never fails: a text beyond the limits is its source.
    ///
    /// Raw HTML is text. A link or picture that leads elsewhere than the web is its words and its destination.
    package init(markdown source: String, limits: MarkdownLimits = .standard) {
        guard limits.allow(source) else {
            self.init(plain: source)
            return
        }
        let fences = MathFences(source)
        var reader = MarkdownReader(fences: fences, limits: limits, sourceBytes: source.utf8.count)
        guard let blocks = reader.read() else {
            self.init(plain: source)
            return
        }
        self.init(blocks: blocks)
    }
}

/// Makes the tree out of cmark's nodes.
private struct MarkdownReader {
    let fences: MathFences
    let limits: MarkdownLimits
    /// Bytes of text that the tree may still have.
    private var budget: Int
    private var isExceeded = false

    /// cmark-gfm keeps the extensions' special characters in a global table while it parses.
    private static let isParsing = Mutex(false)

    init(fences: MathFences, limits: MarkdownLimits, sourceBytes: Int) {
        self.fences = fences
        self.limits = limits
        budget = 4096 + limits.growth * sourceBytes
    }

    /// - Returns: `nil` where a limit is exceeded, or memory is short.
    mutating func read() -> [FormattedText.Block]? {
        guard let root = Self.parse(fences.text) else { return nil }
        defer { cmark_node_free(root) }
        let blocks = blocks(of: root, depth: 0)
        return isExceeded ? nil : blocks
    }

    private static func parse(_ text: String) -> OpaquePointer? {
        isParsing.withLock { state in
            if !state {
                cmark_gfm_core_extensions_ensure_registered()
                state = true
            }
            guard let parser = cmark_parser_new(CMARK_OPT_DEFAULT), let math = MathSyntax.make() else { return nil }
            defer {
                cmark_parser_free(parser)
                cmark_syntax_extension_free(cmark_get_default_mem_allocator(), math)
            }
            if let table = cmark_find_syntax_extension("table") { cmark_parser_attach_syntax_extension(parser, table) }
            cmark_parser_attach_syntax_extension(parser, math)
            var text = text
            text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { cmark_parser_feed(parser, $0.baseAddress, $0.count) }
            }
            return cmark_parser_finish(parser)
        }
    }

    // MARK: Blocks

    private mutating func blocks(of parent: OpaquePointer, depth: Int) -> [FormattedText.Block] {
        guard depth < limits.depth else {
            isExceeded = true
            return []
        }
        var blocks: [FormattedText.Block] = []
        var next = cmark_node_first_child(parent)
        while let node = next, !isExceeded {
            next = cmark_node_next(node)
            if let block = block(node, depth: depth) { blocks.append(block) }
        }
        return blocks
    }

    private mutating func block(_ node: OpaquePointer, depth: Int) -> FormattedText.Block? {
        let type = cmark_node_get_type(node)
        switch type {
        case CMARK_NODE_PARAGRAPH: return paragraph(inlines(of: node, depth: depth + 1))
        case CMARK_NODE_HEADING:
            let level = min(max(Int(cmark_node_get_heading_level(node)), 1), 6)
            return .heading(level, inlines(of: node, depth: depth + 1))
        case CMARK_NODE_CODE_BLOCK: return code(node)
        case CMARK_NODE_BLOCK_QUOTE: return .quote(blocks(of: node, depth: depth + 1))
        case CMARK_NODE_LIST: return list(node, depth: depth)
        case CMARK_NODE_THEMATIC_BREAK: return .rule
        case CMARK_NODE_HTML_BLOCK: return .paragraph(lines(of: fences.restored(spend(cmark_node_get_literal(node)))))
        default:
            guard text(cmark_node_get_type_string(node)) == "table" else {
                return cmark_node_first_child(node) == nil ? nil : .quote(blocks(of: node, depth: depth + 1))
            }
            return table(node, depth: depth)
        }
    }

    /// The lines of raw HTML, as text.
    private func lines(of text: String) -> [FormattedText.Inline] {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return Array(lines.map { [FormattedText.Inline.text(String($0))] }.joined(separator: [.lineBreak]))
    }

    /// A paragraph that is one displayed formula is that formula.
    private func paragraph(_ inlines: [FormattedText.Inline]) -> FormattedText.Block {
        if inlines.count == 1, case .math(let math) = inlines[0], math.isDisplayed { return .math(math) }
        return .paragraph(inlines)
    }

    private mutating func code(_ node: OpaquePointer) -> FormattedText.Block {
        var code = spend(cmark_node_get_literal(node))
        if code.last?.isNewline == true { code.removeLast() }
        let info = spend(cmark_node_get_fence_info(node))
        let language = info.prefix { !$0.isWhitespace }
        if language == MathFences.info { return .math(MathText(code, isDisplayed: true)) }
        return .code(language: language.isEmpty ? nil : String(language), code)
    }

    private mutating func list(_ node: OpaquePointer, depth: Int) -> FormattedText.Block {
        var items: [[FormattedText.Block]] = []
        var next = cmark_node_first_child(node)
        while let item = next, !isExceeded {
            next = cmark_node_next(item)
            items.append(blocks(of: item, depth: depth + 1))
        }
        let isOrdered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
        return .list(
            FormattedText.List(
                start: isOrdered ? Int(cmark_node_get_list_start(node)) : nil,
                isTight: cmark_node_get_list_tight(node) != 0, items: items))
    }

    private mutating func table(_ node: OpaquePointer, depth: Int) -> FormattedText.Block {
        let columns = Int(cmark_gfm_extensions_get_table_columns(node))
        let marks = cmark_gfm_extensions_get_table_alignments(node)
        let alignments = (0..<columns).map { Self.alignment(marks?[$0]) }
        var table = FormattedText.Table(alignments: alignments, header: [], rows: [])
        var next = cmark_node_first_child(node)
        while let row = next, !isExceeded {
            next = cmark_node_next(row)
            var cells: [[FormattedText.Inline]] = []
            var nextCell = cmark_node_first_child(row)
            while let cell = nextCell {
                nextCell = cmark_node_next(cell)
                cells.append(inlines(of: cell, depth: depth + 1))
            }
            cells = Array((cells + Array(repeating: [], count: max(0, columns - cells.count))).prefix(columns))
            if cmark_gfm_extensions_get_table_row_is_header(row) != 0 {
                table.header = cells
            } else {
                table.rows.append(cells)
            }
        }
        return .table(table)
    }

    private static func alignment(_ mark: UInt8?) -> FormattedText.Table.Alignment {
        switch mark {
        case UInt8(ascii: "l"): .left
        case UInt8(ascii: "c"): .center
        case UInt8(ascii: "r"): .right
        default: .natural
        }
    }

    // MARK: Inlines

    private mutating func inlines(
        of parent: OpaquePointer, depth: Int
    ) -> [FormattedText.Inline] {
        guard depth < limits.depth else {
            isExceeded = true
            return []
        }
        var inlines: [FormattedText.Inline] = []
        // The parser makes a node of each escape: they are joined in one pass.
        var pending = ""
        func flush() {
            if !pending.isEmpty { inlines.append(.text(pending)) }
            pending = ""
        }
        var next = cmark_node_first_child(parent)
        while let node = next, !isExceeded {
            next = cmark_node_next(node)
            for inline in self.inline(node, depth: depth) {
                if case .text(let text) = inline {
                    pending += text
                } else {
                    flush()
                    inlines.append(inline)
                }
            }
        }
        flush()
        return inlines
    }

    private mutating func inline(
        _ node: OpaquePointer, depth: Int
    ) -> [FormattedText.Inline] {
        switch cmark_node_get_type(node) {
        case CMARK_NODE_TEXT: return [.text(spend(cmark_node_get_literal(node)))]
        case CMARK_NODE_HTML_INLINE: return [Self.htmlOrMath(spend(cmark_node_get_literal(node)))]
        case CMARK_NODE_CODE: return [.code(spend(cmark_node_get_literal(node)))]
        case CMARK_NODE_SOFTBREAK: return [.softBreak]
        case CMARK_NODE_LINEBREAK: return [.lineBreak]
        case CMARK_NODE_EMPH: return [.emphasis(inlines(of: node, depth: depth + 1))]
        case CMARK_NODE_STRONG: return [.strong(inlines(of: node, depth: depth + 1))]
        case CMARK_NODE_LINK, CMARK_NODE_IMAGE: return link(node, depth: depth)
        default: return inlines(of: node, depth: depth + 1)
        }
    }

    /// Raw HTML begins with `<`, a formula with its mark.
    private static func htmlOrMath(_ text: String) -> FormattedText.Inline {
        for (mark, isDisplayed) in [(MathSyntax.displayMark, true), (MathSyntax.inlineMark, false)]
        where text.hasPrefix(mark) {
            return .math(MathText(String(text.dropFirst(mark.count)), isDisplayed: isDisplayed))
        }
        return .text(text)
    }

    /// A link within a link cannot be, but a picture within one can: its words remain.
    private mutating func link(_ node: OpaquePointer, depth: Int) -> [FormattedText.Inline] {
        let words = inlines(of: node, depth: depth + 1)
        let destination = spend(cmark_node_get_url(node))
        guard let link = WebLink(destination) else {
            if destination.isEmpty || FormattedText.plainText(of: words) == destination { return words }
            return words + [.text(words.isEmpty ? destination : " (\(destination))")]
        }
        let plain = FormattedText.withoutLinks(words)
        return [.link(link, plain.isEmpty ? [.text(destination)] : plain)]
    }

    // MARK: Texts

    private func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    private mutating func spend(_ pointer: UnsafePointer<CChar>?) -> String {
        let text = text(pointer)
        budget -= text.utf8.count
        if budget < 0 { isExceeded = true }
        return text
    }
}

extension FormattedText {
    fileprivate static func withoutLinks(_ inlines: [Inline]) -> [Inline] {
        inlines.flatMap { inline -> [Inline] in
            switch inline {
            case .link(_, let words): withoutLinks(words)
            case .emphasis(let words): [.emphasis(withoutLinks(words))]
            case .strong(let words): [.strong(withoutLinks(words))]
            default: [inline]
            }
        }
    }
}
