import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Quire
import Simulation
import Sync
import Testing

@Suite("Pulled responses, with an HTTP cache on the same URLs")
struct PulledTests {
    private static let path = "/v1/questionnaires/a"
    private static let picture = FaultyRemote.origin + "/v1/media/p.png"
    private static let pixels: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    private static let medium = Media(path: picture, type: "image/png")

    private func device() async throws -> Device {
        let device = try Device()
        device.remote.publish(
            "a",
            """
            {"id": "a", "title": "Title",
             "questions": [{"id": "q1", "text": "?", "media": [{"path": "\(Self.picture)"}]}]}
            """, media: [Self.picture])
        device.remote.publish(url: Self.picture, bytes: Self.pixels)
        #expect(try await device.pull().new == ["a"])
        device.clock.advance(by: .seconds(1))
        return device
    }

    struct Step: Sendable, CustomTestStringConvertible {
        var method = HTTPRequest.Method.get
        var fields: HTTPFields = [.cacheControl: "no-cache"]
        var status = 200
        var answer: HTTPFields
        var body = ""
        var testDescription: String { "\(method) \(status) \(answer[.cacheControl] ?? "")" }
    }

    private static let steps = [
        Step(answer: [.cacheControl: "max-age=60", .contentType: "text/plain"], body: "something else"),
        Step(fields: [:], answer: [.cacheControl: "max-age=60", .vary: "Accept"], body: "another one"),
        Step(status: 404, answer: [.cacheControl: "max-age=60"], body: "not here"),
        Step(answer: [.cacheControl: "no-store"], body: "secret"),
        Step(status: 410, answer: [.cacheControl: "no-store"], body: "gone"),
        Step(status: 304, answer: [.cacheControl: "no-store"]),
        Step(status: 304, answer: [.cacheControl: "max-age=1", .contentEncoding: "gzip"]),
        Step(status: 304, answer: [.cacheControl: "no-cache"]),
        Step(status: 304, answer: [.cacheControl: "max-age=0, must-revalidate"]),
        Step(method: .head, answer: [.eTag: "\"other\"", .contentLength: "3"]),
        Step(method: .put, status: 204, answer: [:]),
        Step(method: .delete, status: 204, answer: [:]),
    ]

    @discardableResult
    private func ask(_ cache: HTTPCache, _ path: String, _ step: Step) async throws -> (HTTPFields, String) {
        let request = HTTPRequest(
            method: step.method, scheme: "https", authority: "host.example", path: path, headerFields: step.fields)
        let reply = try await cache.fetch(request) { _, _, _ in
            HTTPReply(
                head: HTTPResponse(status: .init(code: step.status), headerFields: step.answer),
                body: step.body.isEmpty ? .empty : HTTPBody(bytes: Array(step.body.utf8)))
        }
        let body = try await reply.body.collect(maximumBytes: 1 << 20)
        await cache.finishBackgroundWork()
        return (reply.head.headerFields, String(decoding: body, as: UTF8.self))
    }

    private func check(_ device: Device) async throws {
        #expect(try device.store.library().map(\.id) == ["a"])
        let opened = try await device.store.open(id: "a", remote: nil)
        #expect(opened.questionnaire.title == "Title")
        guard
            case .cache(let entry)? = try device.store.shownMedia.place(
                of: Self.medium, questionnaire: "a", remote: nil)
        else {
            Issue.record("the picture is not here")
            return
        }
        #expect(entry.response.status == 200 && entry.mediaType == "image/png")
        #expect(try device.store.cache.bytes(entry.url) == Self.pixels)
    }

    @Test("whatever the origin answers to others, it stays in the library and opens; a pull agrees", arguments: steps)
    func stays(_ step: Step) async throws {
        let device = try await device()
        let cache = device.store.httpCache(named: "app")
        for path in [Self.path, "/v1/media/p.png"] { try await ask(cache, path, step) }
        try await check(device)
        #expect(try await device.pull().unchanged == 1)
        try await check(device)
        #expect(try device.reopened().cache.survey.verify().isClean)
    }

    @Test("after all of it at once, too; and the HTTP cache keeps what it may beside it")
    func all() async throws {
        let device = try await device()
        let cache = device.store.httpCache(named: "app")
        for step in Self.steps { for path in [Self.path, "/v1/media/p.png"] { try await ask(cache, path, step) } }
        try await check(device)
        device.clock.advance(by: .seconds(1))
        try await ask(cache, Self.path, Self.steps[0])
        let again = try await ask(cache, Self.path, Step(fields: [:], status: 500, answer: [:]))
        #expect(again.0[.cacheStatus]?.contains("hit") == true && again.1 == "something else")
        #expect(try await device.pull().unchanged == 1)
        try await check(device)
        device.remote.publish("a", document("a", title: "Newer"))
        #expect(try await device.pull().updated == ["a"])
        #expect(try await device.store.open(id: "a", remote: nil).questionnaire.title == "Newer")
    }

    @Test("an HTTP cache answers from it where it may")
    func used() async throws {
        let device = try await device()
        let cache = device.store.httpCache(named: "app")
        let step = Step(fields: [.acceptEncoding: "gzip"], status: 500, answer: [:])
        let picture = try await ask(cache, "/v1/media/p.png", step)
        #expect(picture.0[.cacheStatus]?.contains("hit") == true)
        // Marked as outdated, it is requested until it was confirmed.
        try await ask(cache, "/v1/media/p.png", Step(method: .put, status: 204, answer: [:]))
        let asked = try await ask(cache, "/v1/media/p.png", Step(fields: [:], answer: [:], body: "new"))
        #expect(asked.1 == "new")
    }

    @Test("a pull repairs an earlier program's state: a questionnaire that no list shows, a page in a picture's place")
    func mended() async throws {
        let device = try await device()
        let files = device.disk.process()
        let url = FaultyRemote.origin + Self.path
        let cache = device.store.cache
        let entry = try #require(try cache.entry(url: url).value)
        let bare = try #require(CacheEntry(url: url, responses: entry.responses))
        try files.writeUnsynced(
            try DocumentCoding.encode(bare), to: Cache.entryPath(url: url), temporaryFolder: "cache/tmp")
        var page = try #require(try cache.entry(url: Self.picture).value)
        page.isPulled = false
        page.mediaType = "text/html"
        page.response.status = 404
        try files.writeUnsynced(
            try DocumentCoding.encode(page), to: Cache.entryPath(url: Self.picture), temporaryFolder: "cache/tmp")
        #expect(try device.store.library().isEmpty)
        #expect(try device.store.shownMedia.place(of: Self.medium, questionnaire: "a", remote: device.remote) == nil)
        #expect(try await device.pull().failed.isEmpty)
        try await check(device)
    }
}

extension Cache {
    fileprivate func bytes(_ address: String) throws -> [UInt8]? {
        guard let entry = try entry(url: address).value else { return nil }
        return try content(of: entry).value?.bytes
    }
}
