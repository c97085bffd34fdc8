import Disk
import Model
import OutboxStore
import Simulation
import Synchronization
import SystemPackage
import Testing

/// Several processes on one outbox, one call at a time in the order of a seed, killed at random.
@Suite("Many processes")
struct InterleavingTests {
    /// Another program than the sweeper, all in one thread: claims, delivers, settles.
    private static func sweep(_ outbox: Outbox, _ host: Host) throws {
        guard let right = try outbox.becomeSweeper() else { return }
        try outbox.recover(right)
        let claimed = try outbox.claim(try outbox.scan().items(.done), right)
        var settlements: [OutboxSettlement] = []
        for item in claimed {
            let stored = try outbox.read(item)
            let isSame = host.tests.withLock { host in
                if host[item.id] == nil { host[item.id] = stored.bytes }
                return host[item.id] == stored.bytes
            }
            let receipt = Receipt(
                test: item.id, digest: stored.digest, status: isSame ? .sent : .conflict, receivedAt: ManualClock.start,
                delivery: isSame
                    ? nil
                    : .init(
                        attempts: 1, firstAttempt: ManualClock.start, lastAttempt: ManualClock.start,
                        reason: "other bytes",
                        mayHaveArrived: true))
            settlements.append(.init(move: OutboxMove(item, to: isSame ? .sent : .conflict), receipt: receipt))
        }
        try outbox.settle(settlements, right)
    }

    private final class Host: Sendable {
        let tests = Mutex<[TestID: [UInt8]]>([:])
    }

    private static func run(seed: UInt64) async throws -> [String] {
        let world = World()
        let clock = world.disk.clock
        let host = Host()
        let ready = try world.person().create(.inProgress, Person.answers("Paris"))
        world.disk.settle()
        let schedule = Interleaving(world.disk, seed: seed, killsOneIn: seed % 3 == 0 ? 0 : 150)
        for _ in 0..<2 {
            schedule.add { files in
                let person = world.person(files)
                do {
                    let id = try person.begin()
                    try person.save(id, Person.answers("Paris"))
                    try person.save(id, Person.answers("Paris", "Рим"))
                    try person.finish(id)
                    world.ledger.place(nil, [id])
                    _ = try person.create(.done, Person.answers("Осло"))
                } catch {
                    // Killed.
                }
            }
        }
        schedule.add { files in
            for _ in 0..<3 {
                do { try sweep(World.outbox(files, clock: clock), host) } catch {
                    // Killed, or a test was moved away meanwhile.
                }
            }
        }
        schedule.add { files in
            // Somebody finishes a draft with `mv`.
            _ = try? files.rename(
                OutboxLayout.testPath(ready, .inProgress), to: OutboxLayout.testPath(ready, .done), replacing: true)
        }
        schedule.run()
        world.ledger.place(nil, world.ledger.all.keys)
        // What the schedule's host has, the remote of the check has too.
        for (id, bytes) in host.tests.withLock({ $0 }) {
            _ = try await world.remote.put(id, bytes: bytes, digest: Digest(sha256Of: bytes))
        }
        var broken = await world.after(try copyOf(world.disk)).brokenPromises()
        for state in world.disk.allCrashStates(limit: 2 * effort, seed: seed) {
            broken += await world.after(state.disk).brokenPromises().map { "after a power cut, \(state): \($0)" }
        }
        return broken
    }

    /// The disk as it is, with every process gone.
    private static func copyOf(_ disk: SimulatedDisk) throws -> SimulatedDisk {
        let copy = SimulatedDisk(clock: disk.clock, capacityBytes: disk.capacityBytes)
        for file in disk.dump() {
            if file.kind == .folder {
                try copy.makeFolders(FilePath(file.path))
            } else {
                try copy.put(FilePath(file.path), file.bytes, modifiedNanoseconds: file.modifiedNanoseconds)
            }
        }
        return copy
    }

    @Test("writers, a sweeper and a hand with mv, killed at any call, lose nothing and send nothing twice")
    func schedules() async throws {
        for seed in 1...UInt64(10 * effort) {
            let broken = try await Self.run(seed: seed)
            #expect(
                broken.isEmpty,
                "replay with: swift test --filter InterleavingTests, seed \(seed): \(broken.prefix(3))")
        }
    }
}
