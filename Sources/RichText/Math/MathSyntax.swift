import CMarkGFM

/// `$…$` and `$$…$$` as an extension of cmark-gfm: what is between dollars is neither emphasis nor escapes.
///
/// As in Pandoc, a dollar opens a formula where no space follows it, and closes it where no space is before it and no
/// digit after it, so that “from $5 to $10” is text. The next dollar decides, so each is looked at once.
enum MathSyntax {
    /// What the text of a formula's node begins with.
    static let inlineMark = "$"
    static let displayMark = "$$"

    /// The extension; `nil` where there is no memory for it.
    static func make() -> OpaquePointer? {
        guard let syntax = cmark_syntax_extension_new("quire-math") else { return nil }
        cmark_syntax_extension_set_match_inline_func(syntax) { _, _, _, character, inlines in
            guard character == UInt8(ascii: "$"), let inlines else { return nil }
            return MathSyntax.match(inlines)
        }
        let characters = cmark_llist_append(
            cmark_get_default_mem_allocator(), nil, UnsafeMutableRawPointer(bitPattern: UInt(UInt8(ascii: "$"))))
        cmark_syntax_extension_set_special_inline_chars(syntax, characters)
        return syntax
    }

    private static func match(_ inlines: OpaquePointer) -> OpaquePointer? {
        let start = Int(cmark_inline_parser_get_offset(inlines))
        func byte(_ place: Int) -> UInt8 { cmark_inline_parser_peek_at(inlines, CInt(place)) }
        let dollar = UInt8(ascii: "$")
        let isDisplayed = byte(start + 1) == dollar
        let first = start + (isDisplayed ? 2 : 1)
        var place = first
        var content: [UInt8] = []
        while byte(place) != 0, byte(place) != dollar {
            content.append(byte(place))
            if byte(place) == UInt8(ascii: "\\"), byte(place + 1) != 0 {
                content.append(byte(place + 1))
                place += 1
            }
            place += 1
        }
        guard byte(place) == dollar, !content.isEmpty else { return nil }
        if isDisplayed {
            guard byte(place + 1) == dollar else { return nil }
        } else {
            guard let opening = content.first, let closing = content.last, !isSpace(opening), !isSpace(closing),
                !(0x30...0x39).contains(byte(place + 1))
            else { return nil }
        }
        // A cell of a table takes no node of an extension. Raw HTML begins with another character.
        guard let node = cmark_node_new(CMARK_NODE_HTML_INLINE) else { return nil }
        let mark = isDisplayed ? displayMark : inlineMark
        cmark_node_set_literal(node, mark + String(decoding: content, as: UTF8.self))
        cmark_inline_parser_set_offset(inlines, CInt(place + (isDisplayed ? 2 : 1)))
        return node
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
