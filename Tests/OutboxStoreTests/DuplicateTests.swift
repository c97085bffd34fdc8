import Disk
import Model
import OutboxStore
import Simulation
import Sync
import SystemPackage
import Testing
import Trials

@Suite("One test in several folders, and files that are no tests")
struct DuplicateTests {
    /// Another version of a test's file, as an editor would make it.
    private func otherVersion(_ world: OutboxWorld, of id: TestID, _ status: TestStatus) throws -> [UInt8] {
        var record = try world.outbox().read(OutboxItem(id: id, status: status)).record
        record.answers = Person.answers("Berlin")
        return try DocumentCoding.encode(record)
    }

    private func recover(_ world: OutboxWorld) throws {
        let outbox = world.outbox()
        let lock = try #require(try outbox.queue.acquireSweepLock())
        try outbox.queue.recover(lock)
    }

    @Test("two versions of one test are both kept, and stay so however often a sweep recovers")
    func recoversAgain() async throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let other = try otherVersion(world, of: id, .done)
        try world.disk.put(OutboxLayout.testPath(id, .inProgress), other)
        for _ in 0..<3 { try recover(world) }
        let finished = try world.outbox().read(OutboxItem(id: id, status: .done))
        #expect(finished.record.answers == Person.answers("Paris"))
        #expect(world.disk.contents(OutboxLayout.testPath(id, .conflict)) == other)
        #expect(!world.disk.filePaths.contains { $0.hasPrefix("quarantine/") })
    }

    @Test("a test that waits is sent though another version of it lies in conflict")
    func sendsBesideConflict() async throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let other = try otherVersion(world, of: id, .done)
        try world.disk.put(OutboxLayout.testPath(id, .conflict), other)
        #expect(Set(try world.outbox().scan().items.map(\.status)) == [.done, .conflict])
        let report = try await world.sweep()
        #expect(report.sent == [id])
        #expect(world.disk.contents(OutboxLayout.testPath(id, .conflict)) == other)
        #expect(try world.outbox().find(id)?.status == .sent)
    }

    @Test("three versions of one test are all kept")
    func three() throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let other = try otherVersion(world, of: id, .done)
        try world.disk.put(OutboxLayout.testPath(id, .inProgress), other + [0x20])
        try world.disk.put(OutboxLayout.testPath(id, .conflict), other)
        for _ in 0..<2 { try recover(world) }
        #expect(world.disk.contents(OutboxLayout.testPath(id, .done)) != nil)
        #expect(world.disk.contents(OutboxLayout.testPath(id, .conflict)) == other)
        let kept = world.disk.dump().filter { $0.path.hasPrefix("quarantine/") && $0.bytes == other + [0x20] }
        #expect(kept.count == 1)
    }

    @Test("the most advanced of equal copies stays", arguments: TestStatus.allCases)
    func equalCopies(_ status: TestStatus) throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let bytes = try #require(world.disk.contents(OutboxLayout.testPath(id, .done)))
        try world.disk.put(OutboxLayout.testPath(id, status), bytes)
        try recover(world)
        let further = status.advancement > TestStatus.done.advancement ? status : .done
        #expect(try world.outbox().scan().items == [OutboxItem(id: id, status: further == .sending ? .done : further)])
        #expect(try world.outbox().scan().duplicates.isEmpty)
    }

    @Test(
        "what stands in a test's way stops no other test",
        arguments: [TestStatus.sending, .sent], ["folder", "link", "pipe", "giant"])
    func obstacles(_ status: TestStatus, _ kind: String) async throws {
        let world = OutboxWorld(capacityBytes: nil)
        let blocked = try world.person().create(.done, Person.answers("Paris"))
        let other = try world.person().create(.done, Person.answers("Рим"))
        let path = OutboxLayout.testPath(blocked, status)
        switch kind {
        case "folder": try world.disk.makeFolders(path)
        case "link": try world.disk.makeSymbolicLink(path, to: "../../elsewhere")
        case "pipe": try world.disk.makePipe(path)
        default: try world.disk.put(path, [UInt8](repeating: 0x20, count: Int(Outbox.maximumTestBytes) + 1))
        }
        for _ in 0..<2 { _ = try await world.sweep() }
        #expect(try world.outbox().find(other)?.status == .sent)
        #expect(world.remote.tests[other] != nil)
        let places: [TestStatus] = [.done, .sending]
        #expect(places.contains { world.disk.contents(OutboxLayout.testPath(blocked, $0)) != nil })
    }

    @Test("no test is reported as finished if something prevents that")
    func finishIsBlocked() throws {
        let world = OutboxWorld()
        let id = try world.person().create(.inProgress, Person.answers("Paris"))
        try world.disk.makeFolders(OutboxLayout.testPath(id, .done))
        #expect(throws: OutboxError.illegalMove(id, from: .inProgress, to: .done)) { try world.person().finish(id) }
        #expect(try world.outbox().find(id)?.status == .inProgress)
    }

    @Test("the greatest possible sequence number, written by hand, ends nothing")
    func greatestSequence() throws {
        let world = OutboxWorld()
        let id = try world.person().create(.inProgress, [])
        var record = try world.outbox().read(OutboxItem(id: id, status: .inProgress)).record
        record.sequence = .max
        try world.disk.put(OutboxLayout.testPath(id, .inProgress), DocumentCoding.encode(record))
        let next = try world.outbox(boot: "boot-2").edits.begin(Person.questionnaire, deviceID: Person.device)
        #expect(next.record.sequence == .max)
    }

    @Test("the folders of a store are durable before the first test is, though their maker died in between")
    func makerDied() async throws {
        for number in 1... {
            let world = OutboxWorld()
            world.disk.plan(.killed, afterNext: number)
            _ = try? world.outbox().makeFolders()
            world.disk.clearPlan()
            _ = try world.person().create(.done, Person.answers("Paris"))
            for state in world.disk.allCrashStates(limit: 6, seed: UInt64(number)) {
                let broken = await world.after(state.disk).brokenPromises()
                #expect(broken.isEmpty, "killed at call \(number), \(state): \(broken)")
            }
            if world.disk.firedFaults.isEmpty { return }
        }
    }

    @Test("a test that was being sent when the power went keeps its bytes: reopening it begins a revision")
    func reopenAfterCrash() async throws {
        let world = OutboxWorld()
        let id = try world.person().create(.done, Person.answers("Paris"))
        let outbox = world.outbox()
        do {
            let lock = try #require(try outbox.queue.acquireSweepLock())
            let claimed = try outbox.queue.claim([OutboxItem(id: id, status: .done)], lock)
            let stored = try outbox.read(claimed[0])
            _ = try await world.remote.put(id, bytes: stored.bytes, digest: stored.digest)
        }
        try recover(world)
        let revision = try world.outbox().edits.reopen(id, deviceID: Person.device)
        #expect(revision.record.id != id && revision.record.parent == id)
        #expect(try await world.sweep().conflicts.isEmpty)
    }
}
