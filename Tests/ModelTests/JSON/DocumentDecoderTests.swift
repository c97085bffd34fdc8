import Foundation
import Testing

@testable import Model

@Suite("Documents are read as JSONDecoder reads them")
struct DocumentDecoderTests {
    /// What both make of a text: the value, or the field that is at fault.
    private func expectSame<Value: Decodable & Equatable>(
        _ type: Value.Type, _ text: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let comment = Comment(rawValue: String(decoding: text.prefix(400), as: UTF8.self))
        let foundation = Result { try JSONDecoder().decode(type, from: Data(text)) }
        let ours = Result { () throws(DocumentFault) in try DocumentCoding.decode(type, from: text) }
        switch (ours, foundation) {
        case (.success(let ours), .success(let theirs)):
            #expect(ours == theirs, comment, sourceLocation: sourceLocation)
        case (.failure(let ours), .failure(let theirs as DecodingError)):
            let theirs = DocumentFault(theirs)
            // A number that does not fit has no field there.
            if theirs.field == nil { return }
            #expect(ours.field == theirs.field, comment, sourceLocation: sourceLocation)
            // Of a null in the place of a Bool it says what it says of other kinds.
            if ours.reason == "is null where true or false belongs", theirs.reason == "is not true or false" { return }
            #expect(ours.reason == theirs.reason, comment, sourceLocation: sourceLocation)
        default:
            Issue.record(
                "\(ours) is not \(foundation): \(String(decoding: text.prefix(400), as: UTF8.self))",
                sourceLocation: sourceLocation)
        }
    }

    @Test("values of every kind", arguments: 0..<20)
    func values(_ seed: UInt64) {
        var json = RandomJSON(seed: seed)
        for _ in 0..<50 { expectSame(JSONValue.self, json.text(depth: 5)) }
    }

    private struct Everything: Codable, Equatable {
        var text: String
        var whole: Int
        var yes: Bool
        var number: Double
        var float: Float
        var small: Int8
        var large: UInt64
        var optional: String?
        var flag: Bool?
        var list: [Int]
        var texts: [String]
        var table: [String: [Double?]]
        var inner: Inner
        var inners: [Inner]

        struct Inner: Codable, Equatable {
            var name: String
            var more: [Inner]?
        }
    }

    private static let members: [(name: String, values: [String])] = [
        ("text", [#""a""#, #""\u0410\ud83d\ude00\n\"\\\/ё""#, #""""#, "1", "null"]),
        ("whole", ["0", "-9223372036854775808", "9223372036854775807", "1.0", "1e3", "-0", "true", #""1""#]),
        ("yes", ["true", "false", "1", "null"]),
        ("number", ["0.1", "-1e-7", "123456789012345678", "3", "5e-324", #""1""#]),
        ("float", ["0.5", "16777217", "false"]),
        ("small", ["-128", "127", "12.0", "[]"]),
        ("large", ["18446744073709551615", "0", "{}"]),
        ("optional", ["null", #""x""#, "[]"]),
        ("flag", ["null", "true", "0"]),
        ("list", ["[]", "[1, 2,3]", "[1, null]", "[1, \"a\"]", "{}"]),
        ("texts", ["[]", #"["a", "\t"]"#, "[null]", "[[]]", "null", "7"]),
        ("table", ["{}", #"{"a": [1, null, 2.5], "b": []}"#, #"{"a": [true]}"#, "[]"]),
        ("inner", [#"{"name": "n"}"#, #"{"more": [{"name": "m", "more": []}], "name": "n"}"#, #"{"more": []}"#, "[]"]),
        ("inners", ["[]", #"[{"name": "a"}, {"name": "b", "more": [{"name": "c"}, {}]}]"#, "[1]", "null"]),
    ]

    @Test("members of every type, in any order, missing, null, of another kind and beside strangers", arguments: 0..<20)
    func types(_ seed: UInt64) {
        var json = RandomJSON(seed: seed)
        for _ in 0..<40 {
            var members = Self.members.compactMap { member -> String? in
                if json.number(below: 40) == 0 { return nil }
                // Most are as they should be, so that one fault does not hide the others.
                let place = json.number(below: 12) == 0 ? json.number(below: member.values.count) : 0
                // A name may be written with escapes.
                let name = json.number(below: 20) == 0 ? "\\u00" + hexadecimal(member.name) : member.name
                return "\"\(name)\": \(member.values[place])"
            }
            members.insert(#""stranger": {"text": [1, {"whole": 2}]}"#, at: json.number(below: members.count + 1))
            if json.coin() { members.shuffle(using: &json.generator) }
            expectSame(Everything.self, bytes("{" + members.joined(separator: ", ") + "}"))
        }
    }

    /// The first letter by its code.
    private func hexadecimal(_ name: String) -> String {
        String(name.utf8.first ?? 0, radix: 16) + name.dropFirst()
    }

    @Test("whole numbers to their bounds", arguments: ["", "-"])
    func wholeNumbers(_ sign: String) {
        for digits in [
            "0", "127", "128", "129", "255", "256", "32768", "65536", "2147483648", "4294967296", "9223372036854775807",
            "9223372036854775808", "9223372036854775809", "18446744073709551615", "18446744073709551616", "1e2", "1.5",
            "100000000000000000000000", "0.0", "1e400", "9007199254740992.0",
        ] {
            let text = bytes("[\(sign)\(digits)]")
            expectSame([Int8].self, text)
            expectSame([UInt8].self, text)
            expectSame([Int16].self, text)
            expectSame([UInt32].self, text)
            expectSame([Int].self, text)
            expectSame([UInt64].self, text)
        }
    }

    @Test("a fault says where it is, in lists of objects too")
    func places() throws {
        let text =
            #"{"id": "q", "title": "t", "questions": [{"id": "1", "text": ""}, "#
            + #"{"id": "2", "text": "", "options": ["a", 7]}]}"#
        let fault = #expect(throws: DocumentFault.self) { try Questionnaire(json: bytes(text)) }
        #expect(fault?.description == "questions[1].options[1]: is not a text")
        let whole = #expect(throws: DocumentFault.self) { try DocumentCoding.decode([Int].self, from: bytes("{}")) }
        #expect(whole?.description == "is not a list")
    }

    @Test("a list's end, a null in it, and containers in containers")
    func containers() throws {
        struct Odd: Decodable, Equatable {
            var found: [String] = []

            enum Key: String, CodingKey { case inner, list, missing, deep }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                #expect(container.allKeys.map(\.stringValue).sorted() == ["deep", "inner", "list"])
                #expect(container.contains(.inner) && !container.contains(.missing))
                #expect(throws: (any Error).self) { try container.decodeNil(forKey: .missing) }
                let inner = try container.nestedContainer(keyedBy: Key.self, forKey: .inner)
                found.append(try inner.decode(String.self, forKey: .deep))
                var list = try container.nestedUnkeyedContainer(forKey: .list)
                #expect(try list.decodeNil())
                #expect(try !list.decodeNil())
                found.append(try list.decode(String.self))
                found.append(try list.nestedContainer(keyedBy: Key.self).decode(String.self, forKey: .deep))
                var deepest = try list.nestedUnkeyedContainer()
                found.append(try deepest.decode(String.self))
                #expect(list.currentIndex == 4 && list.isAtEnd)
                #expect(throws: (any Error).self) { try list.decode(String.self) }
                #expect(try !list.decodeNil())
                let deep = try container.superDecoder(forKey: .deep).singleValueContainer()
                #expect(deep.decodeNil())
            }
        }
        let text = #"{"list": [null, "a", {"deep": "b"}, ["c"]], "inner": {"deep": "d"}, "deep": null}"#
        #expect(try DocumentCoding.decode(Odd.self, from: bytes(text)).found == ["d", "a", "b", "c"])
    }

    @Test("to try one kind after another takes no longer the further a value is: the way to it is found once at most")
    func longLists() throws {
        // By the square of it, it would take minutes.
        let count = JSONText.maximumValues - 10
        let values = try DocumentCoding.decode(
            [JSONValue].self, from: bytes("[" + repeatElement("{}", count: count).joined(separator: ",") + "]"))
        #expect(values == Array(repeating: .object([:]), count: count))
        let answers = try DocumentCoding.decode(
            [Answer.Value].self, from: bytes("[" + repeatElement("1", count: count).joined(separator: ",") + "]"))
        // A comparison of the lists would be printed in full where it fails.
        #expect(answers.count == count && answers.allSatisfy { $0 == .number(1) })
    }

    @Test(
        "a value that a list of words lacks is named, and no type of the program",
        arguments: [
            (#"{"late": "foo"}"#, "late: is “foo”, which is not one of its values"),
            (
                #"{"late": "a value from invalid b"}"#,
                "late: is “a value from invalid b”, which is not one of its values"
            ),
            (#"{"late": ""}"#, "late: is “”, which is not one of its values"),
            (#"{"late": 5}"#, "late: is not a text"),
            (#"{"level": 7}"#, "level: is 7, which is not one of its values"),
            (#"{"id": "x"}"#, "id: “x” is not a UUID"),
        ])
    func wordOfNoList(_ text: String, _ expected: String) {
        struct Rules: Decodable {
            enum Late: String, Decodable { case refuse, accept }
            enum Level: Int, Decodable {
                case low = 1
                case high
            }
            var late: Late?
            var level: Level?
            var id: TestID?
        }
        let fault = #expect(throws: DocumentFault.self) { try DocumentCoding.decode(Rules.self, from: bytes(text)) }
        #expect(fault?.description == expected)
    }

    @Test("a number that fits nowhere is named")
    func tooGreat() {
        for text in ["[1e400]", "[-1e400]"] {
            let value = #expect(throws: DocumentFault.self) {
                try DocumentCoding.decode([JSONValue].self, from: bytes(text))
            }
            #expect(value?.description == "[0]: is too great a number")
            let number = #expect(throws: DocumentFault.self) {
                try DocumentCoding.decode([Double].self, from: bytes(text))
            }
            #expect(number?.description == "[0]: is too great a number")
        }
        let float = #expect(throws: DocumentFault.self) {
            try DocumentCoding.decode([Float].self, from: bytes("[1e39]"))
        }
        #expect(float?.description == "[0]: is too great a number")
    }

    @Test("what our own program wrote has as many values as it likes")
    func many() throws {
        let text = bytes("[" + repeatElement("1", count: JSONText.maximumValues).joined(separator: ",") + "]")
        #expect(try DocumentCoding.decodeOwn([Int].self, from: text).count == JSONText.maximumValues)
        let fault = #expect(throws: DocumentFault.self) { try DocumentCoding.decode([Int].self, from: text) }
        #expect(fault?.reason.contains("more than") == true)
    }

    @Test("real questionnaires, where they are at hand, and all ways to damage one of ours")
    func documents() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../shared/data/questionnaires").standardizedFileURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for (number, name) in names.sorted().enumerated() where name.hasSuffix(".json") && number % 12 == 0 {
            expectSame(Questionnaire.self, Array(try Data(contentsOf: folder.appending(path: name))))
        }
        let samples = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../sample-data/questionnaires").standardizedFileURL
        let ours = try FileManager.default.contentsOfDirectory(atPath: samples.path).filter { $0.hasSuffix(".json") }
        #expect(!ours.isEmpty)
        for name in ours { expectSame(Questionnaire.self, Array(try Data(contentsOf: samples.appending(path: name)))) }
        let test = bytes(
            #"{"answers":[{"answer":"да","optionIndexes":[1],"questionId":"q1"},{"answer":["a","b"],"questionId":"q2"},"#
                + #"{"answer":12.5,"questionId":"q3"}],"dateStarted":"2026-11-24T10:00:00Z","deviceId":"d","#
                + #""id":"11111111-2222-4333-8444-555555555555","more":{"a":[1,null,true]},"questionnaire":{"digest":"#
                + "\"\(Digest(sha256Of: [1]))\",\"id\":\"q\",\"title\":\"T\"},\"sequence\":3}")
        expectSame(TestRecord.self, test)
        var json = RandomJSON(seed: 9)
        var whole = 0
        for _ in 0..<1000 {
            let text = json.damaged(test)
            // What is no JSON is refused before anything is decoded, and by other rules.
            guard (try? JSONText(checking: text)) != nil else { continue }
            whole += 1
            expectSame(TestRecord.self, text)
        }
        #expect(whole > 50)
    }
}
