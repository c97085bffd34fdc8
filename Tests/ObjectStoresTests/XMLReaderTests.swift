import StrictXML
import Testing

@Suite("Strict XML")
struct XMLReaderTests {
    private static func read(_ text: String, _ limits: XMLLimits = XMLLimits()) throws -> XMLElement {
        try XMLReader.read(Array(text.utf8), limits: limits)
    }

    @Test("a document is a tree, with namespaces, attributes, texts and places")
    func tree() throws {
        let root = try Self.read(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <list xmlns="urn:x" xmlns:y="urn:y">
              <key y:kind="z" n="&quot;1">a&amp;b<![CDATA[<c>]]>&#233;</key>
              <y:key/><!-- no text -->
            </list>
            """)
        #expect(root.name == "list")
        #expect(root.namespace == "urn:x")
        let keys = root.elements("key")
        #expect(keys.map(\.namespace) == ["urn:x", "urn:y"])
        #expect(keys[0].text == "a&b<c>é")
        #expect(keys[0].attributes == ["urn:y kind": "z", "n": "\"1"])
        #expect("\(keys[0].place)" == "line 3, column 3")
        #expect(keys[1].children.isEmpty)
    }

    @Test("a text of many lines is one text, and takes time in proportion to its length")
    func lines() throws {
        let text = String(repeating: "a\n", count: 1 << 20)
        let root = try Self.read("<a>x<b/>" + text + "</a>")
        #expect(root.children.count == 3 && root.children.last == .text(text))
    }

    @Test("other encodings are read as what they say")
    func encoding() throws {
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        #expect(try XMLReader.read(latin).text == "é")
    }

    @Test(
        "what is not well-formed, or declares a document type, is refused with its place",
        arguments: [
            ("", "line 1, column 1"), ("<a>", "line 1, column 4"), ("<a>\n</b>", "line 2, column 3"),
            ("<a/><b/>", "line 1, column 5"), ("<a>&nbsp;</a>", "line 1, column 4"), ("{}", "line 1, column 1"),
            ("<a x='1' x='2'/>", "line 1"), ("<a>\u{1}</a>", "line 1, column 4"),
            ("<!DOCTYPE a><a/>", "document type"),
            ("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "document type"),
            ("<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>", "document type"),
            ("<!DOCTYPE a [<!ENTITY e 'eeeeeeeeee'>]><a>&e;</a>", "document type"),
        ])
    func refused(_ text: String, _ part: String) {
        let fault = #expect(throws: XMLFault.self) { try Self.read(text) }
        #expect(fault?.description.contains(part) == true, "\(fault?.description ?? "")")
    }

    @Test("a document is bounded in every direction")
    func bounds() throws {
        var limits = XMLLimits()
        limits.bytes = 5000
        limits.depth = 10
        limits.nodes = 50
        limits.attributesOfOne = 5
        let documents = [
            "<a>" + String(repeating: " ", count: 5000) + "</a>",
            String(repeating: "<a>", count: 11) + String(repeating: "</a>", count: 11),
            "<a>" + String(repeating: "<b/>", count: 50) + "</a>",
            "<a " + (0..<6).map { "n\($0)='' " }.joined() + "/>",
        ]
        for text in documents {
            #expect(throws: XMLFault.self) { try Self.read(text, limits) }
            _ = try Self.read(text)
        }
    }
}
