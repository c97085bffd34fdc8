import Foundation
import Testing

/// A server may acknowledge what it likes: an answer counts as delivered only when it says so of these very bytes.
@Suite("A hostile server, asked to keep answers")
struct HostileReceiptTests {
    private static let receipt =
        #"{"test": "ID", "digest": "sha256:DIGEST", "status": "sent", "receivedAt": "2026-11-21T00:00:00Z""#

    /// What stands for the id and the digest of the test is put in before it is sent.
    static let replies: [(name: String, reply: RawReply)] = [
        ("a page for people", .ok("<html>Log in</html>")),
        ("nothing", .ok("")),
        ("nothing at all", RawReply("", closes: true)),
        ("another test", .ok(receipt.replacing("ID", with: "11111111-1111-4111-8111-111111111111") + "}")),
        ("other bytes", .ok(receipt.replacing("DIGEST", with: String(repeating: "0", count: 64)) + "}")),
        ("no status", .ok(#"{"test": "ID", "digest": "sha256:DIGEST", "receivedAt": "2026-11-21T00:00:00Z"}"#)),
        ("an unknown status", .ok(receipt.replacing(#""sent""#, with: #""eaten""#) + "}")),
        ("a status that is none of a server", .ok(receipt.replacing(#""sent""#, with: #""done""#) + "}")),
        ("no time", .ok(#"{"test": "ID", "digest": "sha256:DIGEST", "status": "sent"}"#)),
        ("a status twice", .ok(receipt + #", "status": "rated"}"#)),
        ("a byte order mark", .ok([0xEF, 0xBB, 0xBF] + Array((receipt + "}").utf8))),
        ("invalid UTF-8", .ok(Array((receipt + #", "x": ""#).utf8) + [0xFF] + Array(#""}"#.utf8))),
        ("depth", .ok(Array((receipt + #", "x": "#).utf8) + HostileReply.run(100_000, "["))),
        ("a score that overflows", .ok(receipt + #", "evaluation": {"score": 1e999, "maximum": 1}}"#)),
        ("10 GB", .endless("HTTP/1.1 200 OK\r\n\r\n", then: HostileReply.run(1 << 16, " "))),
        ("64 MB", .ok(Array((receipt + #", "x": ""#).utf8) + HostileReply.run(64 << 20, "x") + Array(#""}"#.utf8))),
        ("204", RawReply("HTTP/1.1 204 No Content\r\n\r\n")),
        ("a redirect", RawReply("HTTP/1.1 307 X\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n")),
        ("the status 000", RawReply("HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n")),
        ("no HTTP", RawReply("220 ready\r\n\r\n", closes: true)),
        (
            "a pause of 10^30 s",
            RawReply(
                "HTTP/1.1 503 X\r\nRetry-After: 1\(String(repeating: "0", count: 30))\r\nContent-Length: 0\r\n\r\n")
        ),
        (
            "a pause until the year 9999",
            RawReply(
                "HTTP/1.1 429 X\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nDate: Sat, 01 Jan 0000 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n"
            )
        ),
    ]

    @Test("what is no receipt of these very bytes acknowledges nothing", arguments: 0..<22)
    func receipts(_ number: Int) throws {
        let (name, reply) = Self.replies[number]
        let folder = try TemporaryFolder()
        let good = RawServer.answerOfOne(.ok(HostileReply.good))
        let server = try RawServer { request in
            if request.method == "PUT" { return Self.filled(reply, for: request) }
            return good(request)
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        let id = try device.take("q", answers: #"{"1": "x"}"#)
        let bytes = try Files.read(device.testPath(id, "done"))
        try device.bounded(["sync"])
        #expect(device.deliveredStatus(id) == nil, "\(name)")
        #expect(try Files.read(device.testPath(id, "done")) == bytes, "\(name)")
        let why = try device.bounded(["why", id])
        #expect(why.exitCode == 0 && why.output.contains("1 attempt") || why.output.contains("Saved locally"), "\(why)")
        // However long the server asks to be left alone, it is asked again some day.
        try device.bounded(["tests"])
        try device.bounded(["sync", "--now"])
        #expect(try Files.read(device.testPath(id, "done")) == bytes, "\(name)")
    }

    @Test("a rating that lies about other tests, or is no rating, changes nothing")
    func ratings() throws {
        let folder = try TemporaryFolder()
        let good = RawServer.answerOfOne(.ok(HostileReply.good))
        let server = try RawServer { request in
            if request.method == "PUT" { return Self.filled(.ok(Self.receipt + "}"), for: request) }
            if request.target.hasPrefix("/v1/tests") { return .ok(Self.rating(of: String(request.target.suffix(36)))) }
            return good(request)
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        try device.done("pull")
        let id = try device.take("q", answers: #"{"1": "x"}"#)
        #expect(try device.bounded(["sync"]).exitCode == 0)
        try device.bounded(["sync"])
        #expect(device.deliveredStatus(id) == "sent")
        #expect(try device.bounded(["doctor"]).exitCode == 0)
    }

    /// A rating of other bytes.
    private static func rating(of id: String) -> String {
        let digest = "sha256:" + String(repeating: "0", count: 64)
        let receipt = receipt.replacing("ID", with: id).replacing("sha256:DIGEST", with: digest)
        return "{\"receipts\": [" + receipt.replacing("sent", with: "rated") + "}]}"
    }

    private static func filled(_ reply: RawReply, for request: RawServer.Request) -> RawReply {
        // Only short replies have places to fill.
        guard reply.bytes.count < 1000, let text = String(validating: reply.bytes, as: UTF8.self) else { return reply }
        let id = String(request.target.suffix(36))
        let line = request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-digest:") } ?? ""
        let base64 = String(line.split(separator: "=", maxSplits: 1).last ?? "").filter { $0 != ":" }
        let hex = (Data(base64Encoded: base64) ?? Data()).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
        guard let end = text.range(of: "\r\n\r\n") else { return reply }
        let body = text[end.upperBound...].replacing("ID", with: id).replacing("DIGEST", with: hex)
        guard text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type") else { return reply }
        return .ok(String(body))
    }
}
