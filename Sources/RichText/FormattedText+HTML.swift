import Model

extension FormattedText {
    /// HTML for a page: blocks without `id`, script or style. The caller's element states `lang` and `dir`.
    ///
    /// The stylesheet keeps the spaces of `code` (`white-space: break-spaces`) and lets `.table` scroll sideways.
    ///
    /// - Parameters:
    ///   - headingLevel: the level that a heading of level 1 gets, so that it fits the page's outline.
    ///   - gap: writes what stands in a text in place of `{{name}}`, where the question has such a gap.
    package func html(headingLevel: Int = 3, gap: Gap? = nil) -> String {
        var writer = HTMLWriter()
        write(to: &writer, headingLevel: headingLevel, gap: gap)
        return writer.html
    }

    /// Writes a gap; `false` where the question has none of this name, so that the marker is text.
    package typealias Gap = (_ name: String, _ writer: inout HTMLWriter) -> Bool

    package func write(to writer: inout HTMLWriter, headingLevel: Int = 3, gap: Gap? = nil) {
        HTMLBlocks(headingLevel: headingLevel, gap: gap).write(blocks, to: &writer)
    }

    /// HTML of one line of text: for options, labels and headings. Blocks follow one another without paragraphs.
    package func inlineHTML(gap: Gap? = nil) -> String {
        var writer = HTMLWriter()
        writeInline(to: &writer, gap: gap)
        return writer.html
    }

    package func writeInline(to writer: inout HTMLWriter, gap: Gap? = nil) {
        let renderer = HTMLBlocks(headingLevel: 3, gap: gap)
        for (index, block) in blocks.enumerated() {
            if index > 0 { writer.empty("br") }
            switch block {
            case .paragraph(let inlines), .heading(_, let inlines): renderer.write(inlines, to: &writer)
            case .math(let math): writer.math(MathText(math.source, isDisplayed: false))
            // In a label, a block that takes the focus would keep a click from its field.
            case .code(let language, let code): renderer.write(code, language, isBlock: false, to: &writer)
            default: renderer.write([block], to: &writer)
            }
        }
    }
}

private struct HTMLBlocks {
    let headingLevel: Int
    let gap: FormattedText.Gap?

    func write(_ blocks: [FormattedText.Block], to writer: inout HTMLWriter) {
        for block in blocks { write(block, to: &writer) }
    }

    private func write(_ block: FormattedText.Block, to writer: inout HTMLWriter) {
        switch block {
        case .paragraph(let inlines): writer.element("p") { write(inlines, to: &$0) }
        case .heading(let level, let inlines):
            writer.element(Self.heading(level + headingLevel - 1)) { write(inlines, to: &$0) }
        case .code(let language, let code): write(code, language, isBlock: true, to: &writer)
        case .quote(let blocks): writer.element("blockquote") { write(blocks, to: &$0) }
        case .list(let list): write(list, to: &writer)
        case .table(let table): write(table, to: &writer)
        case .math(let math): writer.element("p", [.init("class", "math")]) { $0.math(math) }
        case .rule: writer.empty("hr")
        }
    }

    /// Code is left to right in any language. A block can be scrolled by keyboard.
    func write(_ code: String, _ language: String?, isBlock: Bool, to writer: inout HTMLWriter) {
        let attributes = language.map { [HTMLWriter.Attribute("data-language", $0)] } ?? []
        guard isBlock else {
            let own: [HTMLWriter.Attribute] = [.init("class", "block"), .init("dir", "ltr")]
            return writer.element("code", own + attributes) { text(code, to: &$0) }
        }
        writer.element("pre", [.init("dir", "ltr"), .init("tabindex", "0")]) { writer in
            writer.element("code", attributes) { text(code, to: &$0) }
        }
    }

    private static func heading(_ level: Int) -> StaticString {
        switch level {
        case ...1: "h1"
        case 2: "h2"
        case 3: "h3"
        case 4: "h4"
        case 5: "h5"
        default: "h6"
        }
    }

    private func write(_ list: FormattedText.List, to writer: inout HTMLWriter) {
        let attributes = list.start.flatMap { $0 == 1 ? nil : [HTMLWriter.Attribute("start", String($0))] } ?? []
        writer.element(list.start == nil ? "ul" : "ol", attributes) { writer in
            for item in list.items {
                writer.element("li") { writer in
                    for block in item {
                        if list.isTight, case .paragraph(let inlines) = block {
                            write(inlines, to: &writer)
                        } else {
                            write(block, to: &writer)
                        }
                    }
                }
            }
        }
    }

    private func write(_ table: FormattedText.Table, to writer: inout HTMLWriter) {
        func attributes(_ column: Int) -> [HTMLWriter.Attribute] {
            switch table.alignments.indices.contains(column) ? table.alignments[column] : .natural {
            case .natural: []
            case .left: [.init("class", "left")]
            case .center: [.init("class", "center")]
            case .right: [.init("class", "right")]
            }
        }
        writer.element("div", [.init("class", "table"), .init("tabindex", "0")]) { writer in
            writer.element("table") { writer in
                writer.element("thead") { writer in
                    writer.element("tr") { writer in
                        for (column, cell) in table.header.enumerated() {
                            writer.element("th", [.init("scope", "col")] + attributes(column)) { write(cell, to: &$0) }
                        }
                    }
                }
                writer.element("tbody") { writer in
                    for row in table.rows {
                        writer.element("tr") { writer in
                            for (column, cell) in row.enumerated() {
                                writer.element("td", attributes(column)) { write(cell, to: &$0) }
                            }
                        }
                    }
                }
            }
        }
    }

    func write(_ inlines: [FormattedText.Inline], to writer: inout HTMLWriter) {
        for inline in inlines {
            switch inline {
            case .text(let words): text(words, to: &writer)
            case .code(let code): writer.element("code", [.init("dir", "ltr")]) { text(code, to: &$0) }
            case .emphasis(let inlines): writer.element("em") { write(inlines, to: &$0) }
            case .strong(let inlines): writer.element("strong") { write(inlines, to: &$0) }
            case .link(let link, let inlines): write(link, inlines, to: &writer)
            case .math(let math): writer.math(math)
            case .lineBreak: writer.empty("br")
            case .softBreak: writer.text("\n")
            }
        }
    }

    /// A link says where it leads, in text that no control character of its words can turn around.
    private func write(_ link: WebLink, _ inlines: [FormattedText.Inline], to writer: inout HTMLWriter) {
        writer.link(link) { writer in writer.element("bdi") { write(inlines, to: &$0) } }
        guard FormattedText.plainText(of: inlines) != link.destination else { return }
        writer.text(" ")
        writer.element("bdi", [.init("class", "destination"), .init("dir", "ltr")], text: "(\(link.destination))")
    }

    private func text(_ text: String, to writer: inout HTMLWriter) {
        guard let gap else { return writer.text(text) }
        for piece in GapText.pieces(of: text) {
            switch piece {
            case .text(let text): writer.text(text)
            case .gap(let name): if !gap(name, &writer) { writer.text("{{\(name)}}") }
            }
        }
    }
}
