import CExpat
import Model

/// Reads a document as a tree, within bounds. A document type declaration is refused, and with it every entity but the five
/// of XML itself: nothing is fetched, and nothing grows.
package enum XMLReader {
    /// - Returns: the document's element.
    package static func read(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLFault) -> XMLElement {
        guard bytes.count <= limits.bytes else {
            throw XMLFault(place: XMLPlace(line: 1, column: 1), reason: "it is longer than \(limits.bytes) bytes")
        }
        guard let parser = XML_ParserCreateNS(nil, CChar(TreeBuilder.separator)) else {
            throw XMLFault(place: XMLPlace(line: 1, column: 1), reason: "there is no memory to read it")
        }
        defer { XML_ParserFree(parser) }
        let builder = TreeBuilder(parser, limits)
        return try withExtendedLifetime(builder) { () throws(XMLFault) in
            XML_SetUserData(parser, Unmanaged.passUnretained(builder).toOpaque())
            XML_SetElementHandler(
                parser, { TreeBuilder.of($0)?.start($1, $2) }, { builder, _ in TreeBuilder.of(builder)?.end() })
            XML_SetCharacterDataHandler(parser) { TreeBuilder.of($0)?.add($1, Int($2)) }
            XML_SetStartDoctypeDeclHandler(parser) { builder, _, _, _, _ in
                TreeBuilder.of(builder)?.refuse("it has a document type declaration, which is not read")
            }
            let status = bytes.withUnsafeBytes {
                XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
            }
            if let fault = builder.fault { throw fault }
            guard status == XML_STATUS_OK, let root = builder.root else {
                let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
                throw XMLFault(place: builder.place, reason: "it is not well-formed XML: \(reason ?? "it is empty")")
            }
            return root
        }
    }
}

/// Builds the tree from what the parser reports.
private final class TreeBuilder {
    /// Between a namespace and a name: no name has it.
    static let separator = UInt8(ascii: "\n")

    private let parser: XML_Parser
    private let limits: XMLLimits
    private var open: [XMLElement] = []
    /// The text of the innermost open element that has been reported and is not among its children yet.
    private var text = ""
    private var nodes = 0
    private(set) var root: XMLElement?
    private(set) var fault: XMLFault?

    init(_ parser: XML_Parser, _ limits: XMLLimits) {
        self.parser = parser
        self.limits = limits
    }

    static func of(_ pointer: UnsafeMutableRawPointer?) -> TreeBuilder? {
        pointer.map { Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    var place: XMLPlace {
        XMLPlace(
            line: Int(XML_GetCurrentLineNumber(parser)), column: Int(XML_GetCurrentColumnNumber(parser)) + 1)
    }

    func refuse(_ reason: String) {
        if fault == nil { fault = XMLFault(place: place, reason: reason) }
        XML_StopParser(parser, XML_Bool(0))
    }

    private func count() -> Bool {
        // The parser may report some more after it was stopped.
        guard fault == nil else { return false }
        nodes += 1
        if nodes > limits.nodes { refuse("it has more than \(limits.nodes) elements and texts") }
        return fault == nil
    }

    func start(_ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
        guard addText(), count(), let name else { return }
        guard open.count < limits.depth else {
            return refuse("its elements are more than \(limits.depth) deep in one another")
        }
        let (namespace, local) = Self.split(name)
        var element = XMLElement(name: local, namespace: namespace, attributes: [:], children: [], place: place)
        var next = attributes
        while let pair = next, let key = pair[0], let value = pair[1] {
            guard element.attributes.count < limits.attributesOfOne else {
                return refuse("an element has more than \(limits.attributesOfOne) attributes")
            }
            let (namespace, local) = Self.split(key)
            element.attributes[namespace.isEmpty ? local : "\(namespace) \(local)"] = String(cString: value)
            next = pair + 2
        }
        open.append(element)
    }

    func end() {
        guard addText(), let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(.element(element))
        }
    }

    func add(_ characters: UnsafePointer<CChar>?, _ length: Int) {
        guard fault == nil, !open.isEmpty, let characters else { return }
        // The parser reports a text in pieces, a line break as one of its own.
        text += String(decoding: UnsafeRawBufferPointer(start: characters, count: length), as: UTF8.self)
    }

    /// Adds the complete text to the children of its element.
    ///
    /// - Returns: whether the document is still read.
    private func addText() -> Bool {
        guard fault == nil else { return false }
        if text.isEmpty { return true }
        guard count() else { return false }
        open[open.count - 1].children.append(.text(text))
        text = ""
        return true
    }

    private static func split(_ name: UnsafePointer<CChar>) -> (namespace: String, local: String) {
        let text = String(cString: name)
        guard let end = text.utf8.firstIndex(of: separator) else { return ("", text) }
        return (String(text[..<end]), String(text[text.utf8.index(after: end)...]))
    }
}
