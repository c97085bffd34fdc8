import Foundation
import Testing

/// A server that does not do what a server does, and what `quire pull` says about it.
struct HostileReply: Sendable, CustomTestStringConvertible {
    var name: String
    /// The exit code of `quire pull`.
    var exitCode: Int32
    /// What its words must contain: the field, header or place that is to blame.
    var words: [String]
    var answer: RawServer.Answer

    var testDescription: String { name }

    /// Answers the same to everything.
    static func always(_ name: String, _ exitCode: Int32, _ words: String..., reply: RawReply) -> HostileReply {
        HostileReply(name: name, exitCode: exitCode, words: words) { _ in reply }
    }

    /// The list is as it should be, its one document is not.
    static func document(_ name: String, _ exitCode: Int32, _ words: String..., reply: RawReply) -> HostileReply {
        HostileReply(name: name, exitCode: exitCode, words: words, answer: RawServer.answerOfOne(reply))
    }

    /// The document is this content.
    static func content(
        _ name: String, _ exitCode: Int32, _ words: String..., bytes: [UInt8], fields: [String] = []
    ) -> HostileReply {
        let reply = RawReply.ok(bytes, fields: fields)
        return HostileReply(name: name, exitCode: exitCode, words: words, answer: RawServer.answerOfOne(reply))
    }

    static let good = #"{"id": "q", "title": "Q", "questions": [{"id": "1", "text": "?"}]}"#

    static func run(_ count: Int, _ text: String) -> [UInt8] { Array(String(repeating: text, count: count).utf8) }
}

extension HostileReply {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let block = run(1 << 16, "x")

    /// Messages that are wrong as HTTP.
    static let framing: [HostileReply] = [
        .always(
            "10 GB in chunks instead of the list", 65, "/v1/questionnaires", "longer than 4194304 bytes",
            reply: .endless(chunked, then: Array("10000\r\n".utf8) + block + [13, 10])),
        .always(
            "10 GB announced instead of the list", 65, "/v1/questionnaires", "longer than 4194304 bytes",
            reply: .endless("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n", then: block)),
        .document(
            "10 GB without a length", 65, "/v1/questionnaires/q", "longer than 4194304 bytes",
            reply: .endless("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", then: block)),
        .document(
            "a length that is no number", 65, "not HTTP", "content-length",
            reply: RawReply("HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n{}")),
        .document(
            "a length beyond any number", 65, "not HTTP", "content-length",
            reply: RawReply("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n{}")),
        .document(
            "two lengths", 65, "not HTTP", "content-length",
            reply: RawReply("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}")),
        .document(
            "a length and chunks", 65, "not HTTP", "content-length",
            reply: RawReply(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n")),
        .document(
            "a length that is too short", 65, "line 1, column",
            reply: RawReply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n" + good, closes: true)),
        .document(
            "a length that is too long", 69, "the connection to 127.0.0.1", "broke",
            reply: RawReply("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + good, closes: true)),
        .document(
            "half a reply", 69, "the connection to 127.0.0.1", reply: RawReply("HTTP/1.1 200 OK\r\nCon", closes: true)),
        .always("no reply at all", 69, "the connection to 127.0.0.1", reply: RawReply("", closes: true)),
        .always("no HTTP", 65, "not HTTP", reply: RawReply("SSH-2.0-OpenSSH_9.2\r\n\r\n", closes: true)),
        .document("a chunk size that is none", 65, "not HTTP", "chunk size", reply: RawReply(chunked + "ZZ\r\nabc")),
        .document(
            "a chunk size beyond any number", 65, "not HTTP", "chunk size",
            reply: RawReply(chunked + "FFFFFFFFFFFFFFFFF\r\nabc")),
        .document(
            "endless chunk extensions", 65, "chunk extensions",
            reply: .endless(chunked + "5;", then: run(1000, "a=b;"))),
        .document(
            "chunks of one byte", 65, "chunk sizes", reply: .endless(chunked, then: run(1000, "1\r\nx\r\n"))),
        .document(
            "endless trailers", 65, "header fields",
            reply: .endless(chunked + "0\r\n", then: Array("X-A: ".utf8) + run(1000, "a") + [13, 10])),
        .always(
            "a header field of 1 MB", 65, "header fields", "80 KiB",
            reply: .ok(Array("{}".utf8), fields: ["X-A: " + String(repeating: "a", count: 1 << 20)])),
        .always("an endless header field", 65, "80 KiB", reply: .endless("HTTP/1.1 200 OK\r\nX-A: ", then: block)),
        .always(
            "endless header fields", 65, "80 KiB", reply: .endless("HTTP/1.1 200 OK\r\n", then: run(1000, "a: b\r\n"))),
        .always(
            "endless interim replies", 65, "interim replies (1xx)",
            reply: .endless("", then: run(1000, "HTTP/1.1 102 Processing\r\n\r\n"))),
        .always("an unrequested upgrade", 65, "101", reply: RawReply("HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n")),
        .always("the status 000", 65, "status is 0", reply: RawReply("HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n")),
        .always("the status 099", 65, "status is 99", reply: RawReply("HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n")),
        .always("the status 999", 65, "999", reply: RawReply("HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n")),
        .always("the status abc", 65, "status", reply: RawReply("HTTP/1.1 abc X\r\nContent-Length: 0\r\n\r\n")),
        .always("HTTP of version 9.9", 65, "not HTTP", reply: RawReply("HTTP/9.9 200 OK\r\n\r\n")),
        .document(
            "a bare CR in a field", 65, "not HTTP",
            reply: RawReply("HTTP/1.1 200 OK\r\nX-A: a\rX-B: b\r\nContent-Length: 0\r\n\r\n")),
        .document(
            "a NUL in a field", 65, "not HTTP",
            reply: RawReply("HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n")),
        .always(
            "a redirect to another machine", 69, "302", "/v1/questionnaires",
            reply: RawReply("HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n")),
        .document(
            "a redirect to a file", 69, "301",
            reply: RawReply("HTTP/1.1 301 X\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n")),
        .always("304 without a condition", 65, "304", reply: RawReply("HTTP/1.1 304 Not Modified\r\n\r\n")),
    ]

    /// Fields that lie, in a message that is whole.
    static let fields: [HostileReply] = [
        .content(
            "a digest of other content", 65, "Content-Digest", bytes: Array(good.utf8),
            fields: ["Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"]),
        .content(
            "a digest that is none", 65, "Content-Digest", bytes: Array(good.utf8),
            fields: ["Content-Digest: sha-256=:AAAA:"]),
        .content(
            "an unknown content coding", 65, "content coding “gzip,gzip”", bytes: [0x1F, 0x8B],
            fields: ["Content-Encoding: gzip, gzip"]),
        .content(
            "dates of the years 0 and 9999", 0, "1 new", bytes: Array(good.utf8),
            fields: [
                "Date: Sat, 01 Jan 0000 00:00:00 GMT", "Expires: Fri, 31 Dec 9999 23:59:59 GMT",
                "Last-Modified: Fri, 31 Dec 9999 23:59:59 GMT",
            ]),
        .content(
            "an age, an expiry and directives without sense", 0, "1 new", bytes: Array(good.utf8),
            fields: [
                "Age: 1" + String(repeating: "0", count: 30), "Expires: tomorrow", "Date: x", "Date: y",
                "Cache-Control: max-age=1e999, ,,=,\"", "Cache-Control: s-maxage=-1, private=\"\\", "Vary: ,,",
            ]),
        .content(
            "an entity tag without sense", 0, "1 new", bytes: Array(good.utf8),
            fields: ["ETag: \"a\"b\\\"", "ETag: W/W/x", "Last-Modified: never"]),
        .content(
            "a media type that is a path", 0, "1 new", bytes: Array(good.utf8),
            fields: ["Content-Type: application/../../../x", "Content-Type: " + String(repeating: "a/", count: 2000)]),
        HostileReply(name: "a list that does not end", exitCode: 65, words: ["does not end", "pages"]) { request in
            .list([], next: "/v1/questionnaires?cursor=\(request.number)")
        },
        HostileReply(
            name: "a list of a page for each questionnaire, without an end", exitCode: 65,
            words: ["does not end", "100 pages name only 100"]
        ) { request in
            .list(
                [#"{"id": "q\#(request.number)", "title": "", "url": "/q\#(request.number)"}"#],
                next: "/v1/questionnaires?cursor=\(request.number)")
        },
        HostileReply(name: "a list that leads back to itself", exitCode: 65, words: ["does not end", "“next”"]) { _ in
            .list([], next: "/v1/questionnaires?cursor=1")
        },
        .always(
            "a list that goes on on another machine", 65, "next page", "not on this server",
            reply: .list([], next: "http://192.0.2.1/?cursor=1")),
        .always(
            "a list of a million", 65, "longer than 4194304 bytes",
            reply: .list([String](repeating: #"{"id":"a","title":"","url":"/a"}"#, count: 1_000_000))),
        .always(
            "a list of more values than anybody needs", 65, "there are more than 100000 values",
            reply: .list([String](repeating: #"{"id":"a","title":"","url":"/a"}"#, count: 30_000))),
    ]
}
