import Model
import Simulation
import Testing

@Suite("JSON is checked to the letter of RFC 8259")
struct JSONTextTests {
    @Test(
        "what the RFC allows is taken",
        arguments: [
            "{}", "[]", "0", "-0", "-1", "0.5", "1e5", "1E+5", "1e-05", "123456789012345678901234567890", "1e9999",
            "\"\"", "null",
            "true", "false", " \t\r\n[ ]\n", "[1,2 , 3]", "{\"\":{}}", "{\"a\":1,\"b\":{\"a\":2}}",
            "[{\"a\":1},{\"a\":2}]",
            "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
            "\"\\u00e9\\uD83D\\uDE00\"", "\"\u{7F}\u{80}\u{2028}\u{10FFFF}\"", "\"a/b\"",
            "[[[[]]],{\"a\":[null]}]", "\"\\u0000\"", "-0.0e-0", "[\"\",\"\u{1F600}\"]",
        ])
    func accepted(_ text: String) {
        #expect(throws: Never.self) { try JSONText(checking: bytes(text)) }
    }

    @Test(
        "what it does not is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{,}",
            "{a:1}", "{'a':1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\"::1}", "[1}", "{\"a\":1]", "[]]",
            "{}{}",
            "{} x", "1 2", "01", "-", "-a", "+1", ".5", "1.", "1.e5", "1e", "1e+", "0x10", "1_000", "Infinity", "NaN",
            "-NaN",
            "nul", "nulll", "True", "TRUE", "t", "\"", "\"a", "\"\\", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
            "\"\\u\"", "\"\\U0041\"", "\"\\ud800\"", "\"\\ud800x\"", "\"\\udc00\"",
            "\"\\ud800\\ud800\"", "\"\\ud800\\n\"", "\"\\ud83d\\\"", "{\"\\uDEAD\":1}", "\"\\ud800\\u0041\"",
            "\"\\ud800\\u\"",
            "\"\n\"", "\"\t\"", "\"\0\"", "\"\u{1F}\"", "// a\n1", "/* a */1", "1//", "\u{A0}1",
            "\u{2028}1", "\u{C}1", "\u{B}1", "\u{FEFF}{}", "undefined", "\"a\" \"b\"", "[\"a\":1]", "'a'", "{\"a\":1}}",
            "\\",
        ])
    func refused(_ text: String) {
        #expect(throws: JSONFault.self) { try JSONText(checking: bytes(text)) }
    }

    /// RFC 3629: overlong forms, surrogates, what lies beyond Unicode, pieces.
    @Test(
        "bytes that are not UTF-8 are refused, in a name and in a value",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE1, 0x80], [0xE1, 0x80, 0xC0], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF1, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE],
            [0xFF],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(_ sequence: [UInt8]) {
        for (before, after) in [("[\"", "\"]"), ("{\"", "\":1}"), ("{\"a\":\"", "")] {
            #expect(throws: JSONFault.self) { try JSONText(checking: bytes(before) + sequence + bytes(after)) }
        }
    }

    @Test("a fault names the line and the column")
    func places() {
        for (text, line, column) in [("{", 1, 2), ("[1,\n 2,\n x]", 3, 2), ("\n\n\"a", 3, 3), ("[1, 02]", 1, 6)] {
            let fault = #expect(throws: JSONFault.self) { try JSONText(checking: bytes(text)) }
            #expect(fault?.line == line && fault?.column == column, "\(text): \(String(describing: fault))")
        }
        let fault = #expect(throws: JSONFault.self) { try JSONText(checking: [0xEF, 0xBB, 0xBF] + bytes("{}")) }
        #expect(fault?.description == "a byte order mark stands before the JSON (line 1, column 1)")
    }

    /// RFC 8259 section 4: what such an object means depends on who reads it.
    @Test(
        "a name twice in one object is refused, and the fault names it and where it stands again",
        arguments: [
            ("{\"a\":1,\"a\":2}", "a", 1, 8), ("{\"id\":1,\n\"x\":0,\n\"id\":2}", "id", 3, 1),
            ("{\"id\":1,\"\\u0069d\":2}", "id", 1, 9), ("[{\"b\":{\"\":1,\"\":1}}]", "", 1, 13),
            ("{\"é\":1,\"\\u00E9\":2}", "é", 1, 9), ("{\"/\":1,\"b\":[{}],\"\\/\":2}", "/", 1, 17),
        ])
    func nameTwice(_ text: String, _ name: String, _ line: Int, _ column: Int) {
        let fault = #expect(throws: JSONFault.self) { try JSONText(checking: bytes(text)) }
        #expect(fault?.reason == "the name “\(name)” stands there twice in one object")
        #expect(fault?.line == line && fault?.column == column, "\(String(describing: fault))")
    }

    @Test("names that only look alike are two names: upper and lower case, normal forms")
    func namesAlike() throws {
        let text = "{\"Ada\":1,\"ada\":2,\"e\u{301}\":3,\"\u{E9}\":4,\"a\":5,\"\u{430}\":6}"
        #expect(try JSONText(checking: bytes(text)).members.count == 6)
    }

    @Test("a hundred thousand values are enough, one more is too many, however small they are")
    func values() {
        for value in ["0", "[]", "{}", "\"\""] {
            func list(_ count: Int) -> [UInt8] {
                bytes("[" + repeatElement(value, count: count - 1).joined(separator: ",") + "]")
            }
            #expect(throws: Never.self) { try JSONText(checking: list(JSONText.maximumValues)) }
            let fault = #expect(throws: JSONFault.self) { try JSONText(checking: list(JSONText.maximumValues + 1)) }
            #expect(fault?.reason == "there are more than 100000 values")
        }
    }

    @Test("64 levels are enough, 65 are too many, and 100 000 are refused as quickly")
    func depth() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ count: Int) -> [UInt8] {
                let core = open == "[" ? "" : "1"
                return bytes(String(repeating: open, count: count) + core + String(repeating: close, count: count))
            }
            #expect(throws: Never.self) { try JSONText(checking: nested(JSONText.maximumDepth)) }
            for count in [JSONText.maximumDepth + 1, 100_000] {
                let fault = #expect(throws: JSONFault.self) { try JSONText(checking: nested(count)) }
                #expect(fault?.reason == "nested deeper than 64 levels")
                // Found where the level is reached: nothing behind it is read.
                #expect((fault?.column ?? .max) <= 65 * open.utf8.count + 1)
            }
            #expect(throws: JSONFault.self) { try JSONText(checking: bytes(String(repeating: open, count: 100_000))) }
        }
    }

    // MARK: - Members

    @Test("the members of the outermost object are found, with their names as they are meant")
    func members() throws {
        let text = try JSONText(
            checking: bytes(#" { "a" : [1, {"x": 2}] , "\u0062\n\uD83D\uDE00é": null,"":{} , "A":"b"} "#))
        #expect(text.isObject)
        #expect(text.members.map(\.name) == ["a", "b\n\u{1F600}é", "", "A"])
        let values = text.members.map { String(decoding: text.bytes[$0.value], as: UTF8.self) }
        #expect(values == [#"[1, {"x": 2}]"#, "null", "{}", #""b""#])
        let whole = text.members.map { String(decoding: text.bytes[$0.range], as: UTF8.self) }
        #expect(whole.first == #""a" : [1, {"x": 2}]"#)
    }

    @Test("what is no object has no members", arguments: ["[]", "1", "\"a\"", "[{\"a\": 1}]", "{}", "{ }", "null"])
    func noMembers(_ text: String) throws {
        let checked = try JSONText(checking: bytes(text))
        #expect(checked.members.isEmpty)
        #expect(checked.isObject == text.hasPrefix("{"))
        #expect(checked.removing(["a"]) == bytes(text))
    }

    @Test(
        "members are cut out and nothing else changes by a byte",
        arguments: [
            (#"{"a":1,"b":2,"c":3}"#, #"{"b":2,"c":3}"#, ["a"]),
            (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"c":3}"#, ["b"]),
            (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":2}"#, ["c"]),
            (#"{"a":1,"b":2,"c":3}"#, #"{"b":2}"#, ["a", "c"]),
            (#"{"a":1,"b":2,"c":3}"#, #"{}"#, ["a", "b", "c"]),
            (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":2,"c":3}"#, ["d"]),
            (#"{"a":1}"#, #"{}"#, ["a"]),
            (#"{"\u0061":1,"b":2}"#, #"{"b":2}"#, ["a"]),
            (#"{"b":{"a":1},"a":{"b":2}}"#, #"{"b":{"a":1}}"#, ["a"]),
            (" {\n  \"a\" : 1 ,\n  \"b\" : 2\n}\n", " {\n  \"b\" : 2\n}\n", ["a"]),
            (" {\n  \"a\" : 1 ,\n  \"b\" : 2\n}\n", " {\n  \"a\" : 1\n}\n", ["b"]),
            ("{\"a\":1,\n\t\"b\":\"\\u00e9\\/\",\"c\" : 1.50e+1}", "{\"b\":\"\\u00e9\\/\",\"c\" : 1.50e+1}", ["a"]),
        ] as [(String, String, Set<String>)])
    func removing(_ text: String, _ expected: String, _ names: Set<String>) throws {
        let result = try JSONText(checking: bytes(text)).removing(names)
        #expect(String(decoding: result, as: UTF8.self) == expected)
    }

    @Test(
        "whatever is cut out of a generated object, the rest is valid and has its members as they were",
        arguments: 0..<20)
    func removingGenerated(_ seed: UInt64) throws {
        var json = RandomJSON(seed: seed)
        for _ in 0..<50 {
            let text = json.object(depth: 3)
            let before = try JSONText(checking: text)
            let names = Set(before.members.map(\.name).filter { _ in json.coin() })
            let after = try JSONText(checking: before.removing(names))
            func contents(_ json: JSONText) -> [[UInt8]] { json.members.map { Array(json.bytes[$0.range]) } }
            let kept = before.members.filter { !names.contains($0.name) }.map { Array(text[$0.range]) }
            #expect(contents(after) == kept, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
            #expect(after.isObject)
        }
    }

    @Test("an object of a nearly a hundred thousand members is cut as well")
    func manyMembers() throws {
        let text = "{" + (0..<99_999).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let result = try JSONText(checking: bytes(text)).removing(["0", "99998"])
        #expect(try JSONText(checking: result).members.count == 99_997)
    }
}
