import Disk
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

/// Formats that do not exist yet: the mechanism that will upgrade a store to them, driven through every crash.
@Suite("A store of another format")
struct StoreFormatTests {
    /// 1 to 2 gives the store a folder with a file that is made from its tests; 2 to 3 renames a setting.
    private static let three = StoreFormat(
        current: 3,
        steps: [
            StoreFormat.Step(
                from: 1,
                prepare: { files in
                    try files.makeDurableFolder("notes")
                    let names = try files.list("outbox/done").map(\.name).sorted().joined(separator: "\n")
                    try files.writeDurably(
                        Array(names.utf8), to: "notes/tests.txt", temporaryFolder: "outbox/tmp")
                }),
            StoreFormat.Step(
                from: 2,
                prepare: { files in
                    let (bytes, _) = try files.readFile("notes/tests.txt", maximumBytes: 1 << 20)
                    try files.writeDurably(bytes, to: "notes/second.txt", temporaryFolder: "outbox/tmp")
                },
                settings: { members in members["note"] = members.removeValue(forKey: "remark") }),
        ])

    private let model: SimulatedDisk
    private let id: TestID

    /// A store of format 1 with a finished test, durable. So small a disk has no reserve, whose bytes would be compared
    /// with every state.
    init() throws {
        let disk = SimulatedDisk(capacityBytes: 1 << 20)
        var settings = StoreSettings(remote: nil, deviceId: "tablet")
        settings.otherFields["remark"] = .string("mine")
        let store = try QuireStore.create(disk.process(), settings: settings, clock: disk.clock, bootIdentity: "boot-1")
        let reference = QuestionnaireReference(id: "a", title: "A", digest: Digest(sha256Of: [1]))
        id = try store.outbox.edits.create(reference, deviceID: "tablet", as: .done) { _ in }.record.id
        disk.settle()
        model = disk
    }

    /// A copy of it: with nothing to lose there is one state only.
    private func disk() throws -> (SimulatedDisk, TestID) {
        (try #require(model.allCrashStates(limit: 1).first).disk, id)
    }

    private func open(_ disk: SimulatedDisk, _ format: StoreFormat = three) throws -> QuireStore {
        try QuireStore.open(disk.process(), clock: disk.clock, bootIdentity: "boot-2", format: format)
    }

    private func format(_ disk: SimulatedDisk) throws -> Int {
        struct Version: Decodable { var format: Int }
        let (bytes, _) = try disk.process().readFile("store.json", maximumBytes: 1 << 20)
        return try DocumentCoding.decode(Version.self, from: bytes).format
    }

    private func expectUpgraded(_ disk: SimulatedDisk, _ id: TestID, _ comment: Comment) throws {
        let store = try open(disk)
        #expect(store.settings.format == 3, comment)
        #expect(store.settings.otherFields == ["note": .string("mine")], comment)
        #expect(store.settings.deviceId == "tablet", comment)
        let names = "\(id).test.json"
        #expect(disk.contents("notes/tests.txt") == Array(names.utf8), comment)
        #expect(disk.contents("notes/second.txt") == Array(names.utf8), comment)
        #expect(try store.outbox.find(id)?.status == .done, comment)
    }

    @Test("an older one is upgraded to the current format when it is opened, once")
    func upgrade() throws {
        let (disk, id) = try disk()
        try expectUpgraded(disk, id, "")
        disk.clearLog()
        _ = try open(disk)
        #expect(!disk.operations.contains { [.create, .write, .rename, .lock].contains($0.kind) })
    }

    @Test("a newer one is refused by an older program, which touches nothing")
    func refused() throws {
        let (disk, _) = try disk()
        _ = try open(disk)
        let before = disk.dump()
        #expect(throws: StoreError.newerFormat("/simulated", found: 3, known: 1)) { try open(disk, .known) }
        #expect(disk.dump() == before)
        for (text, number) in [("0", 0), ("-4", -4)] {
            try disk.put("store.json", #"{"format": \#(text), "deviceId": "a"}"#)
            #expect {
                try open(disk, .known)
            } throws: { error in
                guard case StoreError.damagedSettings(_, let reason) = error else { return false }
                return reason.contains("format: is \(number)")
            }
        }
    }

    @Test("the power is cut at each call of an upgrade: the old format opens and is upgraded again, or the new one")
    func powerCuts() throws {
        var states = 0
        for number in 1... {
            let (disk, id) = try disk()
            disk.plan(.powerCut, afterNext: number)
            _ = try? open(disk)
            for state in disk.allCrashStates(limit: 8, seed: UInt64(number)) {
                states += 1
                let found = try format(state.disk)
                #expect((1...3).contains(found), "\(number), \(state)")
                if found == 1 {
                    // A program of format 1 finds its store whole.
                    let old = try open(state.disk, .known)
                    #expect(try old.outbox.find(id)?.status == .done, "\(number), \(state)")
                    #expect(old.settings.otherFields["remark"] == .string("mine"), "\(number), \(state)")
                } else {
                    #expect(throws: StoreError.self) { try open(state.disk, .known) }
                }
                try expectUpgraded(state.disk, id, "\(number), \(state)")
            }
            if disk.firedFaults.isEmpty { break }
        }
        #expect(states > 100)
    }

    @Test(
        "an error at each call leaves a store that opens again", arguments: [Fault.error(.noSpace), .error(.ioError)])
    func faults(_ fault: Fault) throws {
        for number in 1... {
            let (disk, id) = try disk()
            disk.plan(fault, afterNext: number)
            _ = try? open(disk)
            let isDone = disk.firedFaults.isEmpty
            disk.clearPlan()
            try expectUpgraded(disk, id, "\(number)")
            if isDone { return }
        }
    }

    @Test("taking out any flush of an upgrade is noticed, but for those that another one makes up for")
    func mutations() throws {
        var unnoticed: Set<String> = []
        var noticed: Set<String> = []
        for call in [SyncCall.sync, .syncFolder] {
            let (clean, _) = try disk()
            let before = clean.count(of: call)
            _ = try open(clean)
            let count = clean.count(of: call) - before
            let flushes = clean.operations.filter { $0.kind.rawValue == "\(call)" }.suffix(count)
            for (place, flush) in flushes.enumerated() {
                if try isNoticed(call, before + place + 1) {
                    noticed.insert(flush.description)
                } else {
                    unnoticed.insert(flush.description)
                }
            }
        }
        // The store's own folder is flushed after each step, and folders that are there already are flushed once more.
        #expect(unnoticed.isSubset(of: ["syncFolder", "syncFolder outbox"]), "\(unnoticed)")
        #expect(noticed.contains("syncFolder notes") && noticed.contains { $0.hasPrefix("sync ") }, "\(noticed)")
    }

    /// Whether some state after a cut, with this flush taken out, breaks a promise.
    private func isNoticed(_ call: SyncCall, _ occurrence: Int) throws -> Bool {
        for number in 1... {
            let (disk, id) = try disk()
            disk.ignore(call, occurrence: occurrence)
            disk.plan(.powerCut, afterNext: number)
            _ = try? open(disk)
            let isDone = disk.firedFaults.isEmpty
            if isDone { disk.cutPower() }
            for state in disk.allCrashStates(limit: 12, seed: UInt64(number)) {
                guard let found = try? format(state.disk) else { return true }
                let notes = state.disk.contents("notes/tests.txt")
                if found > 1, notes != Array("\(id).test.json".utf8) { return true }
                if found > 2, state.disk.contents("notes/second.txt") != notes { return true }
                if isDone, found < 3 { return true }
            }
            if isDone { return false }
        }
        return false
    }

    @Test("while another process holds one of its locks, an older store is not upgraded and says so")
    func inUse() throws {
        for path: FilePath in ["outbox/lock", "outbox/edit.lock", "cache/lock"] {
            let (disk, id) = try disk()
            let held = try LockFile.acquire(path, in: disk.process(), wait: false)
            #expect(throws: StoreError.inUse("/simulated")) { try open(disk) }
            #expect(try format(disk) == 1)
            held?.release()
            try expectUpgraded(disk, id, "")
        }
    }

    @Test("a second process that opens the store at any moment of an upgrade gets it intact, or must wait")
    func twoAtOnce() throws {
        for number in 1... {
            let (disk, id) = try disk()
            disk.interlude(at: disk.operationCount + number) {
                do {
                    #expect(try open(disk).settings.format == 3, "\(number)")
                } catch {
                    #expect(error as? StoreError == .inUse("/simulated"), "\(number): \(error)")
                }
            }
            _ = try open(disk)
            let isDone = disk.playedInterludes == 0
            try expectUpgraded(disk, id, "\(number)")
            if isDone { return }
        }
    }
}
