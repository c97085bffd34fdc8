/// Writes HTML that is well-formed and free of what a text could smuggle into it, by construction.
///
/// Names of elements and attributes are constants of the program, every text and value is escaped, an element that was
/// opened is closed, and an address of a link is a `WebLink`.
package struct HTMLWriter: Sendable {
    package private(set) var html = ""

    package init() {}

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
        open(name, attributes)
        content(&self)
        html += "</\(name)>"
    }

    /// Writes an element that has only a text.
    package mutating func element(_ name: StaticString, _ attributes: [Attribute] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    /// Writes an element without content: `br`, `hr`.
    package mutating func empty(_ name: StaticString, _ attributes: [Attribute] = []) { open(name, attributes) }

    /// Writes a link that opens in a window of its own and says nothing about where it was opened.
    package mutating func link(_ link: WebLink, _ content: (inout HTMLWriter) -> Void) {
        let attributes = [
            Attribute("href", link.destination), Attribute("target", "_blank"),
            Attribute("rel", "noopener noreferrer nofollow"),
        ]
        element("a", attributes, content)
    }

    /// Writes a text.
    package mutating func text(_ text: String) { html += Self.escaped(text) }

    private mutating func open(_ name: StaticString, _ attributes: [Attribute]) {
        html += "<\(name)"
        for attribute in attributes { html += " \(attribute.name)=\"\(Self.escaped(attribute.value))\"" }
        html += ">"
    }

    /// The text with `& < > " '` as references, and U+FFFD for what HTML has no place for.
    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            // A parser of HTML makes a line feed of a carriage return.
            case "\t", "\n": result.append(scalar)
            case "\r": result.append(contentsOf: "&#13;".unicodeScalars)
            default:
                let value = scalar.value
                let isForbidden = value < 0x20 || (0x7F...0x9F).contains(value) || value & 0xFFFE == 0xFFFE
                result.append(isForbidden ? "\u{FFFD}" : scalar)
            }
        }
        return String(result)
    }
}
