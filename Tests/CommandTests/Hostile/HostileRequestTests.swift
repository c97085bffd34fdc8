import Foundation
import Testing

@Suite("A hostile client of the reference host")
struct HostileRequestTests {
    private struct Case {
        var name: String
        var request: [UInt8]
        /// What may be answered; a connection that is closed without an answer is as good where `nil` is among them.
        var statuses: [Int?]
        /// Sent again and again after the request, until the host reads no more.
        var repeated: [UInt8] = []
        var repeatedBytes = 0

        init(_ name: String, _ statuses: [Int?], _ request: String, body: [UInt8] = []) {
            self.name = name
            self.statuses = statuses
            self.request = Array(request.utf8) + body
        }

        func then(_ repeated: [UInt8], upTo bytes: Int) -> Case {
            var copy = self
            copy.repeated = repeated
            copy.repeatedBytes = bytes
            return copy
        }
    }

    private static let id = "11111111-1111-4111-8111-111111111111"

    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n"
    }

    private static func put(_ fields: String, id: String = id) -> String {
        "PUT /v1/tests/\(id) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\(fields)\r\n"
    }

    private static func put(_ name: String, _ statuses: [Int?], json: [UInt8], fields: String = "") -> Case {
        Case(name, statuses, put("Content-Length: \(json.count)\r\n" + fields), body: json)
    }

    private static let run = HostileReply.run

    private static func cases(_ folder: TemporaryFolder) throws -> [Case] {
        let zeros = folder.path + "/zeros"
        try Data([UInt8](repeating: 0x20, count: 16 << 20)).write(to: URL(filePath: zeros))
        try Command.run("gzip", "-n", zeros, in: folder.path)
        let packed = Array(try Files.read(zeros + ".gz"))
        return [
            Case("a path out of the folder", [404], get("/v1/questionnaires/../../etc/passwd")),
            Case("the same in escapes", [404], get("/v1/questionnaires/%2e%2e/%2e%2e/etc/passwd")),
            Case("the same in one segment", [404], get("/v1/questionnaires/..%2f..%2fetc%2fpasswd")),
            Case("the same below the media", [404], get("/v1/questionnaires/media/%2e%2e/%2e%2e/passwd")),
            Case("a backslash", [404], get("/v1/questionnaires/media/..%5c..%5cpasswd")),
            Case("a NUL in a path", [404], get("/v1/questionnaires/media/a%00.png")),
            Case("a hidden file", [404], get("/v1/questionnaires/media/.git")),
            Case("the file with the answer key", [404], get("/v1/questionnaires/media/../q.json")),
            Case("half an escape", [400], get("/v1/questionnaires/%2")),
            Case("bytes that are no text", [400], get("/v1/questionnaires/%ff%fe")),
            Case("an id of 10 kB", [404, 414], get("/v1/questionnaires/" + String(repeating: "a", count: 10_000))),
            Case("a control character in an id", [404], get("/v1/questionnaires/a%0d%0aX-A:%20b")),
            Case("a limit beyond any number", [400], get("/v1/questionnaires?limit=99999999999999999999")),
            Case("a foreign cursor", [400], get("/v1/questionnaires?cursor=%00%00")),
            Case("a thousand ids", [400], get("/v1/tests?ids=" + String(repeating: id + ",", count: 1000))),
            Case(
                "a range that is none", [200, 404, 416],
                get("/v1/questionnaires/q", "Range: bytes=9-1,99999999999999999999-\r\n")),
            Case(
                "conditions without sense", [200],
                get("/v1/questionnaires", "If-None-Match: \"a\"b,\"\r\nIf-Modified-Since: x\r\n")),
            Case("a request line of 1 MB", [400, 414, 431, nil], get("/" + String(repeating: "a", count: 1 << 20))),
            Case(
                "a header field of 1 MB", [400, 431, nil],
                get("/v1/", "X-A: " + String(repeating: "a", count: 1 << 20) + "\r\n")),
            Case("endless header fields", [400, 431, nil], "GET /v1/ HTTP/1.1\r\n").then(
                run(1000, "a: b\r\n"), upTo: 64 << 20),
            Case("an endless header field", [400, 431, nil], "GET /v1/ HTTP/1.1\r\nX-A: ").then(
                run(1 << 16, "a"), upTo: 64 << 20),
            Case("no HTTP", [400, nil], "\u{16}\u{3}\u{1}hello\r\n\r\n"),
            Case("HTTP of version 9.9", [400, 505, nil], "GET / HTTP/9.9\r\n\r\n"),
            Case(
                "a length and chunks", [400, nil],
                put("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n\r\n"),
            Case("two lengths", [400, nil], put("Content-Length: 2\r\nContent-Length: 3\r\n") + "{}"),
            Case("a length that is no number", [400, nil], put("Content-Length: 1e3\r\n") + "{}"),
            Case("a chunk size that is none", [400, nil], put("Transfer-Encoding: chunked\r\n") + "ZZ\r\n"),
            Case("a body of 10 GB announced", [413], put("Content-Length: 10737418240\r\n")),
            Case("a body without an end", [413, nil], put("Transfer-Encoding: chunked\r\n"))
                .then(Array("10000\r\n".utf8) + run(1 << 16, "x") + [13, 10], upTo: 256 << 20),
            Case("chunk extensions without an end", [400, 413, nil], put("Transfer-Encoding: chunked\r\n") + "5;")
                .then(run(1000, "a=b;"), upTo: 32 << 20),
            put(
                "a gzip bomb", [400, 413, 422], json: (0..<64).flatMap { _ in packed },
                fields: "Content-Encoding: gzip\r\n"),
            put("gzip that is none", [400, 422], json: Array("{}".utf8), fields: "Content-Encoding: gzip\r\n"),
            put("gzip twice", [415], json: packed, fields: "Content-Encoding: gzip, gzip\r\n"),
            put("depth", [400, 422], json: run(100_000, "[")),
            put("a million values", [400, 422], json: [0x5B] + run(1_000_000, "0,")),
            put("a name twice", [400, 422], json: Array(#"{"id": "\#(id)", "id": "x"}"#.utf8)),
            put("a number that overflows", [400, 422], json: Array(#"{"id": "\#(id)", "sequence": 1e999}"#.utf8)),
            put("a byte order mark", [400, 422], json: [0xEF, 0xBB, 0xBF, 0x7B, 0x7D]),
            put("invalid UTF-8", [400, 422], json: [0x22, 0xFF, 0x22]),
            put("a digest that is none", [400], json: Array("{}".utf8), fields: "Content-Digest: sha-256=:AAAA:\r\n"),
            Case(
                "an id that is a path", [404, 422],
                "PUT /v1/tests/..%2f..%2fx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
            ),
            Case(
                "a method of its own", [400, 405, 501, nil],
                "BREW /v1/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
        ]
    }

    @Test("whatever is sent is answered with a problem or closed, in bounded memory, and the host goes on")
    func requests() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "q", title: "Q"))
        try host.start()
        for hostile in try Self.cases(folder) {
            let client = try RawClient(port: host.listeningPort)
            client.send(hostile.request)
            var sent = 0
            while sent < hostile.repeatedBytes, client.send(hostile.repeated) { sent += hostile.repeated.count }
            client.finish()
            let status = client.status()
            #expect(hostile.statuses.contains(status), "\(hostile.name): \(String(describing: status))")
            let next = try RawClient(port: host.listeningPort)
            next.send(Self.get("/v1/"))
            #expect(next.status() == 200, "after \(hostile.name)")
            let peakBytes = try #require(host.peakBytes)
            #expect(peakBytes < Measured.bound, "\(hostile.name): \(peakBytes / 1000) kB")
        }
        #expect(host.tests.isEmpty)
        let own: Set = [
            "changes.lock", "favorites", "former", "lock", "media", "questionnaires", "rating.lock", "receipts",
            "register.json", "register.lock", "tests", "tmp", "uploads", "published", "published.json",
            "published.lock", "started.json",
        ]
        #expect(Set(Files.names(in: host.data)).subtracting(own).isEmpty)
        for name in ["favorites", "former", "media", "receipts", "tmp", "uploads"] {
            #expect(Files.regularFiles(below: host.data + "/" + name).isEmpty, "\(name)")
        }
    }

    @Test("clients that stop in the middle block no other, and cost little")
    func slowClients() throws {
        let folder = try TemporaryFolder()
        let host = try HostProcess(folder: folder.path)
        try host.publish(Questionnaire(id: "q", title: "Q"))
        try host.start()
        var slow: [RawClient] = []
        for number in 0..<200 {
            let client = try RawClient(port: host.listeningPort)
            client.send(number % 2 == 0 ? "GET /v1/ HTT" : Self.put("Content-Length: 100\r\n") + "{")
            slow.append(client)
        }
        let client = try RawClient(port: host.listeningPort)
        client.send(Self.get("/v1/questionnaires"))
        #expect(client.status() == 200)
        #expect(try #require(host.peakBytes) < Measured.bound)
        slow.removeAll()
    }
}
