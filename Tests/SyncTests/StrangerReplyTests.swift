import Disk
import HTTPTypes
import Model
import OutboxStore
import Quire
import Simulation
import Sync
import SystemPackage
import Testing

/// Another page in the place of the server.
@Suite("A reply that is not the server's moves nothing and refuses nothing")
struct StrangerReplyTests {
    private static func page(_ status: Int) -> RemoteFault {
        .reply(status, mediaType: "text/html", body: Array("<h1>Not here</h1>".utf8))
    }

    @Test(
        "the outbox waits, the contact says so, and all goes when the server is back",
        arguments: [301, 403, 404, 409, 413])
    func outbox(_ status: Int) async throws {
        let device = try await Device.withQuestionnaire()
        var ids: [TestID] = []
        for _ in 0..<40 { ids.append(try await device.finish("a")) }
        device.remote.respond { _ in Self.page(status) }
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.waiting == 40 && report.rejected.isEmpty && report.conflicts.isEmpty)
        #expect(device.store.journal.contact()?.trouble == .notTheServer)
        #expect(!device.store.isOnline(device.remote).isOnline)
        device.remote.respond { _ in nil }
        #expect(try await device.sweep(.init(ignoresNotBefore: true)).sent.count == 40)
        #expect(Set(device.remote.tests.keys) == Set(ids))
        #expect(device.store.journal.contact()?.trouble == nil)
    }

    @Test(
        "a success that is no receipt for the test is another page's, whatever its type",
        arguments: [200, 201, 202, 204, 206], ["", "{}", "OK"])
    func success(_ status: Int, _ body: String) async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        device.remote.respond { _ in .reply(status, mediaType: "application/json", body: Array(body.utf8)) }
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.waiting == 1 && report.sent.isEmpty)
        #expect(device.store.journal.contact()?.trouble == .notTheServer)
        #expect(!device.store.isOnline(device.remote).isOnline)
        device.remote.respond { _ in nil }
        #expect(try await device.sweep(.init(ignoresNotBefore: true)).sent == [id])
    }

    @Test("in the middle of a sweep, too")
    func middle() async throws {
        let device = try await Device.withQuestionnaire()
        var ids: [TestID] = []
        for _ in 0..<60 { ids.append(try await device.finish("a")) }
        let first = Set(ids.prefix(10))
        device.remote.respond { request in
            request.test.map { !first.contains($0) } == true ? Self.page(404) : nil
        }
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.rejected.isEmpty)
        #expect(report.sent.count + report.waiting == 60 && report.waiting > 0)
        device.remote.respond { _ in nil }
        _ = try await device.sweep(.init(ignoresNotBefore: true))
        #expect(device.remote.tests.count == 60)
    }

    @Test("questionnaires that were changed, and favourites, wait as well", arguments: [403, 404, 405, 410, 412])
    func changes(_ status: Int) async throws {
        let device = try await Device.withQuestionnaire()
        let made = try device.store.create(Array(document("x", title: "Mine").utf8)).id
        try device.store.setFavorite("a", title: "Title", true)
        device.remote.respond { _ in Self.page(status) }
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.waiting == 2)
        device.remote.respond { _ in nil }
        _ = try await device.sweep(.init(ignoresNotBefore: true))
        #expect(device.remote.listed.count == 2 && device.remote.favorites == ["a"], "\(made)")
    }

    @Test("the version on the server is not taken to be deleted since a page says 404 for it")
    func conflict() async throws {
        let device = try await Device.withQuestionnaire()
        let opened = try await device.store.open(id: "a", remote: nil, isOffline: true)
        try device.store.edit(opened, to: Array(document("a", title: "Edited").utf8))
        device.remote.publish("a", document("a", title: "Theirs"))
        device.remote.respond { if case .get = $0.kind { Self.page(404) } else { nil } }
        let report = try await device.sweep()
        #expect(report.conflicts.isEmpty && report.waiting == 1)
    }

    @Test("a pull fails as a whole, and what is here stays", arguments: [200, 404, 410])
    func pull(_ status: Int) async throws {
        let device = try await Device.withQuestionnaire()
        device.remote.respond { _ in Self.page(status) }
        await #expect { try await device.pull() } throws: { ($0 as? RemoteFailure)?.kind == .notTheServer }
        #expect(try device.store.library().map(\.id) == ["a"])
        #expect(device.store.journal.contact()?.isReachable == false)
        // The list is the server's, and the document is not.
        device.remote.publish("a", document("a", title: "Newer"))
        let url = device.remote.documentURL(id: "a")
        device.remote.respond { $0.url == url ? Self.page(status) : nil }
        let report = try await device.pull()
        #expect(report.removed.isEmpty && report.failedForNow == ["a"])
        #expect(try device.store.library().map(\.title) == ["Title"])
    }

    @Test("a file of a questionnaire may be a web page, and JSON that a server calls one is still a list")
    func webPages() async throws {
        let device = try Device()
        let file = FaultyRemote.origin + "/v1/media/map.html"
        device.remote.publish(
            "a",
            #"{"id": "a", "title": "A", "questions": [{"id": "q", "text": "?", "media": [{"path": "\#(file)"}]}]}"#,
            media: [file])
        device.remote.publish(url: file, bytes: Array("<p>A map</p>".utf8), mediaType: "text/html")
        #expect(try await device.pull().failed.isEmpty)
        #expect(try device.store.cache.entry(url: file).value?.mediaType.hasPrefix("text/html") == true)
        let url = device.remote.documentURL(id: "a")
        device.remote.publish("a", document("a", title: "Newer"))
        device.remote.respond {
            $0.url == url
                ? .reply(200, mediaType: "text/html", body: Array((" \n" + document("a", title: "Newer")).utf8)) : nil
        }
        #expect(try await device.pull().failed.isEmpty)
        #expect(try device.store.library().map(\.title) == ["Newer"])
    }

    @Test("what another page refused in an earlier version is sent with all the rest; what the server refused is left")
    func retryAll() async throws {
        let device = try await Device.withQuestionnaire()
        let (old, refused, late) = (
            try await device.finish("a"), try await device.finish("a"), try await device.finish("a")
        )
        device.remote.respond { request in
            request.test == late ? .status(503, fields: [.retryAfter: "3000"]) : request.isPut ? .status(422) : nil
        }
        for _ in 0..<3 { _ = try await device.sweep() }
        #expect(try device.status(old) == .rejected && device.status(refused) == .rejected)
        // As versions left it that took any page for the server's.
        var receipt = try #require(try device.store.outbox.receipt(OutboxItem(id: old, status: .rejected)))
        receipt.delivery?.problem = nil
        receipt.delivery?.httpStatus = 404
        try device.disk.process().writeUnsynced(
            try DocumentCoding.encode(receipt), to: FilePath("outbox/rejected/\(old).receipt.json"),
            temporaryFolder: "log")
        device.remote.respond { _ in nil }
        let report = try device.store.retryAll()
        #expect(Set(report.retried) == [old, late] && report.undecided == [refused])
        #expect(Set(try await device.sweep().sent) == [old, late])
    }

    @Test("a token that the server refuses is no missing connection, and the contact says what it is")
    func token() async throws {
        let device = try await Device.withQuestionnaire()
        _ = try await device.finish("a")
        device.remote.respond { _ in .status(401) }
        _ = try await device.sweep()
        #expect(device.store.journal.contact()?.trouble == .tokenRefused)
        #expect(device.store.isOnline(device.remote).isOnline)
        await #expect { try await device.pull() } throws: { ($0 as? RemoteFailure)?.kind == .tokenRefused }
        #expect(device.store.journal.contact()?.trouble == .tokenRefused)
        device.remote.respond { _ in nil }
        _ = try await device.pull()
        #expect(device.store.journal.contact()?.trouble == nil)
    }

    @Test("the clocks are compared at each pull, and an old comparison says nothing")
    func clocks() async throws {
        let device = try await Device.withQuestionnaire()
        let former = try #require(device.store.journal.contact())
        var wrong = former
        (wrong.skewSeconds, wrong.skewAt) = (63_072_000, device.clock.now)
        device.store.journal.note(wrong)
        #expect(device.store.journal.contact()?.clockSkewSeconds(now: device.clock.now) == 63_072_000)
        // The clock is set, years on: they were not compared since.
        let later = device.clock.now.adding(seconds: 63_072_000)
        #expect(device.store.journal.contact()?.clockSkewSeconds(now: later) == nil)
        try await device.pull()
        #expect(device.store.journal.contact()?.clockSkewSeconds(now: device.clock.now) == nil)
    }
}
