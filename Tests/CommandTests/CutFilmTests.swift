import Foundation
import Synchronization
import Testing

@Suite("A film whose connection breaks while it is pulled")
struct CutFilmTests {
    private let folder: TemporaryFolder
    private let film: [UInt8]
    private let sum: String

    init() throws {
        folder = try TemporaryFolder()
        let path = try Files.film(folder.path + "/film", bytes: 3_000_000)
        film = Array(try Files.read(path))
        sum = String(try Command.run("sha256sum", path, in: folder.path).prefix(64))
    }

    /// A server that ends each connection after 700 000 bytes of the film.
    ///
    /// - Parameter tag: the film's version, by the number of the request for it.
    private func server(_ tag: @escaping @Sendable (Int) -> String) throws -> RawServer {
        let document =
            #"{"id": "q", "title": "Q", "questions": [{"id": "1", "text": "?", "media": [{"path": "/film"}]}]}"#
        let (film, asked) = (self.film, Counter())
        let rest = RawServer.answerOfOne(.ok(document))
        return try RawServer { request in
            guard request.target == "/film" else { return rest(request) }
            let tag = tag(asked.next())
            let fields = request.head.lowercased().components(separatedBy: "\r\n")
            let from = fields.first { $0.hasPrefix("range: bytes=") }.flatMap { Int($0.dropFirst(13).dropLast()) } ?? 0
            let isPart = from > 0 && fields.contains("if-range: \(tag)")
            let start = isPart ? from : 0
            let part = film[start..<min(film.count, start + 700_000)]
            var head = isPart ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
            if isPart { head += "Content-Range: bytes \(start)-\(film.count - 1)/\(film.count)\r\n" }
            head += "ETag: \(tag)\r\nCache-Control: max-age=60\r\nContent-Type: video/mp4\r\n"
            head += "Content-Length: \(film.count - start)\r\n\r\n"
            return RawReply(Array(head.utf8) + part, closes: true)
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func kept(_ device: Device) throws -> Bool {
        try Command.run("find", device.store + "/cache", "-name", sum + "*", in: folder.path).contains(sum)
    }

    @Test("is gone on with where it broke: only the rest is asked for, and it is whole")
    func resumed() throws {
        let server = try server { _ in "\"v1\"" }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let pull = try device.quire("pull", "--json")
        #expect(pull.exitCode == 0, "\(pull)")
        #expect(try kept(device))
        let asked = server.received.filter { $0.target == "/film" }.map { $0.head.lowercased() }
        #expect(asked.count >= 5 && !asked[0].contains("range:"))
        // What was on its way when it broke may be lost with it, and no more: each goes on further than the one before.
        var last = 0
        for head in asked.dropFirst() {
            let from = head.components(separatedBy: "range: bytes=").last?.prefix { $0 != "-" }
            let offset = try #require(from.flatMap { Int($0) })
            #expect(offset > last && offset <= last + 700_000, "\(head)")
            last = offset
        }
        #expect(try device.done("cache", "verify").exitCode == 0)
        #expect(Files.names(in: device.store + "/cache/tmp", suffix: "").isEmpty)
    }

    @Test("and that is another one by then is not joined to what came, and nothing of it is kept")
    func changed() throws {
        let server = try server { "\"v\($0)\"" }
        let device = Device(folder.path)
        try device.done("init", "--remote", server.address)
        let pull = try device.quire("pull")
        #expect(pull.exitCode != 0 && pull.errors.contains("broke"), "\(pull)")
        #expect(try !kept(device))
        #expect(server.received.filter { $0.target == "/film" }.count == 2)
        #expect(Files.names(in: device.store + "/cache/tmp", suffix: "").isEmpty)
    }
}
