import Model

/// An element of a document, with all that is in it.
package struct XMLElement: Hashable, Sendable {
    /// Without its prefix.
    package var name: String
    /// The namespace that it is in; empty for none.
    package var namespace: String
    package var attributes: [String: String]
    package var children: [XMLNode]
    package var place: XMLPlace

    /// The elements directly in it, in their order.
    package var elements: [XMLElement] {
        children.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The elements directly in it that have this name.
    package func elements(_ name: String) -> [XMLElement] { elements.filter { $0.name == name } }

    /// The first element directly in it that has this name.
    package func first(_ name: String) -> XMLElement? { elements.first { $0.name == name } }

    /// The text in it and in the elements in it, one after the other.
    package var text: String {
        children.map { child in
            switch child {
            case .text(let text): text
            case .element(let element): element.text
            }
        }.joined()
    }
}

package enum XMLNode: Hashable, Sendable {
    case element(XMLElement)
    /// With its entities and CDATA sections resolved.
    case text(String)
}

/// A place in a document; both count from 1, columns in bytes.
package struct XMLPlace: Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var column: Int

    package var description: String { "line \(line), column \(column)" }
}

/// Why bytes are not a document that is read here, and where.
package struct XMLFault: DescribedError, Hashable {
    package let place: XMLPlace
    package let reason: String

    package init(place: XMLPlace, reason: String) {
        self.place = place
        self.reason = reason
    }

    package var description: String { "\(place): \(reason)" }
}

/// The bounds of a document.
package struct XMLLimits: Sendable {
    package var bytes = 16 << 20
    package var depth = 64
    /// Elements and texts.
    package var nodes = 200_000
    package var attributesOfOne = 100

    package init() {}
}
