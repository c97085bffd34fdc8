import Foundation

/// Content that is wrong, in a message that is right.
extension HostileReply {
    private static func broken(_ name: String, _ words: String..., json: [UInt8]) -> HostileReply {
        var hostile = content(name, 65, bytes: json)
        // The id that was asked for and what is wrong with its document.
        hostile.words = ["quire: q: what came is not the questionnaire: "] + words
        return hostile
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private static let head = #"{"id": "q", "title": "Q", "questions": [], "x": "#

    static let documents: [HostileReply] = [
        broken("100 000 lists in one another", "nested deeper than 64", "line 1", json: text(head) + run(100_000, "[")),
        broken(
            "100 000 objects in one another, closed again", "nested deeper than 64",
            json: text(head) + run(100_000, #"{"a":"#) + text("0") + run(100_001, "}")),
        broken("a million values", "there are more than 100000 values", json: text(head + "[") + run(1_000_000, "[],")),
        broken(
            "a name twice", "“id” stands there twice",
            json: text(#"{"id": "x", "id": "q", "title": "", "questions": []}"#)),
        broken(
            "a name twice, once in escapes, deep inside", "“text” stands there twice", "line 2",
            json: text(
                "{\"id\": \"q\", \"title\": \"\", \"questions\": [{\"id\": \"1\",\n\"text\": \"\", \"\\u0074ext\": \"x\"}]}"
            )),
        broken(
            "a number that overflows", "timeLimitSeconds", "whole number",
            json: text(#"{"id": "q", "title": "", "questions": [], "timeLimitSeconds": 1e999}"#)),
        broken(
            "a number of 400 digits", "timeLimitSeconds", "whole number",
            json: text(#"{"id": "q", "title": "", "questions": [], "timeLimitSeconds": 1"#) + run(400, "0") + text("}")),
        broken(
            "2^64", "timeLimitSeconds", "whole number",
            json: text(#"{"id": "q", "title": "", "questions": [], "timeLimitSeconds": 18446744073709551616}"#)),
        broken("invalid UTF-8", "invalid UTF-8", "column 8", json: text(#"{"id":""#) + [0xFF, 0xFE] + text(#""}"#)),
        broken("half of a surrogate pair", "half of a character", json: text(#"{"id": "\ud800"}"#)),
        broken("a byte order mark", "byte order mark", json: [0xEF, 0xBB, 0xBF] + text(good)),
        broken("UTF-16", "it is not JSON", json: good.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
        broken("a NUL", "control character", json: text(#"{"id": ""#) + [0] + text(#""}"#)),
        broken("nothing", "it is not JSON", json: []),
        broken("a page for people", "it is not JSON", json: text("<!doctype html><title>Log in</title>")),
        broken("a number alone", "is not an object", json: text("1")),
        broken("no id", "id: is missing", json: text(#"{"title": "", "questions": []}"#)),
        broken("another id", "id: is “p” instead of “q”", json: text(#"{"id": "p", "title": "", "questions": []}"#)),
        broken(
            "two questions of one id", "questions", "two questions have the id “1”",
            json: text(
                #"{"id": "q", "title": "", "questions": [{"id": "1", "text": ""}, {"id": "1", "text": ""}]}"#)),
        broken(
            "options that are no texts", "questions[0].options[1]",
            json: text(#"{"id": "q", "title": "", "questions": [{"id": "1", "text": "", "options": ["a", 1]}]}"#)),
        content(
            "a text of 64 MB", 65, "longer than 4194304 bytes",
            bytes: text(#"{"id": "q", "title": ""#) + run(64 << 20, "x") + text(#"", "questions": []}"#)),
        content(
            "as long and as full as is allowed", 0, "1 new",
            bytes: text(#"{"id": "q", "title": ""#) + run(3 << 20, "x")
                + text(#"", "questions": [{"id": "1", "text": ""}], "x": ["#) + run(99_000, "0,") + text("0]}")),
        content(
            "texts that would steer a terminal", 0, "1 new",
            bytes: text(
                #"{"id": "q", "title": "\u001b]0;x\u0007\u001b[2J\u009b1m\r\u202e", "questions": [], "description": "\u0000"}"#
            )),
    ]

    /// gzip as a content coding.
    static func packed(_ folder: TemporaryFolder) throws -> [HostileReply] {
        func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
            let path = "\(folder.path)/plain-\(UUID().uuidString)"
            try Data(bytes).write(to: URL(filePath: path))
            try Command.run("gzip", "-n", path, in: folder.path)
            return Array(try Files.read(path + ".gz"))
        }
        let packed = try gzip(text(good))
        let zeros = try gzip([UInt8](repeating: 0x20, count: 16 << 20))
        var wrongSum = packed
        wrongSum[packed.count - 5] ^= 1
        let fields = ["Content-Encoding: gzip"]
        return [
            content("as it should be", 0, "1 new", bytes: packed, fields: fields),
            content("two members", 0, "1 new", bytes: packed + (try gzip(text(" \n"))), fields: fields),
            content(
                "1 GB in 1 MB", 65, "quire: q: ", "unpacks to more than 4194304 bytes",
                bytes: (0..<64).flatMap { _ in zeros }, fields: fields),
            content(
                "cut short", 65, "quire: q: ", "the gzip data ends too early", bytes: Array(packed.dropLast(9)),
                fields: fields),
            content("nothing", 65, "quire: q: ", "it is not gzip", bytes: [], fields: fields),
            content("no gzip", 65, "quire: q: ", "it is not gzip", bytes: text(good), fields: fields),
            content(
                "something behind it", 65, "quire: q: ", "7 bytes that are not gzip follow",
                bytes: packed + text("garbage"), fields: fields),
            content("a wrong sum", 65, "quire: q: ", "the gzip data is damaged", bytes: wrongSum, fields: fields),
            content(
                "half a second member", 65, "quire: q: ", "the gzip data ends too early",
                bytes: packed + packed.prefix(12), fields: fields),
        ]
    }
}
