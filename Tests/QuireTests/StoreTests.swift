import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import SystemPackage
import Testing

@Suite("The store")
struct StoreTests {
    @Test("a test made from answers is finished at once, or stays a draft", arguments: StoreKind.allCases)
    func take(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let document = try await ground.opened()
        let done = try ground.store.take(document, answers: ["q1": .one("Paris")], isFinished: true)
        #expect(done.status == .done && done.record.dateFinished != nil)
        let draft = try ground.store.take(document, answers: ["q2": .one("So it is")], isFinished: false)
        #expect(draft.status == .inProgress)
        #expect(throws: StoreError.missingAnswers(["q1"])) { try ground.store.finish(draft.record.id) }
        #expect(try ground.store.take(document, answers: [:], isFinished: false).status == .empty)
    }

    @Test(
        "a required question without an answer, an unknown question and an unknown option make no test",
        arguments: StoreKind.allCases)
    func refusedAnswers(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let document = try await ground.opened()
        #expect(throws: StoreError.missingAnswers(["q1"])) {
            try ground.store.take(document, answers: ["q2": .one("So it is")], isFinished: true)
        }
        #expect(throws: AnswerFault.self) {
            try ground.store.take(document, answers: ["q9": .one("Paris")], isFinished: false)
        }
        #expect(throws: AnswerFault.self) {
            try ground.store.take(document, answers: ["q1": .one("Berlin")], isFinished: false)
        }
        #expect(try ground.store.tests().isEmpty)
    }

    @Test(
        "a draft protects the version that it was started with, and learns that there is a newer one",
        arguments: StoreKind.allCases)
    func protection(_ kind: StoreKind) async throws {
        let ground = try await StoreFixture(on: kind)
        let draft = try ground.store.begin(try await ground.opened())
        #expect(try !ground.store.documents.hasNewerVersion(draft.record))
        ground.publish("And of Italy?")
        _ = try await ground.store.puller(ground.remote).pull()
        #expect(try ground.store.protection().digests == [draft.record.questionnaire.digest])
        let begun = try #require(try ground.store.questionnaire(of: draft.record))
        #expect(begun.question("q1")?.text == "What is the capital of France?")
        #expect(try ground.store.documents.hasNewerVersion(draft.record))
    }

    @Test("settings of a newer format are refused with both numbers, damaged ones with the file's name")
    func settings() async throws {
        let ground = try await StoreFixture()
        try ground.disk.put("store.json", #"{"format": 7, "remote": 12}"#)
        #expect(throws: StoreError.newerFormat("/simulated", found: 7, known: 1)) { try ground.reopened() }
        for text in ["", "{", "[]", #"{"format": "1"}"#, #"{"format": 1}"#] {
            try ground.disk.put("store.json", text)
            #expect {
                try ground.reopened()
            } throws: { error in
                if case StoreError.damagedSettings("/simulated/store.json", _) = error { true } else { false }
            }
        }
        try ground.disk.remove("store.json")
        #expect(throws: StoreError.noStore("/simulated")) { try ground.reopened() }
    }

    @Test("a power cut while a store is made leaves a store or none, and making it again works")
    func powerCutWhileMaking() throws {
        for number in 1... {
            let disk = SimulatedDisk(capacityBytes: 1 << 20)
            disk.plan(.powerCut, afterNext: number)
            let settings = StoreSettings(remote: nil, deviceId: "tablet")
            _ = try? QuireStore.create(disk.process(), settings: settings, clock: disk.clock, bootIdentity: "boot-1")
            for state in disk.allCrashStates(limit: 6, seed: UInt64(number)) {
                let files = state.disk.process()
                do {
                    _ = try QuireStore.open(files, clock: disk.clock, bootIdentity: "boot-2")
                } catch StoreError.noStore {
                    _ = try QuireStore.create(files, settings: settings, clock: disk.clock, bootIdentity: "boot-2")
                }
                let store = try QuireStore.open(files, clock: disk.clock, bootIdentity: "boot-2")
                #expect(store.settings == settings, "\(number), \(state)")
            }
            if disk.firedFaults.isEmpty { return }
        }
    }

    @Test("on a full disk the cache does not give way with the questionnaire that is just being started")
    func beginningOnFullDisk() async throws {
        for room in 0..<6 {
            let ground = try await StoreFixture()
            let document = try await ground.opened()
            try? ground.disk.remove(OutboxLayout.reserve)
            ground.disk.capacityBytes = ground.disk.usedBytes + Int64(room) * 4096
            for _ in 0..<8 {
                _ = try? ground.store.take(document, answers: ["q1": .one("Rome")], isFinished: true)
                #expect(try await ground.opened().bytes == document.bytes, "\(room)")
            }
        }
    }

    @Test("doctor finds nothing in a healthy store, reports faults, and repairs them")
    func doctor() async throws {
        let ground = try await StoreFixture()
        let document = try await ground.opened()
        let id = try ground.store.take(document, answers: ["q1": .one("Paris")], isFinished: true).record.id
        #expect(try ground.store.examine(repairing: false) == [])
        let copy = try #require(ground.disk.contents(OutboxLayout.testPath(id, .done)))
        try ground.disk.put(OutboxLayout.testPath(id, .inProgress), copy)
        try ground.disk.put("outbox/done/notes.txt", "hello")
        try ground.disk.put(OutboxLayout.testPath(.random(), .done), "{")
        try ground.disk.makeSymbolicLink("outbox/done/link", to: "../../../etc/passwd")
        let entry = try #require(document.entry)
        try ground.disk.damage(entry.blob.path) { $0.removeLast(4) }
        let findings = try ground.store.examine(repairing: false)
        #expect(findings.count >= 5, "\(findings)")
        #expect(findings.allSatisfy { !$0.isRepaired && !$0.words(.english).isEmpty && !$0.advice(.english).isEmpty })
        #expect(try ground.store.examine(repairing: true).filter(\.isRepaired).count >= 4)
        _ = try await ground.store.puller(ground.remote).pull()
        #expect(try ground.store.examine(repairing: false) == [])
        // What was acknowledged is where it was.
        #expect(ground.disk.contents(OutboxLayout.testPath(id, .done)) == copy)
    }
}
