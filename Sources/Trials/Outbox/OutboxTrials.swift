import Disk
import Model
import OutboxStore
import Simulation
import Sync
import SystemPackage

extension Trial {
    /// - Parameters:
    ///   - prepare: the durable state before; its ids are passed on.
    ///   - meanwhile: an operation that was started and not finished; it is as durable as its process left it.
    ///   - act: the process that is broken off: everything it does is on this file system.
    static func outbox(
        _ name: String, isDurable: Bool = true, moves: Bool = false,
        needless: NeedlessSyncs = .none,
        prepare: @escaping @Sendable (OutboxWorld) async throws -> [TestID] = { _ in [] },
        meanwhile: @escaping @Sendable (OutboxWorld, [TestID]) throws -> Void = { _, _ in },
        act: @escaping @Sendable (OutboxWorld, any FileSystem, [TestID]) async throws -> Void
    ) -> Trial {
        Trial(.outbox, name, isDurable: isDurable, moves: moves, needless: needless) { renames in
            let world = OutboxWorld(renames: renames)
            let ids = try await prepare(world)
            world.ledger.place(nil, ids)
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            try meanwhile(world, ids)
            return Attempt(
                disk: world.disk, act: { try await act(world, $0, ids) },
                again: { files in
                    do {
                        try await act(world, files, ids)
                    } catch OutboxError.frozen, OutboxError.notFound, OutboxError.illegalMove {
                        // The first attempt had done it before it failed, and its repeat says so.
                    }
                },
                check: { await world.after($0).brokenPromises() })
        }
    }
}

private let first = Person.answers("Paris")
private let second = Person.answers("Paris", "Рим")

package enum OutboxTrials {
    static let all: [Trial] = edits + imports + sweeps + lost + stories.map { $0.long() }

    /// A sweep's step on its own: everything in `done` is claimed and sent, then settled as `decide` says.
    private static func settling(
        _ name: String, _ to: TestStatus, of count: Int = 1, stores: Bool,
        _ receipt: @escaping @Sendable (StoredTest) -> Receipt
    ) -> Trial {
        .outbox(name, moves: true) { world in
            try (0..<count).map { _ in try world.person().create(.done, second) }
        } act: { world, files, ids in
            let outbox = world.outbox(files)
            guard let lock = try outbox.queue.acquireSweepLock() else { return }
            world.ledger.place(nil, ids)
            let claimed = try outbox.queue.claim(try outbox.scan().items(.done), lock)
            world.ledger.place(.sending, claimed.map(\.id))
            var settlements: [OutboxSettlement] = []
            for item in claimed {
                let stored = try outbox.read(item)
                if stores { _ = try await world.remote.put(item.id, bytes: stored.bytes, digest: stored.digest) }
                settlements.append(
                    .init(
                        move: OutboxMove(item, to: to), receipt: receipt(stored),
                        notBefore: to == .done ? world.disk.clock.now.adding(seconds: 30) : nil))
            }
            world.ledger.place(nil, ids)
            try outbox.queue.settle(settlements, lock)
            world.ledger.place(to, claimed.map(\.id))
        }
    }

    private static func failure(_ stored: StoredTest, mayHaveArrived: Bool) -> Receipt {
        Receipt(
            test: stored.record.id,
            delivery: .init(
                attempts: 1, firstAttempt: ManualClock.start, lastAttempt: ManualClock.start, reason: "no luck",
                mayHaveArrived: mayHaveArrived))
    }

    /// A test that was sent and came back to `done`, or went to `rejected`.
    private static func tried(_ world: OutboxWorld, _ status: TestStatus) async throws -> [TestID] {
        let id = try world.person().create(.done, first)
        world.remote.respond { request in
            guard request.isPut else { return nil }
            return status == .rejected ? .status(422, detail: "not a test") : .cutBeforeStoring
        }
        try await world.sweep()
        world.remote.respond { _ in nil }
        return [id]
    }

    /// A copy of a test in another folder too.
    private static func copied(
        _ world: OutboxWorld, from: TestStatus, to: TestStatus, changing: Bool
    ) throws -> [TestID] {
        let id = try world.person().create(from, first)
        guard var bytes = world.disk.contents(OutboxLayout.testPath(id, from)) else { return [] }
        if changing { bytes.append(0x20) }
        try world.disk.put(OutboxLayout.testPath(id, to), bytes)
        return [id]
    }

    /// The result of a recovery persists.
    private static func recovering(
        _ name: String, to place: TestStatus, isDurable: Bool = true, moves: Bool = false,
        needless: NeedlessSyncs = .none,
        _ prepare: @escaping @Sendable (OutboxWorld) async throws -> [TestID],
        meanwhile: @escaping @Sendable (OutboxWorld, [TestID]) throws -> Void = { _, _ in }
    ) -> Trial {
        .outbox(
            name, isDurable: isDurable, moves: moves, needless: needless, prepare: prepare, meanwhile: meanwhile
        ) { world, files, ids in
            let outbox = world.outbox(files)
            guard let lock = try outbox.queue.acquireSweepLock() else { return }
            let found = try outbox.scan()
            let isInOrder =
                found.duplicates.isEmpty && ids.allSatisfy { found.items.contains(OutboxItem(id: $0, status: place)) }
            try outbox.queue.recover(lock)
            // Where an earlier attempt had failed at its last sync, there was nothing to do, and nothing was promised.
            if !isInOrder { world.ledger.place(place, ids) }
        }
    }

    private static func sweeping(
        _ name: String, rounds: Int = 1, arriving: TestStatus = .sent,
        _ fault: @escaping @Sendable (RemoteRequest) -> RemoteFault? = { _ in nil }
    ) -> Trial {
        .outbox(name, moves: true) { world, files, _ in
            world.remote.setStatusOnArrival(arriving)
            world.remote.respond(fault)
            let person = world.person(files)
            let id = try person.begin()
            try person.save(id, first)
            try person.save(id, second)
            try person.finish(id)
            world.ledger.place(nil, [id])
            for _ in 0..<rounds {
                _ = try await world.sweeper(files).sweep()
                world.disk.clock.advance(by: .seconds(7200))
                world.remote.respond { _ in nil }
                if world.remote.tests[id] != nil {
                    world.remote.advance(id, to: .rated, evaluation: Evaluation(score: 1, maximum: 2))
                }
            }
        }
    }

    /// A process reopens a test, and is killed between the rename and a flush.
    private static func killedReopening(_ world: OutboxWorld, _ ids: [TestID], at folder: FilePath) {
        let files = world.disk.process()
        let hooked = HookedFileSystem(
            files,
            onSyncFolder: { base, path in
                if path == folder { files.kill() }
                try base.syncFolder(path)
            })
        do { _ = try world.person(hooked).reopen(ids[0]) } catch {
            // Killed.
        }
    }

    /// Which of the folders the dead one has changed is not known: all are synced first, and one of them had to be.
    private static func othersThan(_ folder: FilePath) -> NeedlessSyncs {
        NeedlessSyncs { path, number in
            path == "quarantine" || path.isEmpty || number <= TestStatus.allCases.count && path != folder.string
        }
    }

    /// Continues from the state seen after that; then the power fails.
    private static func saving(_ call: String, isFinished: Bool, killedAt folder: FilePath) -> Trial {
        let what = isFinished ? "changing and finishing" : "changing"
        return .outbox(
            "\(what) a test after a kill during its reopening, at \(call)", moves: isFinished,
            needless: othersThan(folder)
        ) { world in
            [try world.person().create(.done, first)]
        } meanwhile: { world, ids in
            killedReopening(world, ids, at: folder)
        } act: { world, files, ids in
            let person = world.person(files)
            try person.save(ids[0], second)
            if isFinished { try person.finish(ids[0]) }
        }
    }

    private static let edits: [Trial] = [
        .outbox("the first test on a new device, finished at once") { world, files, _ in
            _ = try world.person(files).create(.done, first)
        },
        .outbox("beginning a test") { world in
            [try world.person().create(.inProgress, first)]
        } act: { world, files, _ in
            _ = try world.person(files).begin()
        },
        .outbox("making a draft with answers") { world in
            [try world.person().begin()]
        } act: { world, files, _ in
            _ = try world.person(files).create(.inProgress, first)
        },
        .outbox("making three tests together") { world, files, _ in
            try world.person(files).create(.done, each: [first, second, first])
        },
        .outbox("the first save", moves: true) { world in
            [try world.person().begin()]
        } act: { world, files, ids in
            try world.person(files).save(ids[0], first)
        },
        .outbox("three saves") { world in
            [try world.person().create(.inProgress, first)]
        } act: { world, files, ids in
            for answers in [second, first, second] { try world.person(files).save(ids[0], answers) }
        },
        .outbox("finishing a draft", moves: true) { world in
            [try world.person().create(.inProgress, first)]
        } act: { world, files, ids in
            try world.person(files).finish(ids[0])
        },
        .outbox("finishing a test without answers", moves: true) { world in
            [try world.person().begin()]
        } act: { world, files, ids in
            try world.person(files).finish(ids[0])
        },
        .outbox("reopening a test that was never sent, and changing it", moves: true) { world in
            [try world.person().create(.done, first)]
        } act: { world, files, ids in
            let id = try world.person(files).reopen(ids[0])
            try world.person(files).save(id, second)
            try world.person(files).finish(id)
        },
        .outbox("reopening a test that may have arrived") { world in
            try await tried(world, .done)
        } act: { world, files, ids in
            let id = try world.person(files).reopen(ids[0])
            try world.person(files).save(id, second)
        },
        .outbox("reopening a refused test") { world in
            try await tried(world, .rejected)
        } act: { world, files, ids in
            _ = try world.person(files).reopen(ids[0])
        },
        // The receipt in `rejected` explains it as long as the one in `done` does not.
        .outbox(
            "retrying a refused test", moves: true, needless: NeedlessSyncs { $0 == "outbox/done" && $1 == 1 }
        ) { world in
            try await tried(world, .rejected)
        } act: { world, files, ids in
            try world.outbox(files).edits.retry(ids[0])
        },
        // Which folder the killed process changed is unknown: all are synced, and two had to be.
        .outbox(
            "finishing a draft again, after a move that was not synced",
            needless: NeedlessSyncs { path, _ in path != "outbox/done" && path != "outbox/in-progress" }
        ) { world in
            [try world.person().create(.inProgress, first)]
        } meanwhile: { world, ids in
            // Killed between the rename and its syncs.
            let files = world.disk.process()
            let hooked = HookedFileSystem(
                files,
                onSyncFolder: { base, path in
                    if path.string == "outbox/done" { files.kill() }
                    try base.syncFolder(path)
                })
            do { try world.person(hooked).finish(ids[0]) } catch {
                // Killed.
            }
        } act: { world, files, ids in
            try world.person(files).finish(ids[0])
        },
        .outbox(
            "reopening again, after a move that was not synced",
            needless: NeedlessSyncs { path, _ in path != "outbox/done" && path != "outbox/in-progress" }
        ) { world in
            [try world.person().create(.done, first)]
        } meanwhile: { world, ids in
            killedReopening(world, ids, at: "outbox/in-progress")
        } act: { world, files, ids in
            let id = try world.person(files).reopen(ids[0])
            world.ledger.place(.inProgress, [id])
        },
        saving("the sync of its new folder", isFinished: false, killedAt: "outbox/in-progress"),
        saving("the sync of its new folder", isFinished: true, killedAt: "outbox/in-progress"),
        saving("the sync of its former folder", isFinished: true, killedAt: "outbox/done"),
        .outbox("discarding a draft") { world in
            [try world.person().create(.inProgress, first)]
        } act: { world, files, ids in
            try world.person(files).discard(ids[0])
        },
        // The name of the quarantine is made durable for the test; its receipt comes after it.
        .outbox("discarding a refused test", needless: NeedlessSyncs { path, number in path.isEmpty && number > 1 }) {
            world in
            try await tried(world, .rejected)
        } act: { world, files, ids in
            try world.person(files).discard(ids[0])
        },
    ]

    private static let sweeps: [Trial] = [
        settling("claiming, and settling as sent", .sent, stores: true) { stored in
            Receipt(test: stored.record.id, digest: stored.digest, status: .sent, receivedAt: ManualClock.start)
        },
        settling("claiming two, and settling them together", .sent, of: 2, stores: true) { stored in
            Receipt(test: stored.record.id, digest: stored.digest, status: .sent, receivedAt: ManualClock.start)
        },
        settling("claiming, and settling for a later attempt", .done, stores: true) {
            failure($0, mayHaveArrived: true)
        },
        settling("claiming, and settling as rejected", .rejected, stores: false) { failure($0, mayHaveArrived: true) },
        settling("claiming, and settling as a conflict", .conflict, stores: false) {
            failure($0, mayHaveArrived: true)
        },
        recovering("recovering what lies in sending", to: .done, moves: true) { world in
            let id = try world.person().create(.done, first)
            guard let lock = try world.outbox().queue.acquireSweepLock() else { return [] }
            _ = try world.outbox().queue.claim([OutboxItem(id: id, status: .done)], lock)
            // It had arrived, and the reply was lost.
            let stored = try world.outbox().read(OutboxItem(id: id, status: .sending))
            _ = try await world.remote.put(id, bytes: stored.bytes, digest: stored.digest)
            return [id]
        },
        // A sweep's flush of the folder that a test has left must not lose the test.
        .outbox(
            "claiming a test after a kill during the reopening of another", moves: true,
            needless: othersThan("outbox/in-progress")
        ) { world in
            [try world.person().create(.done, first), try world.person().create(.done, second)]
        } meanwhile: { world, ids in
            killedReopening(world, ids, at: "outbox/in-progress")
        } act: { world, files, ids in
            let outbox = world.outbox(files)
            guard let lock = try outbox.queue.acquireSweepLock() else { return }
            let claimed = try outbox.queue.claim([OutboxItem(id: ids[1], status: .done)], lock)
            world.ledger.place(.sending, claimed.map(\.id))
        },
        .outbox("asking what became of a test, which was rated", moves: true) { world in
            let id = try world.person().create(.done, first)
            try await world.sweep()
            world.remote.advance(id, to: .rated, evaluation: Evaluation(score: 1, maximum: 2))
            return [id]
        } act: { world, files, ids in
            world.ledger.place(nil, ids)
            let report = try await world.sweeper(files).sweep()
            if !report.rated.isEmpty { world.ledger.place(.rated, ids) }
        },
        // The copy in `sending` goes back to `done` in the same recovery, which syncs both folders again.
        recovering("recovering a copy in two folders", to: .done, isDurable: false) {
            try copied($0, from: .done, to: .sending, changing: false)
        },
        recovering("recovering a copy of what was sent", to: .sent, isDurable: false) { world in
            let id = try world.person().create(.done, first)
            try await world.sweep()
            guard let bytes = world.disk.contents(OutboxLayout.testPath(id, .sent)) else { return [] }
            try world.disk.put(OutboxLayout.testPath(id, .done), bytes)
            return [id]
        },
        recovering(
            "recovering a draft that a person finishes with cp and rm", to: .done,
            needless: NeedlessSyncs { path, _ in path.hasSuffix(".test.json") }
        ) { world in
            [try world.person().create(.inProgress, first)]
        } meanwhile: { world, ids in
            // The copy's name is not durable; a copy whose bytes are not would be half a file before anybody comes.
            let files = world.disk.process()
            let bytes = try files.readFile(OutboxLayout.testPath(ids[0], .inProgress), maximumBytes: 1 << 20).bytes
            try files.stage(
                bytes, to: OutboxLayout.testPath(ids[0], .done), temporaryFolder: OutboxLayout.root)
        },
    ]

    private static let stories: [Trial] = [
        sweeping("take, finish, sweep"),
        sweeping("take, finish, sweep with the reply lost, sweep", rounds: 2) { $0.isPut ? .cutAfterStoring : nil },
        sweeping("take, finish, sweep to a busy host, sweep", rounds: 2) { $0.isPut ? .status(503) : nil },
        sweeping("take, finish, sweep, ask, rated", rounds: 2),
        sweeping("take, finish, sweep, rated at once", arriving: .rated),
    ]
}
