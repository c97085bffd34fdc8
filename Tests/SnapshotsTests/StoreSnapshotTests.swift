import Disk
import FoundationEssentials
import Model
import OutboxStore
import Quire
import Simulation
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
        #expect(try fixture.differences(store, fixture.store) == [])
        #expect(try store.marks.ids(.favorite) == ["lakes"])
        #expect(store.settings.deviceId == "tablet")
        #expect(try store.library().map(\.id).sorted() == ["capitals", "lakes", "rivers"])
    }

    @Test("a restored device continues its draft offline, and nothing is delivered twice")
    func continued() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let (store, _) = try fixture.restore("s.quire", to: "new")
        let opened = try await store.open(id: "capitals", remote: nil, isOffline: true)
        #expect(opened.questionnaire.questions[1].text == "Why?\n\tSay it.")
        _ = try await fixture.store.sweeper(fixture.remote).sweep()
        let again = try await store.sweeper(fixture.remote).sweep()
        #expect(fixture.remote.tests.keys.sorted() == [fixture.delivered, fixture.finished].sorted())
        #expect(try fixture.differences(fixture.store, store) == [], "\(again)")
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

    @Test("the version that a draft was started with is restored with its picture", arguments: [true, false])
    func formerVersion(_ withCache: Bool) async throws {
        let fixture = try await SnapshotFixture()
        try await fixture.publishNewVersion()
        try fixture.save("s.quire", .init(withCache: withCache))
        let (store, report) = try fixture.restore("s.quire", to: "new")
        #expect(report.withoutRoom.isEmpty && report.unknown.isEmpty && report.refused.isEmpty)
        let item = try #require(try store.outbox.find(fixture.draft))
        let record = try store.outbox.read(item).record
        let bytes = try #require(try store.cache.content(digest: record.questionnaire.digest))
        let medium = try #require(try Questionnaire(json: bytes).media.first)
        let place = try #require(try store.shownMedia.place(of: medium, in: record, remote: nil))
        #expect(try fixture.bytes(store.path.pushing(place.path)) == SnapshotFixture.picture)
    }

    @Test("what a restored test refers to finds room in a full cache")
    func room() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let full = try QuireStore.create(
            at: fixture.file("full"),
            settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "other", quotaBytes: 1_000_000),
            clock: fixture.clock)
        for id in ["capitals", "rivers", "lakes"] { fixture.remote.withdraw(id) }
        for number in 0..<60 {
            fixture.remote.publish("other-\(number)", #"{"id": "other-\#(number)", "title": "Other", "questions": []}"#)
        }
        _ = try await full.puller(fixture.remote).pull()
        let used = try full.cache.space.statistics().bytes
        try full.changeSettings { $0.quotaBytes = used }
        let (store, _) = try fixture.restore("s.quire", to: "full")
        #expect(try store.cache.space.statistics().bytes <= used)
        _ = try await store.open(id: "capitals", remote: nil, isOffline: true)
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
        #expect(try fixture.differences(store, fixture.store) == [])
    }

    @Test("an edited and a finished draft of a continued snapshot replace the versions of the first, in any state")
    func continuedDrafts() async throws {
        let fixture = try await SnapshotFixture()
        let opened = try await fixture.store.open(id: "rivers", remote: nil, isOffline: true)
        let other = try fixture.store.take(opened, answers: ["q1": .one("A")], isFinished: false).record.id
        try fixture.save("base.quire")
        _ = try fixture.store.answer(fixture.draft, ["q1": .one("B")], opened.questionnaire)
        _ = try fixture.store.outbox.edits.finish(other)
        _ = try fixture.store.outbox.edits.reopen(fixture.finished, deviceID: "tablet")
        try fixture.save("next.quire", .init(since: fixture.file("base.quire")))
        try fixture.restore("base.quire", to: "new")
        let (store, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.tests.conflicts.isEmpty && report.summary.isIntact)
        #expect(try fixture.differences(store, fixture.store) == [])
        // The order does not matter, and neither does a repetition.
        try fixture.restore("next.quire", to: "new")
        #expect(try fixture.differences(store, fixture.store) == [])
    }

    @Test("a draft that was changed after the first snapshot was restored is kept beside the continued one")
    func changedHere() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        let opened = try await fixture.store.open(id: "capitals", remote: nil, isOffline: true)
        _ = try fixture.store.answer(fixture.draft, ["q1": .one("B")], opened.questionnaire)
        try fixture.save("next.quire", .init(since: fixture.file("base.quire")))
        let (store, _) = try fixture.restore("base.quire", to: "new")
        _ = try store.answer(fixture.draft, ["q2": .one("mine")], opened.questionnaire)
        let (_, report) = try fixture.restore("next.quire", to: "new")
        #expect(report.tests.conflicts == [fixture.draft])
        let item = try #require(try store.outbox.find(fixture.draft))
        let texts = try store.outbox.scan().items.filter { $0.id == fixture.draft }.map {
            try store.outbox.read($0).bytes
        }
        #expect(texts.count == 2 && texts.contains { String(decoding: $0, as: UTF8.self).contains("mine") }, "\(item)")
    }

    @Test("a continued snapshot alone makes no store, and a continued one is no base for another")
    func chain() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        try fixture.save("next.quire", .init(since: fixture.file("base.quire")))
        #expect(throws: SnapshotFault.self) { try fixture.restore("next.quire", to: "new") }
        #expect(!FileManager.default.fileExists(atPath: fixture.file("new").string))
        #expect(throws: SnapshotFault.self) {
            try fixture.save("third.quire", .init(since: fixture.file("next.quire")))
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.file("third.quire").string))
    }

    @Test("a save replaces no base that it continues and nothing but a file, and does not write into its store")
    func targets() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        let base = try fixture.bytes(fixture.file("base.quire"))
        for name in ["base.quire", "store/../base.quire"] {
            #expect(throws: SnapshotFault.self) {
                try fixture.save(name, .init(since: fixture.file("base.quire")))
            }
        }
        #expect(try fixture.bytes(fixture.file("base.quire")) == base)
        let link = fixture.file("link.quire").string
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "base.quire")
        for name in ["link.quire", "store", "store/inside.quire", "store/outbox/done/inside.quire"] {
            #expect(throws: SnapshotFault.self, "\(name)") { try fixture.save(name) }
        }
        #expect(throws: SnapshotFault.self) {
            try FolderSnapshot.save(
                fixture.file("store"), excluding: .init(names: [], lock: "lock", temporary: "tmp"),
                to: fixture.file("store/inside.quire"))
        }
        // Read, a link is as good as the file.
        #expect(try StoreSnapshot.verify(fixture.file("link.quire")).summary.isIntact)
        #expect(try fixture.restore("link.quire", to: "new").report.isNew)
    }

    @Test("a snapshot of another device, or of a host, is no base for one that continues it")
    func otherBase() async throws {
        let fixture = try await SnapshotFixture()
        let other = try QuireStore.create(
            at: fixture.file("other"), settings: StoreSettings(remote: FaultyRemote.origin, deviceId: "other"),
            clock: fixture.clock)
        _ = try StoreSnapshot.save(other, to: fixture.file("other.quire"))
        _ = try FolderSnapshot.save(
            fixture.file("store"), excluding: .init(names: [], lock: "lock", temporary: "tmp"),
            to: fixture.file("host.quire"))
        for base in ["other.quire", "host.quire"] {
            #expect(throws: SnapshotFault.self, "\(base)") {
                try fixture.save("next.quire", .init(since: fixture.file(base)))
            }
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.file("next.quire").string))
    }

    @Test("a damaged attachment is left out with a word, and the snapshot is intact")
    func damagedAttachment() async throws {
        let fixture = try await SnapshotFixture()
        let digest = try #require(try fixture.store.outbox.media.digests().first)
        try fixture.write([1, 2, 3], to: fixture.store.path.pushing(OutboxLayout.mediaPath(digest)))
        let report = try fixture.save("s.quire")
        #expect(report.leftOut.count == 1 && report.leftOut[0].contains(digest.hex))
        #expect(try StoreSnapshot.verify(fixture.file("s.quire")).summary.isIntact)
    }

    @Test(
        "of 300 questionnaires each is saved, but the one that is damaged; an edited one as it is now",
        arguments: SnapshotFormat.allCases)
    func many(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        // More than are read at a time on one core, and some so long that few are.
        for number in 0..<300 {
            let text = String(repeating: "Question \(number)? ", count: number % 50 == 0 ? 40_000 : number % 7)
            fixture.remote.publish(
                "many-\(number)",
                """
                {"id": "many-\(number)", "title": "T", "questions": [
                  {"id": "q", "text": "\(text)?", "kind": "text"}]}
                """)
        }
        _ = try await fixture.store.puller(fixture.remote).pull()
        func blob(_ number: Int) throws -> FilePath {
            let entry = try #require(
                try fixture.store.cache.entry(url: fixture.remote.documentURL(id: "many-\(number)")).value)
            return fixture.store.path.pushing(entry.blob.path)
        }
        try fixture.write(Gzip.compress([1, 2, 3]), to: try blob(7))
        let edited = Array(#"{"id": "many-8", "title": "By hand", "questions": []}"#.utf8)
        try fixture.write(edited, to: try blob(8))
        let report = try fixture.save("s.quire", .init(format: format))
        #expect(report.leftOut.count == 1 && report.leftOut[0].contains("many-7"), "\(report.leftOut)")
        #expect(try StoreSnapshot.verify(fixture.file("s.quire")).summary.isIntact)

        let (store, _) = try fixture.restore("s.quire", to: "new")
        #expect(try store.library().count == 3 + 299)
        for number in 0..<300 where number != 7 {
            let url = fixture.remote.documentURL(id: "many-\(number)")
            let known = try fixture.store.cache.content(of: #require(try fixture.store.cache.entry(url: url).value))
                .value
            let restored = try store.cache.content(of: #require(try store.cache.entry(url: url).value)).value
            #expect(restored?.bytes == known?.bytes && restored != nil, "\(number)")
        }
        #expect(try store.library().first { $0.id == "many-8" }?.title == "By hand")
    }

    @Test("snapshots that are taken while tests are finished and delivered are each of one moment")
    func concurrent() async throws {
        let fixture = try await SnapshotFixture()
        let (store, remote) = (fixture.store, fixture.remote)
        let work = Task {
            var ids: [TestID] = []
            for number in 0..<12 {
                let opened = try await store.open(id: "rivers", remote: remote, isOffline: true)
                ids.append(
                    try store.take(opened, answers: ["q2": .one("\(number)")], isFinished: true).record.id)
                if number % 3 == 2 { _ = try await store.sweeper(remote).sweep() }
            }
            return ids
        }
        for number in 0..<6 {
            try fixture.save("s\(number).quire")
            await Task.yield()
        }
        let ids = try await work.value
        for number in 0..<6 {
            let (restored, report) = try fixture.restore("s\(number).quire", to: "new\(number)")
            #expect(report.summary.isIntact && report.refused.isEmpty && report.tests.conflicts.isEmpty)
            let found = try restored.outbox.scan().tests.map(\.id)
            #expect(Set(found).count == found.count)
            // Tests were made one after another: those in the snapshot are the first ones.
            let count = ids.count { found.contains($0) }
            #expect(ids.prefix(count).allSatisfy { found.contains($0) })
        }
    }

    @Test("secrets are saved only when they are asked for")
    func secrets() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.write(Array("the token\n".utf8), to: fixture.file("token"))
        try fixture.store.changeSettings { $0.tokenFile = fixture.file("token").string }
        let store = try QuireStore.open(at: fixture.file("store"), clock: fixture.clock)
        _ = try StoreSnapshot.save(store, to: fixture.file("plain.quire"))
        _ = try StoreSnapshot.save(store, to: fixture.file("secret.quire"), .init(withSecrets: true))
        #expect(try !StoreSnapshot.verify(fixture.file("plain.quire")).files.map(\.path).contains("token"))
        #expect(try fixture.restore("plain.quire", to: "plain").store.settings.tokenFile == nil)
        let restored = try fixture.restore("secret.quire", to: "secret").store
        #expect(restored.settings.tokenFile == fixture.file("secret").appending("token").string)
        #expect(try fixture.bytes(fixture.file("secret").appending("token")) == Array("the token\n".utf8))
    }

    @Test("the page's key is a secret that stays here once the access of a browser was closed")
    func pageKey() async throws {
        let fixture = try await SnapshotFixture()
        let key = try fixture.store.pageAccess.key()
        try fixture.save("before.quire", .init(withSecrets: true))
        #expect(try fixture.restore("before.quire", to: "before").store.pageAccess.key() == key)
        try fixture.store.pageAccess.close("a")
        try fixture.save("after.quire", .init(withSecrets: true))
        #expect(try fixture.restore("after.quire", to: "after").store.pageAccess.key() != key)
    }

    @Test("a restored cache stays within the quota")
    func quota() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.store.changeSettings { $0.quotaBytes = 60_000 }
        let saved = try QuireStore.open(at: fixture.file("store"), clock: fixture.clock)
        _ = try StoreSnapshot.save(saved, to: fixture.file("s.quire"))
        let (store, _) = try fixture.restore("s.quire", to: "new")
        #expect(try store.cache.space.statistics().bytes <= 60_000)
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
