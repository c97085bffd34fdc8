import Disk
import Model
import OutboxStore
import Simulation
import Synchronization
import SystemPackage

extension Workload {
    static let outbox = Workload(
        area: .outbox, name: "two writers, an editor, a sweeper and a hand with mv", seedCount: 300
    ) { seed in
        let world = OutboxWorld()
        let host = Arrivals()
        let ready = try world.person().create(.inProgress, Person.answers("Paris"))
        world.disk.settle()
        let schedule = Interleaving(world.disk, seed: seed, killsOneIn: seed % 3 == 0 ? 0 : 150)
        for _ in 0..<2 { schedule.add { files in write(world.person(files)) } }
        schedule.add { files in edit(world.person(files)) }
        schedule.add { files in
            for _ in 0..<3 {
                // Killed, or a test was moved away meanwhile.
                do { try sweep(world.outbox(files), host) } catch {}
            }
        }
        schedule.add { files in
            // A person finishes a draft with `mv`.
            let target = OutboxLayout.testPath(ready, .done)
            try? files.rename(OutboxLayout.testPath(ready, .inProgress), to: target, replacing: true)
        }
        return Crowd(
            disk: world.disk, schedule: schedule,
            finish: {
                world.ledger.place(nil, world.ledger.all.keys)
                // The check's remote has everything that the schedule's host has.
                for (id, bytes) in host.tests.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
                    _ = try? await world.remote.put(id, bytes: bytes, digest: Digest(sha256Of: bytes))
                }
                return []
            }, check: { await world.after($0).brokenPromises() })
    }

    /// Takes tests until it is killed.
    static func write(_ person: Person) {
        do {
            let id = try person.begin()
            try person.save(id, Person.answers("Paris"))
            try person.save(id, Person.answers("Paris", "Рим"))
            try person.finish(id)
            person.ledger.place(nil, [id])
            _ = try person.create(.done, Person.answers("Осло"))
        } catch {
            // Killed.
        }
    }

    /// Reopens, changes, finishes again, and discards.
    private static func edit(_ person: Person) {
        do {
            let id = try person.create(.done, Person.answers("Bern"))
            let other = try person.create(.inProgress, Person.answers("Rome"))
            let draft = try person.reopen(id)
            try person.save(draft, Person.answers("Bern", "Wien"))
            try person.discard(other)
            try person.finish(draft)
        } catch {
            // Killed, or the sweeper was quicker.
        }
    }

    /// Another program than the sweeper, all in one thread: claims, delivers, settles.
    static func sweep(_ outbox: Outbox, _ host: Arrivals) throws {
        guard let lock = try outbox.queue.acquireSweepLock() else { return }
        try outbox.queue.recover(lock)
        let claimed = try outbox.queue.claim(try outbox.scan().items(.done), lock)
        var settlements: [OutboxSettlement] = []
        for item in claimed {
            let stored = try outbox.read(item)
            let isSame = host.arrive(item.id, stored.bytes)
            let receipt = Receipt(
                test: item.id, digest: stored.digest, status: isSame ? .sent : .conflict,
                receivedAt: ManualClock.start,
                delivery: isSame
                    ? nil
                    : .init(
                        attempts: 1, firstAttempt: ManualClock.start, lastAttempt: ManualClock.start,
                        reason: "other bytes", mayHaveArrived: true))
            settlements.append(.init(move: OutboxMove(item, to: isSame ? .sent : .conflict), receipt: receipt))
        }
        try outbox.queue.settle(settlements, lock)
    }
}

/// The content of a host that answers at once.
final class Arrivals: Sendable {
    let tests = Mutex<[TestID: [UInt8]]>([:])

    /// - Returns: whether it has these very bytes now.
    func arrive(_ id: TestID, _ bytes: [UInt8]) -> Bool {
        tests.withLock { tests in
            if tests[id] == nil { tests[id] = bytes }
            return tests[id] == bytes
        }
    }
}
