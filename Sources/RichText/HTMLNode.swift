/// A text or an element of HTML.
package indirect enum HTMLNode: Hashable, Sendable {
    case text(String)
    case element(Element)

    package struct Element: Hashable, Sendable {
        package let name: String
        package let attributes: [Attribute]
        package let children: [HTMLNode]
        /// Whether it has no end tag: `br`, `hr`.
        let isVoid: Bool
    }

    package struct Attribute: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// Appends the node as HTML.
    func write(to html: inout String) {
        switch self {
        case .text(let text): html += HTMLWriter.escaped(text)
        case .element(let element):
            html += "<\(element.name)"
            for attribute in element.attributes {
                html += " \(attribute.name)=\"\(HTMLWriter.escaped(attribute.value))\""
            }
            html += ">"
            guard !element.isVoid else { return }
            for child in element.children { child.write(to: &html) }
            html += "</\(element.name)>"
        }
    }
}

/// As JSON, for programs that make elements of it without reading HTML: a text, or `["p", {"dir": "ltr"}, child…]`.
extension HTMLNode: Encodable {
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(HTMLWriter.allowed(text))
        case .element(let element):
            var list = encoder.unkeyedContainer()
            try list.encode(element.name)
            let attributes = element.attributes.map { ($0.name, HTMLWriter.allowed($0.value)) }
            try list.encode(Dictionary(attributes) { first, _ in first })
            for child in element.children { try list.encode(child) }
        }
    }
}
