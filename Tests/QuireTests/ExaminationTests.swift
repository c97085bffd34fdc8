import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import SystemPackage
import Testing

/// What `quire doctor` says of things that cannot be made on every machine: volumes, clocks, locks, another user.
@Suite("The examination of a store")
struct ExaminationTests {
    private let disk = SimulatedDisk(capacityBytes: 16 << 20)

    private func store(
        _ files: (any FileSystem)? = nil, _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> QuireStore {
        var settings = StoreSettings(remote: "https://school.example", deviceId: "tablet")
        change(&settings)
        if try disk.process().status(at: "store.json") == nil {
            _ = try QuireStore.create(disk.process(), settings: settings, clock: disk.clock, bootIdentity: "boot-1")
        }
        return try QuireStore.open(files ?? disk.process(), clock: disk.clock, bootIdentity: "boot-1")
    }

    private func kinds(_ store: QuireStore, hasToken: Bool = false) throws -> [Finding.Kind] {
        try store.examine(repairing: false, hasToken: hasToken).map(\.kind)
    }

    private func on(_ change: @escaping @Sendable (inout Volume) -> Void) throws -> QuireStore {
        try store(
            HookedFileSystem(
                disk.process(),
                onVolume: { volume in
                    var volume = volume
                    change(&volume)
                    return volume
                }))
    }

    @Test("a healthy store has no findings, and doctor writes nothing into it")
    func healthy() throws {
        let store = try store()
        let before = disk.operations.filter { [.create, .update, .write, .rename, .remove].contains($0.kind) }.count
        #expect(try store.examine(repairing: false) == [])
        let written = disk.operations.filter { [.create, .write, .rename, .remove].contains($0.kind) }.count
        #expect(written <= before)
        #expect(try store.examine(repairing: true) == [])
    }

    @Test(
        "a volume that loses what it is given, or is not ours alone, is named",
        arguments: [
            (Volume.Kind.memory, 1), (.network, 1), (.program, 1), (.withoutPermissions, 1), (.local, 0), (.overlay, 0),
        ])
    func volumes(_ kind: Volume.Kind, _ count: Int) throws {
        let found = try on { $0.kind = kind }.examine(repairing: true)
        #expect(found.map(\.kind) == Array(repeating: .place, count: count))
        #expect(found.allSatisfy { !$0.isRepaired })
        #expect(try on { $0.kind = .overlay }.notes() == [.containerLayer])
        #expect(try on { $0.place = "/tmp/quire" }.notes() == [.temporaryFolder])
        #expect(try on { $0.place = "/tmpfiles/quire" }.notes().isEmpty)
    }

    /// An answer that was acknowledged is not put aside because a disk or a mode is in the way for a moment.
    @Test(
        "a test that cannot be read stays where it is, and gets its mode back where that is the reason",
        arguments: [Errno.permissionDenied, .ioError])
    func access(_ code: Errno) throws {
        let reference = QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: []))
        let made = try store().outbox.edits.create(reference, deviceID: "tablet", as: .done) { _ in }
        let path = FilePath("outbox/done/\(made.record.id).test.json")
        let plain = disk.process()
        try plain.setPermissions(path, [])
        let shut = HookedFileSystem(
            disk.process(),
            onOpen: { opened in
                let mode = (try? plain.status(at: opened))??.permissions
                return opened == path && (code == .ioError || mode?.contains(.ownerRead) == false) ? code : nil
            })
        let found = try store(shut).examine(repairing: true)
        #expect(found.contains { $0.path == path.string && $0.words(.english).contains("cannot be read") })
        #expect(disk.contents(path) == made.bytes)
        #expect(!disk.filePaths.contains { $0.hasPrefix("quarantine/") })
        guard code == .permissionDenied else { return }
        #expect(try plain.status(at: path)?.permissions == .ownerReadWrite)
        #expect(try store(shut).examine(repairing: false).allSatisfy { $0.path != path.string || $0.kind == .orphan })
    }

    @Test("a synced folder, little room, no more inodes and another user are named")
    func place() throws {
        #expect(try kinds(on { $0.syncingProgram = "Dropbox" }) == [.place])
        #expect(try kinds(on { $0.freeBytes = 1000 }) == [.space])
        #expect(try kinds(on { $0.freeFiles = 3 }) == [.space])
        #expect(try kinds(on { $0.freeFiles = 30_000 }) == [])
        #expect(try kinds(on { $0.user = 1001 }) == [.owner])
        let locks = try on {
            $0.kind = .network
            $0.keepsLocksToItself = true
        }
        #expect(try locks.examine(repairing: false)[0].advice(.english).contains("one machine only"))
    }

    @Test("a token in the clear is named, except on this machine")
    func token() throws {
        #expect(try kinds(store(), hasToken: true) == [])
        for (remote, isNamed) in [
            ("http://school.example", true), ("http://127.0.0.1.example/x", true), ("HTTP://10.0.0.1:80", true),
            ("http://127.0.0.1:8484", false), ("http://localhost", false), ("http://[::1]:80/x", false),
            ("http://127.evil.example", true),
        ] {
            var settings = try store().settings
            settings.remote = remote
            try store().save(settings)
            #expect(try kinds(store(), hasToken: true) == (isNamed ? [.token] : []), "\(remote)")
            #expect(try kinds(store(), hasToken: false) == [])
        }
    }

    @Test("odd settings are named")
    func settings() throws {
        try disk.put(
            "store.json",
            #"{"format": 1, "deviceId": "", "quotaBytes": 10, "ttlSeconds": 1, "qoutaBytes": 5, "#
                + #""cacheControl": [{"pattern": "", "value": "x"}]}"#)
        let found = try store().examine(repairing: false).filter { $0.kind == .settings }
        #expect(found.count == 5)
        for word in ["qoutaBytes", "quotaBytes", "ttlSeconds", "deviceId", "cacheControl"] {
            #expect(found.contains { $0.words(.english).contains(word) && $0.path == "store.json" }, "\(word)")
        }
    }

    @Test("documented settings are no findings, those of a hub included")
    func documentedSettings() throws {
        #expect(try store().settings.proxy == nil)
        try disk.put(
            "store.json",
            #"{"format": 1, "deviceId": "tablet", "remote": "https://school.example", "proxy": "http://127.0.0.1:3128", "#
                + #""keep": ["/films/*"], "keepAll": true, "names": ["hub"], "showPeople": false}"#)
        let changed = try store()
        #expect(try changed.examine(repairing: false).allSatisfy { $0.kind != .settings })
        #expect(changed.settings.proxy == "http://127.0.0.1:3128")
        // They survive a save.
        try changed.save(changed.settings)
        #expect(try store().settings == changed.settings)
    }

    @Test("a clock in 1970, a clock that differs from the server's, and times to come are named")
    func clock() throws {
        let store = try store()
        func note(skewSeconds: Int) throws {
            let text = #"{"at": "\#(disk.clock.now)", "isReachable": true, "skewSeconds": \#(skewSeconds)}"#
            store.journal.note(try DocumentCoding.decode(Contact.self, from: Array(text.utf8)))
        }
        try note(skewSeconds: -7200)
        #expect(try store.examine(repairing: false).map(\.path) == ["log"])
        try note(skewSeconds: 3)
        let later = disk.clock.now.adding(seconds: 10 * 86_400).millisecondsSinceEpoch * 1_000_000
        try disk.process().setModified("outbox/edit.lock", nanoseconds: later)
        #expect(try store.examine(repairing: false).map(\.path) == ["outbox/edit.lock"])
        #expect(try store.examine(repairing: true).map(\.isRepaired) == [true])
        #expect(try store.examine(repairing: false) == [])
        let old = try QuireStore.open(
            disk.process(), clock: ManualClock(now: Timestamp(millisecondsSinceEpoch: 3_600_000)),
            bootIdentity: "boot-1")
        #expect(try old.examine(repairing: false).contains { $0.kind == .clock && $0.words(.english).contains("1970") })
    }

    @Test("locks that are not exclusive are reported, and nothing is sent under them")
    func locks() throws {
        _ = try store()
        let files = HookedFileSystem(disk.process(), givesEveryLock: true)
        let lying = try store(files)
        #expect(try kinds(lying) == [.locks])
        #expect(throws: OutboxError.lockIsFree(path: "/simulated/outbox/lock")) {
            try lying.outbox.queue.acquireSweepLock()
        }
        // An honest file system is not suspected while the lock is held.
        let lock = try store().outbox.queue.acquireSweepLock()
        #expect(lock != nil)
        #expect(try store().outbox.queue.acquireSweepLock() == nil)
        #expect(try kinds(store()) == [])
        lock?.release()
    }

    @Test("two sweepers never both claim: where the lock lies, neither does, and nothing is moved")
    func lyingLock() async throws {
        let honest = try store()
        let remote = FaultyRemote(clock: disk.clock)
        let reference = QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [1]))
        let id = try honest.outbox.edits.create(reference, deviceID: "tablet", as: .done) { _ in }.record.id
        for _ in 0..<2 {
            let lying = try store(HookedFileSystem(disk.process(), givesEveryLock: true))
            await #expect(throws: OutboxError.self) { try await lying.sweeper(remote).sweep() }
        }
        #expect(try honest.outbox.find(id)?.status == .done)
        #expect(try await honest.sweeper(remote).sweep().waiting <= 1)
    }

    @Test("what is broken in the cache's own files is repaired from the files")
    func derived() throws {
        let store = try store()
        try disk.put("cache/ledger.json", #"{"bootId": "boot-1", "usedBytes": 1}"#)
        try disk.put("cache/CACHEDIR.TAG", "not a tag")
        try disk.put("index/catalog.pb", "garbage")
        try disk.put("index/texts.pb", "")
        try disk.put("outbox/sequence.json", "{")
        #expect(try kinds(store).filter { $0 == .derived }.count == 5)
        #expect(try store.examine(repairing: true).allSatisfy(\.isRepaired))
        #expect(try store.examine(repairing: false) == [])
        // A crash may leave too much booked, which is harmless.
        try disk.put("cache/ledger.json", #"{"bootId": "boot-1", "usedBytes": 9999999}"#)
        #expect(try store.examine(repairing: false) == [])
    }

    @Test("one repair is enough: a fault behind another is repaired with it", arguments: [true, false])
    func onceIsEnough(isRenamed: Bool) throws {
        let store = try store()
        let bytes = Array(#"{"id": "a", "title": "A", "questions": []}"#.utf8)
        let response = StoredResponse(
            status: 200, fields: HTTPFields(), requestTime: disk.clock.now, responseTime: disk.clock.now)
        let entry = try store.cache.store(
            .init(
                url: "https://school.example/v1/questionnaires/a", bytes: bytes, mediaType: "application/json",
                response: response, document: DocumentSummary(try Questionnaire(json: bytes), media: [])))
        let path = CacheLayout.entryPath(url: entry.url)
        let written = try #require(disk.contents(path))
        if isRenamed {
            try disk.put("cache/entries/b.json", written)
            try disk.process().remove(path)
        } else {
            let text = String(decoding: written, as: UTF8.self)
            try disk.put(path, text.replacing("questionnaires/a\"", with: "questionnaires/b\""))
        }
        #expect(try kinds(store) == [.stranger])
        let repaired = try store.examine(repairing: true)
        #expect(repaired.map(\.kind) == [.stranger, .orphan] && repaired.allSatisfy(\.isRepaired), "\(repaired)")
        #expect(try store.examine(repairing: false) == [])
    }

    @Test("of a small quota is said what is true")
    func smallQuota() throws {
        for (bytes, words) in [(10_000, "can keep nothing"), (60_000, "a few short questionnaires")]
            as [(Int64, String)]
        {
            var settings = try store().settings
            settings.quotaBytes = bytes
            try store().save(settings)
            #expect(try store().examine(repairing: false).filter { $0.words(.english).contains(words) }.count == 1)
        }
    }

    @Test("the file of a writer that is still there is left alone; one whose writer is gone is removed")
    func leftovers() throws {
        let store = try store()
        let writer = disk.process()
        let temporary = try writer.makeTemporaryFile(in: "outbox/tmp")
        try writer.writeAll(temporary.file, Array("half".utf8))
        #expect(try store.examine(repairing: true) == [])
        #expect(try writer.status(at: temporary.path) != nil)
        writer.kill()
        #expect(try kinds(store) == [.leftover])
        #expect(try store.examine(repairing: true).map(\.isRepaired) == [true])
        #expect(try disk.process().status(at: temporary.path) == nil)
    }

    @Test("a repair that fails is said, and stops none of the others")
    func readOnly() throws {
        let store = try store()
        try disk.put("outbox/done/notes.txt", "hello")
        try disk.put("outbox/done/more.txt", "hello")
        disk.isReadOnly = true
        let found = try store.examine(repairing: true).filter { $0.kind == .stranger }
        #expect(found.count == 2 && found.allSatisfy { !$0.isRepaired && $0.advice(.english).contains("read-only") })
        disk.isReadOnly = false
        #expect(try store.examine(repairing: true).allSatisfy(\.isRepaired))
    }

    @Test("beside a file in quarantine stand the words that the program gives, else the kind of the finding")
    func reasons() throws {
        let store = try store()
        let moved: FilePath = "outbox/done/notes.txt"
        for (reason, written) in [
            (nil, "stranger"), ({ $0.words(.english) }, "its name is not that of a test (UUID.test.json)"),
            ({ $0.words(.russian) }, "её имя – не имя теста (UUID.test.json)"),
        ] as [(((Finding) -> String)?, String)] {
            try disk.put(moved, "hello")
            #expect(try store.examine(repairing: true, reason: reason).map(\.isRepaired) == [true])
            let reasons = disk.filePaths.filter { $0.hasSuffix("notes.txt.reason.txt") }
            let texts = reasons.compactMap { disk.contents(FilePath($0)) }.map { String(decoding: $0, as: UTF8.self) }
            #expect(texts.contains("\(moved): \(written)\n"), "\(texts)")
        }
    }
}
