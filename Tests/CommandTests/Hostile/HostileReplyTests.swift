import Foundation
import Testing

/// A server may send what it likes: the command refuses it in a sentence that names what is wrong, with little memory, at
/// once, and goes on working.
@Suite("A hostile server")
struct HostileReplyTests {
    @Test("a reply that is no reply", arguments: HostileReply.framing)
    func framing(_ hostile: HostileReply) throws { try pull(hostile) }

    @Test("fields and lists that lie", arguments: HostileReply.fields)
    func fields(_ hostile: HostileReply) throws { try pull(hostile) }

    @Test("JSON that is none, or too much of it", arguments: HostileReply.documents)
    func documents(_ hostile: HostileReply) throws { try pull(hostile) }

    @Test("gzip that is none, or too much of it")
    func gzip() throws {
        let folder = try TemporaryFolder()
        for hostile in try HostileReply.packed(folder) { try pull(hostile) }
    }

    @Test("a film of 100 MB is kept in little memory; one of 10 GB, or that is another than it says, is refused")
    func films() throws {
        let block = HostileReply.run(1 << 16, "film")
        let megabytes = 100
        let length = megabytes << 20
        let folder = try TemporaryFolder()
        let sum = try Command.run(
            "bash", "-c", "yes film | tr -d '\\n' | head -c \(length) | sha256sum | xxd -r -p | base64", in: folder.path
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        func film(_ length: Int, _ fields: String = "") -> RawReply {
            .endless(
                "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\(fields)Content-Length: \(length)\r\n\r\n", then: block,
                upTo: megabytes << 20)
        }
        let document =
            #"{"id": "q", "title": "Q", "questions": [{"id": "1", "text": "?", "media": [{"path": "/film"}]}]}"#
        for (reply, exitCode, words) in [
            (film(length, "Content-Digest: sha-256=:\(sum):\r\n"), 0, nil),
            (film(10 << 30), 65, "longer than 2147483648 bytes"),
            (
                film(length, "Content-Digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\r\n"),
                65, "Content-Digest"
            ),
            (film(length + 1), 69, "broke"),
        ] as [(RawReply, Int32, String?)] {
            let server = try RawServer.ofOne(.ok(document), rest: reply)
            let device = Device(folder.path, name: words ?? "kept")
            try device.done("init", "--remote", server.address)
            let pulled = try device.bounded(["pull"])
            let files = Files.regularFiles(below: device.store + "/cache")
            let isKept = try files.contains { try Int($0.hasSuffix(".mp4") ? Files.status($0).st_size : 0) == length }
            #expect(isKept == (words == nil) && pulled.exitCode == exitCode, "\(pulled)")
            if let words { #expect(pulled.errors.contains(words), "\(pulled)") }
            #expect(Files.names(in: device.store + "/cache/tmp").isEmpty, "\(pulled)")
            #expect(device.hasContent("q"))
        }
    }

    private func pull(_ hostile: HostileReply) throws {
        let folder = try TemporaryFolder()
        let server = try RawServer(hostile.answer)
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let outcome = try device.bounded(["pull"])
        #expect(outcome.exitCode == hostile.exitCode, "\(outcome)")
        for words in hostile.words {
            #expect((outcome.output + outcome.errors).contains(words), "“\(words)” is not in \(outcome)")
        }
        if hostile.exitCode != 0 {
            #expect(!device.hasContent("q"), "it was kept: \(outcome)")
        }
        // Nothing stays that is in the way.
        #expect(try device.quire("list").exitCode == 0)
        #expect(Files.names(in: device.store + "/cache/tmp").isEmpty)
    }

    /// Every id and URL is the server's: those that are used are used as names and nothing else.
    @Test("ids that are paths, controls, look-alikes or reserved names stay inside the store")
    func ids() throws {
        let ids = [
            "../x", "..", ".", "", "a\\u0000b", "%2e%2e", "%2e%2e%2f%2e%2e%2fx", "\\u001b[31mred", "-rf", "--help",
            "CON",
            "nul", "a\\nb", "\\u202eevil", "Ada", "ada", "\\u0410da", "\\u00e9", "e\\u0301", "~", "*", "a/b", "a\\\\b",
            "C:x", String(repeating: "a", count: 10_000), String(repeating: "b", count: 512),
            String(repeating: "\\u00e9", count: 256), "store.json", "tmp", "con.json", " ", "a b",
        ]
        // Each has the id that the list gave it, and the URL that this program would make of it.
        let folder = try TemporaryFolder()
        let items = ids.enumerated().map { place, id in
            #"{"id": "\#(id)", "title": "T\#(place)", "url": "/v1/questionnaires/\#(place)"}"#
        }
        let server = try RawServer { request in
            guard let place = request.target.split(separator: "/").last.flatMap({ Int($0) }) else {
                return .list(items)
            }
            return .ok(#"{"id": "\#(ids[place])", "title": "T\#(place)", "questions": [{"id": "1", "text": "?"}]}"#)
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let before = Set(Files.tree(folder.path).filter { !$0.hasPrefix(device.store) })
        let pulled = try device.bounded(["pull", "--json"])
        #expect(pulled.exitCode == 65)
        let report = try pulled.json()
        // Refused are those that no URL or terminal can carry.
        #expect(report["failed"].keys.count == 7, "\(report["failed"].keys)")
        #expect(report["new"].elements.count == ids.count - 7)
        let kept = try device.json("list").elements.compactMap { $0["id"].text }
        #expect(kept.contains("%2e%2e") && kept.contains("../x") && kept.contains("a\\b"))
        // Twins in case, look-alikes and normal forms are as many documents, byte by byte.
        for twins in [["Ada", "ada", "\u{410}da"], ["\u{E9}", "e\u{301}"]] {
            #expect(twins.allSatisfy { twin in kept.contains { $0.utf8.elementsEqual(twin.utf8) } }, "\(twins)")
        }
        for id in kept {
            #expect(try device.bounded(["favorite", "--", id]).exitCode == 0, "\(id.prefix(40))")
            #expect(try device.bounded(["show", "--offline", "--", id]).exitCode == 0, "\(id.prefix(40))")
            let taken = try device.bounded(["take", "--answers", "-", "--", id], input: #"{"1": "x"}"#)
            #expect(taken.exitCode == 0, "\(taken)")
        }
        #expect(Files.names(in: device.store + "/marks").count == kept.count)
        #expect(device.tests("in-progress").count == kept.count)
        try device.bounded(["list"])
        try device.bounded(["tests"])
        #expect(try device.bounded(["doctor"]).exitCode == 0)
        let after = Set(Files.tree(folder.path).filter { !$0.hasPrefix(device.store) })
        #expect(after.subtracting(before).allSatisfy { $0.contains("/.child-") || $0.contains("/.peak-") })
    }

    @Test("URLs that lead to a file, to another machine or out of the server are refused by name, without a request")
    func urls() throws {
        let other = try RawServer { _ in .ok("{}") }
        let urls = [
            "file:///etc/passwd", "http://127.0.0.1:\(other.port)/", "//127.0.0.1:\(other.port)/x", "javascript:1",
            "http://user:pw@127.0.0.1/", "gopher://127.0.0.1/", "http://[::1]/", "data:,x", "ftp://127.0.0.1/x",
        ]
        let items = urls.enumerated().map { #"{"id": "u\#($0)", "title": "T", "url": "\#($1)"}"# }
        let media = urls.map { #"{"path": "\#($0)"}"# }.joined(separator: ", ")
        let document = #"{"id": "q", "title": "Q", "questions": [{"id": "1", "text": "?", "media": [\#(media)]}]}"#
        let folder = try TemporaryFolder()
        let server = try RawServer { request in
            request.target == "/v1/questionnaires"
                ? .list(items + [#"{"id": "q", "title": "Q", "url": "/v1/questionnaires/q"}"#]) : .ok(document)
        }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let pulled = try device.bounded(["pull"])
        #expect(pulled.exitCode == 65)
        for (place, url) in urls.enumerated() {
            #expect(pulled.errors.contains("quire: u\(place): its URL “\(url)” is not on this server\n"), "\(pulled)")
        }
        let targets = server.received.map(\.target).filter { $0 != "/v1/people" }
        #expect(targets == ["/v1/questionnaires", "/v1/questionnaires/q"])
        #expect(other.received.isEmpty)
        #expect(device.hasContent("q"))
    }
}
