import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import Testing

@Suite("The pull")
struct PullTests {
    @Test("a second pull with nothing changed is one request without a body")
    func unchanged() async throws {
        let device = try Device(remote: FaultyRemote(clock: ManualClock(), pageSize: 3))
        for index in 0..<10 { device.remote.publish("q-\(index)", document("q-\(index)")) }
        #expect(try await device.pull().new.count == 10)
        device.remote.forgetRequests()
        let second = try await device.pull()
        #expect(second.unchanged == 10 && second.transferredBytes == 0)
        #expect(device.remote.requests.count == 1)
        #expect(device.remote.requests.first?.fields[.ifNoneMatch] != nil)
    }

    @Test("only what changed is fetched, and what is gone goes")
    func changed() async throws {
        let device = try Device()
        for id in ["a", "b", "c"] { device.remote.publish(id, document(id)) }
        try await device.pull()
        device.remote.publish("b", document("b", title: "Newer"))
        device.remote.publish("d", document("d"))
        device.remote.withdraw("c")
        device.remote.forgetRequests()
        let report = try await device.pull()
        #expect(report.new == ["d"] && report.updated == ["b"] && report.removed == ["c"] && report.unchanged == 1)
        #expect(device.remote.requests.count == 3)
        #expect(try device.store.library().map(\.id).sorted() == ["a", "b", "d"])
        #expect(try device.store.library().first { $0.id == "b" }?.title == "Newer")
    }

    @Test("a draft keeps the exact version it was started with, through updates, deletion and a trim")
    func draftKeepsItsVersion() async throws {
        let device = try Device()
        device.remote.publish("a", document("a", question: "The first wording?"))
        try await device.pull()
        let opened = try await device.store.open(id: "a", remote: device.remote)
        let draft = try device.store.begin(opened).record

        device.remote.publish("a", document("a", question: "The second wording?"))
        try await device.pull()
        #expect(try device.store.questionnaire(of: draft)?.questions.first?.text == "The first wording?")
        #expect(try device.store.documents.hasNewerVersion(draft))

        device.remote.withdraw("a")
        device.remote.publish("b", document("b"))
        try await device.pull()
        _ = try? device.store.cache.space.trim(toBytes: 0)
        #expect(try device.store.questionnaire(of: draft)?.questions.first?.text == "The first wording?")

        // Results show what was asked, so the finished test holds it too, until the test itself is gone.
        _ = try device.store.finish(draft.id)
        _ = try device.store.cache.space.removeUnreferencedBlobs()
        #expect(try device.store.questionnaire(of: draft) != nil)
        _ = try device.store.outbox.discard(draft.id)
        _ = try device.store.cache.space.removeUnreferencedBlobs()
        #expect(try device.store.questionnaire(of: draft) == nil)
    }

    @Test("what the server forbids to keep leaves nothing on the disk, and can be opened all the same")
    func noStore() async throws {
        let device = try Device()
        device.remote.publish("balance", document("balance", title: "Perishable"), cacheControl: "no-store")
        let report = try await device.pull()
        #expect(report.notStored == ["balance"])
        #expect(!device.disk.dump().contains { $0.path.contains("balance") })
        #expect(try await device.store.open(id: "balance", remote: device.remote).entry == nil)
        device.remote.setPresence(.away("no route"))
        await #expect(throws: StoreError.self) { try await device.store.open(id: "balance", remote: device.remote) }
    }

    @Test("a document that wants to be validated is not used without the server")
    func mustAsk() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"), cacheControl: "no-cache")
        try await device.pull()
        #expect(try await device.store.open(id: "a", remote: device.remote).questionnaire.id == "a")
        device.remote.setPresence(.away("no route"))
        await #expect(throws: StoreError.mustAskServer(id: "a")) {
            try await device.store.open(id: "a", remote: device.remote)
        }
    }

    @Test("stale content is used while the server is away, and its age is shown")
    func stale() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"), cacheControl: "max-age=60")
        try await device.pull()
        device.clock.advance(by: .seconds(2700))
        device.remote.setPresence(.away("no route"))
        let opened = try await device.store.open(id: "a", remote: device.remote)
        #expect(opened.staleBySeconds > 0)
        let item = try #require(try device.store.library().first)
        #expect(item.freshness(now: device.clock.now).words(.english) == "updated 45 min ago")
    }

    @Test("a full quota keeps what is here, names the rest, and transfers nothing in vain")
    func quota() async throws {
        let device = try Device(quotaBytes: 120_000)
        for index in 10..<40 { device.remote.publish("q-\(index)", document("q-\(index)", padding: 4000)) }
        let first = try await device.pull()
        #expect(!first.new.isEmpty && !first.noRoom.isEmpty)
        #expect(first.new.count + first.noRoom.count == 30)
        #expect(try device.store.cache.space.statistics().bytes <= 120_000)
        let kept = Set(try device.store.library().map(\.id))
        device.remote.forgetRequests()
        let second = try await device.pull()
        #expect(second.new.isEmpty)
        #expect(device.remote.requests.count <= 2)
        #expect(Set(try device.store.library().map(\.id)) == kept)

        // One that is asked for by name takes the place of the least recently used.
        let wanted = try #require(first.noRoom.last)
        _ = try await device.pull(.init(ids: [wanted]))
        #expect(try device.store.library().contains { $0.id == wanted })
        #expect(try device.store.cache.space.statistics().bytes <= 120_000)
    }

    @Test("an edit made by hand is noticed, kept by a pull, and given up only on demand")
    func localEdit() async throws {
        let device = try Device()
        device.remote.publish("a", document("a", title: "Theirs"))
        try await device.pull()
        let entry = try #require(try device.store.documents.entry(id: "a", remote: device.remote))
        let mine = Array(document("a", title: "Mine").utf8)
        try device.disk.put(entry.blob.path, try Gzip.compress(mine))
        #expect(try device.store.library().first?.title == "Mine")
        #expect(try await device.pull().edited == ["a": false])
        device.remote.publish("a", document("a", title: "Theirs, newer"))
        #expect(try await device.pull().edited == ["a": true])
        #expect(try device.store.library().first?.title == "Mine")
        #expect(try await device.pull(.init(ids: ["a"], discardsEdits: true)).updated == ["a"])
        #expect(try device.store.library().first?.title == "Theirs, newer")
    }

    @Test("damaged content goes to quarantine and is fetched again")
    func damage() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        let entry = try #require(try device.store.documents.entry(id: "a", remote: device.remote))
        try device.disk.damage(entry.blob.path) { $0 = Array($0.prefix($0.count / 2)) }
        #expect(try device.store.library().first?.record.isPresent == false)
        #expect(device.disk.dump().contains { $0.path.hasPrefix("quarantine/") })
        let report = try await device.pull()
        #expect(report.updated == ["a"])
        #expect(try await device.store.open(id: "a", remote: device.remote).questionnaire.id == "a")
    }

    @Test("a false list makes us ask no other server and write nowhere else")
    func hostileList() async throws {
        let device = try Device()
        let items = [
            #"{"id": "a", "title": "t", "url": "https://elsewhere.example/a"}"#,
            #"{"id": "b", "title": "t", "url": "file:///etc/passwd"}"#,
            #"{"id": "", "title": "t", "url": "questionnaires/empty"}"#,
            #"{"id": "c\u0000d", "title": "t", "url": "questionnaires/nul"}"#,
            #"{"id": "../../x", "title": "t", "url": "questionnaires/..%2F..%2Fx"}"#,
        ]
        device.remote.publish(
            url: device.remote.listURL,
            bytes: Array(#"{"questionnaires": [\#(items.joined(separator: ","))]}"#.utf8), mediaType: "application/json"
        )
        device.remote.forgetRequests()
        let report = try await device.pull()
        #expect(report.failed.count == 5)
        #expect(report.new.isEmpty)
        for request in device.remote.requests { #expect(request.url?.hasPrefix(FaultyRemote.origin) == true) }
        #expect(device.disk.dump().allSatisfy { !$0.path.contains("passwd") && !$0.path.contains("..") })
    }

    @Test("a list that is no list, a document that is another, and a bomb are refused in words")
    func nonsense() async throws {
        let device = try Device()
        device.remote.publish("a", document("b"))
        let report = try await device.pull()
        #expect(report.failed["a"]?.contains("id") == true)
        device.remote.respond { _ in .loginPage }
        await #expect(throws: RemoteFailure.self) { try await device.pull() }
        let bomb = try Gzip.compress([UInt8](repeating: 0x20, count: 70 << 20))
        device.remote.publish("c", document("c"))
        device.remote.respond { request in
            request.url?.hasSuffix("/c") == true
                ? .reply(200, mediaType: "application/json", body: bomb, fields: [.contentEncoding: "gzip"]) : nil
        }
        #expect(try await device.pull().failed["c"]?.contains("unpack") == true)
    }

    @Test("an interrupted pull keeps what came and goes on from there")
    func interrupted() async throws {
        let device = try Device()
        for index in 10..<30 { device.remote.publish("q-\(index)", document("q-\(index)")) }
        device.remote.respond { $0.url?.hasSuffix("q-25") == true ? .cutAfterStoring : nil }
        let first = try await device.pull()
        #expect(first.failed.keys.sorted() == ["q-25"] && first.new.count == 19)
        #expect(first.failedForNow == ["q-25"])
        device.remote.respond { _ in nil }
        #expect(try await device.pull().new == ["q-25"])
    }

    @Test("the owner's Cache-Control rule takes the place of the server's")
    func overrides() async throws {
        let device = try Device()
        var settings = device.store.settings
        settings.cacheControl = [.init(pattern: "*/questionnaires/a", value: "max-age=86400")]
        try device.store.save(settings)
        let store = try device.reopened()
        device.remote.publish("a", document("a"), cacheControl: "no-store")
        let report = try await store.puller(device.remote).pull()
        #expect(report.new == ["a"])
        device.clock.advance(by: .seconds(80_000))
        #expect(try store.library().first?.freshness(now: device.clock.now) == .fresh)
    }

    @Test("a pull that is given up says so, and says nothing about the connection")
    func givenUp() async throws {
        let device = try Device()
        device.remote.publish("a", document("a"))
        device.remote.respond { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return nil
        }
        let outcome = await Task { try await device.pull() }.result
        #expect(throws: CancellationError.self) { try outcome.get() }
        #expect(device.store.journal.contact()?.lastPull == nil)
        #expect(device.store.isOnline(device.remote).isOnline)
    }
}
