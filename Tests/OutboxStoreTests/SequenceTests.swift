import Disk
import Model
import OutboxStore
import Simulation
import SystemPackage
import Testing
import Trials

@Suite("The numbers of tests, and the folders that they need")
struct SequenceTests {
    private func number(_ world: OutboxWorld) throws -> Int {
        try world.outbox().edits.begin(Person.questionnaire, deviceID: Person.device).record.sequence
    }

    private func inode(_ world: OutboxWorld) throws -> UInt64? {
        try world.disk.process().status(at: OutboxLayout.sequence)?.inode
    }

    @Test("a number is written over the last one, and into a new file where it gets longer")
    func inPlace() throws {
        let world = OutboxWorld()
        var inodes: [UInt64?] = []
        for expected in 1...11 {
            #expect(try number(world) == expected)
            inodes.append(try inode(world))
        }
        #expect(Set(inodes[..<9]).count == 1)
        #expect(Set(inodes[9...]).count == 1)
        #expect(inodes[8] != inodes[9])
        let written = world.disk.contents(OutboxLayout.sequence).map { String(decoding: $0, as: UTF8.self) }
        #expect(written == #"{"bootId":"boot-1","deviceId":"\#(Person.device)","last":11}"# + "\n")
    }

    @Test("no number is given twice, at whatever call the one before was broken off")
    func brokenOff() throws {
        for before in [9, 19] {
            for fault in [Fault.killed, .shortWrite, .errorAfterEffect(.ioError)] {
                for call in 1... {
                    let world = try self.world(after: before)
                    world.disk.plan(fault, afterNext: call)
                    let broken = try? number(world)
                    let hasFired = !world.disk.firedFaults.isEmpty
                    world.disk.clearPlan()
                    #expect(try number(world) > broken ?? before, "\(fault) at call \(call) of number \(before + 1)")
                    if !hasFired { break }
                }
            }
        }
    }

    /// An outbox whose last test has this number.
    private func world(after last: Int) throws -> OutboxWorld {
        let world = OutboxWorld()
        var record = try world.outbox().edits.begin(Person.questionnaire, deviceID: Person.device).record
        record.sequence = last
        try world.disk.put(OutboxLayout.testPath(record.id, .empty), DocumentCoding.encode(record))
        let file = #"{"bootId":"boot-1","deviceId":"\#(Person.device)","last":\#(last)}"# + "\n"
        try world.disk.put(OutboxLayout.sequence, file)
        return world
    }

    @Test("a copy of the outbox that was made of links keeps its number")
    func linkedCopy() throws {
        let world = OutboxWorld()
        for expected in 1...2 { #expect(try number(world) == expected) }
        try world.disk.makeHardLink("copy", to: OutboxLayout.sequence)
        let copied = world.disk.contents("copy")
        #expect(try number(world) == 3)
        #expect(world.disk.contents("copy") == copied)
    }

    @Test("what is no file of ours is not written over", arguments: ["[]", #"{"last": 5}"#, ""])
    func strange(_ content: String) throws {
        let world = OutboxWorld()
        #expect(try number(world) == 1)
        try world.disk.put(OutboxLayout.sequence, content)
        #expect(try number(world) == 2)
        #expect(try number(world) == 3)
    }

    @Test(
        "a removed folder is made again, durably, for what is put there",
        arguments: [OutboxLayout.temporary, OutboxLayout.folder(.done)])
    func missingFolder(_ folder: FilePath) async throws {
        let world = OutboxWorld()
        let person = world.person()
        _ = try world.outbox().edits.begin(Person.questionnaire, deviceID: Person.device)
        world.disk.settle()
        try world.disk.process().removeFolder(folder)
        _ = try person.create(.done, Person.answers("Paris"))
        for state in world.disk.allCrashStates(limit: 12) {
            let broken = await world.after(state.disk).brokenPromises()
            #expect(broken.isEmpty, "\(state): \(broken)")
        }
    }
}
