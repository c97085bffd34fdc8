import Foundation
import Testing

@testable import Model

@Suite("Documents are written as JSONEncoder writes them")
struct DocumentEncoderTests {
    private static func foundation(_ value: some Encodable, _ more: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, more]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func expectSame(_ value: some Encodable) throws {
        for isPretty in [true, false] {
            let ours = String(decoding: try DocumentEncoder.encode(value, isPretty: isPretty), as: UTF8.self)
            #expect(ours == (try Self.foundation(value, isPretty ? .prettyPrinted : [])))
        }
    }

    @Test(
        "values of every kind, byte for byte",
        arguments: [
            .null, .bool(true), .bool(false), .integer(0), .integer(.min), .integer(.max), .number(0.1), .number(-2.5),
            .number(1e300), .number(1e21), .number(3), .number(-0.0), .number(.leastNonzeroMagnitude), .string(""),
            .string("“ё” \u{1F600} e\u{301} \u{7F} \u{2028} / \\ \" \u{0} \u{1} \u{8} \u{9} \n \u{B} \u{C} \r \u{1F}"),
            .array([]), .object([:]), .array([.array([]), .object([:]), .null, .array([.integer(1), .string("a")])]),
            .object(["a": .object(["b": .array([.null]), "": .bool(false)]), "é": .null, "e\u{301}x": .integer(2)]),
            .object([
                "Z": .null, "a": .null, "B": .null, "a1": .null, "a10": .null, "a2": .null, "_": .null, "я": .null,
                "ё": .null, "a b": .null, "\"": .null, "z\u{1F600}": .null, "~": .null, "A": .null,
            ]),
        ] as [JSONValue])
    func values(_ value: JSONValue) throws { try expectSame(value) }

    @Test("documents as they are in stores")
    func documents() throws {
        let questionnaire = QuestionnaireReference(id: "q/1", title: "Тест “1”", digest: Digest(sha256Of: [1]))
        let id = try #require(TestID("11111111-2222-4333-8444-555555555555"))
        var record = TestRecord(
            id: id, questionnaire: questionnaire, dateStarted: Timestamp(millisecondsSinceEpoch: 1_790_000_000_123),
            answers: [
                Answer(questionId: "q1", value: .one("да")),
                Answer(questionId: "q2", value: .several(["a", "b"]), optionIndexes: [0, 3]),
            ], deviceId: "device", sequence: 7)
        try expectSame(record)
        record.otherFields = ["unknown": .object(["deep": .array([.number(1.5)])])]
        try expectSame(record)
        try expectSame(
            Receipt(
                test: id, digest: questionnaire.digest, keptAt: nil,
                delivery: .init(
                    attempts: 2, firstAttempt: .epoch, lastAttempt: .epoch, reason: "503", mayHaveArrived: true),
                action: nil))
    }

    private struct Odd: Encodable {
        var small: UInt8 = 255
        var large: UInt64 = .max
        var float: Float = 0.5
        var none: Int?
        var names: [String: Int] = ["b": 1, "a": 2]
        var nested: [[Int]] = [[], [1]]

        enum Key: String, CodingKey { case small, large, float, none, names, nested, inner, list }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(small, forKey: .small)
            try container.encode(large, forKey: .large)
            try container.encode(float, forKey: .float)
            try container.encodeNil(forKey: .none)
            try container.encode(names, forKey: .names)
            try container.encode(nested, forKey: .nested)
            var inner = container.nestedContainer(keyedBy: Key.self, forKey: .inner)
            try inner.encode("first", forKey: .names)
            try inner.encode("last", forKey: .names)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode("text")
            try list.encodeNil()
            // Asked for once more: the same object.
            var again = encoder.container(keyedBy: Key.self)
            try again.encode(1, forKey: .small)
        }
    }

    @Test("seldom kinds of numbers, and containers in containers")
    func odd() throws { try expectSame(Odd()) }

    @Test("a list that is written piece by piece has the same bytes", arguments: [0, 1, 2, 5])
    func pieces(_ count: Int) throws {
        let values = (0..<count).map { ["b": ["\($0)"], "a": []] }
        var bytes: [UInt8] = []
        try DocumentCoding.encodeList(values) { bytes += $0 }
        #expect(try bytes == DocumentCoding.encode(values))
    }

    @Test("a number that JSON does not have is an error")
    func notANumber() {
        #expect(throws: EncodingError.self) { try DocumentEncoder.encode([Double.nan], isPretty: false) }
    }
}
