import FoundationEssentials
import Model
import OutboxStore
import Quire
import Sync
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Snapshots of a store")
struct StoreSnapshotTests {
    @Test("a restored store has every test, receipt, file and mark", arguments: SnapshotFormat.allCases)
    func restored(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let (store, report) = try fixture.restore("s.quire", to: "new")
        #expect(report.isNew)
        #expect(report.summary.isIntact)
        #expect(try fixture.tests(store) == fixture.tests(fixture.store))
        #expect(try store.marks.ids(.favorite) == ["lakes"])
        #expect(store.settings.deviceId == "tablet")
        #expect(try store.library().map(\.id).sorted() == ["capitals", "lakes", "rivers"])
    }

    @Test("a restored device goes on with its draft offline, and nothing is delivered twice")
    func continued() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        let opened = try await store.open(id: "capitals", remote: nil, isOffline: true)
        #expect(opened.questionnaire.questions[1].text == "Why?\n\tSay it.")
        _ = try await fixture.store.sweeper(fixture.remote).sweep()
        _ = try await store.sweeper(fixture.remote).sweep()
        #expect(fixture.remote.tests.keys.sorted() == [fixture.delivered, fixture.finished].sorted())
        let (once, again) = (try fixture.tests(fixture.store), try fixture.tests(store))
        #expect(once == again)
    }

    @Test("a snapshot without the cache has what drafts, tests and marks need, and no more")
    func withoutCache() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(withCache: false))
        let (store, _) = try fixture.restore("s.quire", to: "new")
        let ids = try store.library().map(\.id)
        #expect(ids.contains("capitals"))
        #expect(ids.contains("lakes"))
        _ = try await store.open(id: "capitals", remote: nil, isOffline: true)
    }

    @Test("a version that only a draft needs is restored")
    func formerVersion() async throws {
        let fixture = try await SnapshotFixture()
        fixture.remote.publish(
            "capitals", #"{"id": "capitals", "title": "New", "questions": [{"id": "q1", "text": "?", "kind": "text"}]}"#
        )
        _ = try await fixture.store.puller(fixture.remote).pull()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        let item = try #require(try store.outbox.find(fixture.draft))
        let digest = try store.outbox.read(item).record.questionnaire.digest
        #expect(try store.cache.content(digest: digest) != nil)
    }

    @Test("restoring twice, and into the store itself, changes nothing")
    func idempotent() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        let before = try fixture.tests(store)
        let (_, second) = try fixture.restore("s.quire", to: "new")
        #expect(!second.isNew)
        #expect(second.tests.taken.isEmpty && second.tests.advanced.isEmpty && second.cached == 0 && second.marks == 0)
        #expect(try fixture.tests(store) == before)
        let own = try fixture.tests(fixture.store)
        try fixture.restore("s.quire", to: "store")
        #expect(try fixture.tests(fixture.store) == own)
    }

    @Test("a store that has gone on keeps what is further, and its settings")
    func merged() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        _ = try await fixture.store.sweeper(fixture.remote).sweep()
        try fixture.store.changeSettings { $0.quotaBytes = 9_000_000 }
        let before = try fixture.tests(fixture.store)
        let (store, report) = try fixture.restore("s.quire", to: "store")
        #expect(try fixture.tests(store) == before)
        #expect(report.tests.taken.isEmpty)
        #expect(store.settings.quotaBytes == 9_000_000)
    }

    @Test("a snapshot that continues another has what changed; restored in turn they give the store")
    func incremental() async throws {
        let fixture = try await SnapshotFixture()
        let complete = try fixture.save("base.quire")
        let opened = try await fixture.store.open(id: "rivers", remote: nil, isOffline: true)
        _ = try fixture.store.take(opened, answers: ["q1": .one("B")], isFinished: true)
        let report = try fixture.save("next.quire", .init(since: fixture.file("base.quire")))
        #expect(report.files < complete.files)
        #expect(try StoreSnapshot.verify(fixture.file("next.quire")).summary.header?.since == complete.digest)
        try fixture.restore("base.quire", to: "new")
        let (store, _) = try fixture.restore("next.quire", to: "new")
        #expect(try fixture.tests(store) == fixture.tests(fixture.store))
    }

    @Test("secrets are saved only when they are asked for")
    func secrets() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.write(Array("the token\n".utf8), to: fixture.file("token"))
        try fixture.store.changeSettings { $0.tokenFile = fixture.file("token").string }
        let store = try QuireStore.open(at: fixture.file("store"), clock: fixture.clock)
        _ = try StoreSnapshot.save(store, to: fixture.file("plain.quire"))
        _ = try StoreSnapshot.save(store, to: fixture.file("secret.quire"), .init(withSecrets: true))
        #expect(try !StoreSnapshot.verify(fixture.file("plain.quire")).paths.contains("token"))
        #expect(try fixture.restore("plain.quire", to: "plain").store.settings.tokenFile == nil)
        let restored = try fixture.restore("secret.quire", to: "secret").store
        #expect(restored.settings.tokenFile == fixture.file("secret").appending("token").string)
        #expect(try fixture.bytes(fixture.file("secret").appending("token")) == Array("the token\n".utf8))
    }

    @Test("a restored cache stays within the quota")
    func quota() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.store.changeSettings { $0.quotaBytes = 60_000 }
        let saved = try QuireStore.open(at: fixture.file("store"), clock: fixture.clock)
        _ = try StoreSnapshot.save(saved, to: fixture.file("s.quire"))
        let (store, _) = try fixture.restore("s.quire", to: "new")
        #expect(try store.cache.statistics().bytes <= 60_000)
    }

    @Test("what is no snapshot is refused with one sentence, and no store is made")
    func refused() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.write(Array("no snapshot".utf8), to: fixture.file("text"))
        #expect(throws: SnapshotFault.self) { try fixture.restore("text", to: "new") }
        #expect(!FileManager.default.fileExists(atPath: fixture.file("new").string))
    }

    @Test("a member whose path leads elsewhere is not restored")
    func hostilePath() {
        for path in ["../x", "/etc/passwd", "marks/../../x", "marks/.hidden", "hooks/sent", "log/a/b", "marks/"] {
            #expect(StoreSnapshotLayout.placeInFolder(path) == nil, "\(path)")
        }
    }
}
