/// Writes HTML that is well-formed and free of what a text could smuggle into it, by construction.
///
/// Names of elements and attributes are constants of the program, every text and value is escaped, an element that was
/// opened is closed, and an address of a link is a `WebLink`.
package struct HTMLWriter: Sendable {
    /// What was written.
    package private(set) var nodes: [HTMLNode] = []

    package init() {}

    /// What was written, as HTML.
    package var html: String {
        var html = ""
        for node in nodes { node.write(to: &html) }
        return html
    }

    /// An attribute: its name is a constant, its value any text. Links are written by `link` alone.
    package struct Attribute: Sendable {
        let name: StaticString
        let value: String

        package init(_ name: StaticString, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Writes an element with what `content` writes within it.
    package mutating func element(
        _ name: StaticString, _ attributes: [Attribute] = [], _ content: (inout HTMLWriter) -> Void
    ) {
        var inner = HTMLWriter()
        content(&inner)
        append(name, attributes, inner.nodes, isVoid: false)
    }

    /// Writes an element that has only a text.
    package mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// Writes an element without content: `br`, `hr`.
    package mutating func empty(_ name: StaticString, _ attributes: [Attribute] = []) {
        append(name, attributes, [], isVoid: true)
    }

    /// Writes a link that opens in a window of its own and says nothing about where it was opened.
    package mutating func link(_ link: WebLink, _ content: (inout HTMLWriter) -> Void) {
        let attributes = [
            Attribute("href", link.destination), Attribute("target", "_blank"),
            Attribute("rel", "noopener noreferrer nofollow"),
        ]
        element("a", attributes, content)
    }

    /// Writes a text.
    package mutating func text(_ text: String) {
        guard !text.isEmpty else { return }
        guard case .text(let former) = nodes.last else { return nodes.append(.text(text)) }
        nodes[nodes.count - 1] = .text(former + text)
    }

    private mutating func append(
        _ name: StaticString, _ attributes: [Attribute], _ children: [HTMLNode], isVoid: Bool
    ) {
        nodes.append(
            .element(
                HTMLNode.Element(
                    name: "\(name)",
                    attributes: attributes.map { HTMLNode.Attribute(name: "\($0.name)", value: $0.value) },
                    children: children, isVoid: isVoid)))
    }

    /// The text with `& < > " '` as references, and U+FFFD for what HTML has no place for.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            // A parser of HTML makes a line feed of a carriage return.
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            default: result.append(allowed(scalar))
            }
        }
        return String(result)
    }

    /// The text with U+FFFD for what HTML has no place for.
    static func allowed(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map(allowed)))
    }

    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        if value == 0x09 || value == 0x0A || value == 0x0D { return scalar }
        let isForbidden = value < 0x20 || (0x7F...0x9F).contains(value) || value & 0xFFFE == 0xFFFE
        return isForbidden ? "\u{FFFD}" : scalar
    }
}
