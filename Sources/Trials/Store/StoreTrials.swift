import CacheStore
import Disk
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage

enum StoreTrials {
    /// - Parameters:
    ///   - prepare: what is done with the store before, durably.
    ///   - meanwhile: an operation that was started and not finished; it is as durable as its process left it.
    private static func store(
        _ name: String, isDurable: Bool = false, moves: Bool = false, isMade: Bool = true, hasReserve: Bool = false,
        isLong: Bool = false, needless: NeedlessSyncs = .none,
        prepare: @escaping @Sendable (StoreWorld, QuireStore) async throws -> Void = { _, _ in },
        meanwhile: @escaping @Sendable (StoreWorld) throws -> Void = { _ in },
        act: @escaping @Sendable (StoreWorld, any FileSystem) async throws -> Void
    ) -> Trial {
        let trial = Trial(.store, name, isDurable: isDurable, moves: moves, needless: needless) { renames in
            let world = StoreWorld(renames: renames, hasReserve: hasReserve)
            if isMade {
                let store = try world.create()
                _ = try await store.puller(world.remote).pull()
                try await prepare(world, store)
                world.tests.ledger.place(nil, world.tests.ledger.all.keys)
            }
            world.disk.settle()
            world.disk.clock.advance(by: .seconds(60))
            try meanwhile(world)
            return Attempt(
                disk: world.disk, act: { try await act(world, $0) },
                check: { disk in
                    await world.after(disk).brokenPromises(boot: disk === world.disk ? "boot-1" : "boot-2")
                })
        }
        return isLong ? trial.long() : trial
    }

    /// The outbox's folders are made durable before a first test is, and are so already where a store was made.
    private static let foldersOfOutbox = NeedlessSyncs { path, number in
        path == "outbox" || path.isEmpty && number == 2
    }

    /// A store with something wrong of each kind.
    private static func damage(_ world: StoreWorld, _ store: QuireStore) async throws {
        let id = try await world.take(store, isFinished: true)
        guard let bytes = world.disk.contents(OutboxLayout.testPath(id, .done)) else { return }
        try world.disk.put(OutboxLayout.testPath(id, .inProgress), bytes)
        for (path, text) in OutboxWorld.planted.sorted(by: { $0.key.string < $1.key.string }) {
            world.notes.keep(Array(text.utf8))
            try world.disk.put(path, text)
        }
        try world.disk.put("outbox/tmp/t1.tmp", "half")
        if let entry = try store.documents.entry(id: "capitals", remote: world.remote) {
            try world.disk.damage(entry.blob.path) { $0.removeLast(4) }
            world.notes.keep(world.disk.contents(entry.blob.path) ?? [])
        }
    }

    /// Fills the disk completely.
    private static func fillDisk(_ world: StoreWorld) { world.disk.capacityBytes = world.disk.usedBytes }

    static let all: [Trial] = [
        // The settings come last, with the store's own folder; an outbox without a test has nothing to lose.
        store("making a store", isDurable: true, isMade: false, needless: foldersOfOutbox) { world, files in
            world.notes.mayHave(StoreWorld.settings)
            try world.create(files)
        },
        store("making a store whose maker died before", isMade: false) { _, _ in
        } meanwhile: { world in
            world.notes.mayHave(StoreWorld.settings)
            world.disk.plan(.killed, afterNext: 9)
            _ = try? world.create()
            world.disk.clearPlan()
        } act: { world, files in
            try world.create(files)
        },
        store("changing the settings", isDurable: true, needless: foldersOfOutbox) { world, files in
            try world.save(try world.open(files), quotaBytes: 99 * 4096)
        },
        store("the first mark", isDurable: true) { world, files in
            try world.mark(try world.open(files), .pin, "capitals", true)
        },
        // The folder of the marks has its name since the first one.
        store("a second mark", isDurable: true, needless: NeedlessSyncs { path, _ in path.isEmpty }) { world, store in
            try world.mark(store, .pin, "capitals", true)
        } act: { world, files in
            try world.mark(try world.open(files), .favorite, "capitals", true)
        },
        store("taking a mark away", isDurable: true) { world, store in
            try world.mark(store, .pin, "capitals", true)
        } act: { world, files in
            try world.mark(try world.open(files), .pin, "capitals", false)
        },
        store("taking a test from answers", isDurable: true, needless: foldersOfOutbox) { world, files in
            _ = try await world.take(try world.open(files), isFinished: true)
        },
        store("beginning a test") { world, files in
            _ = try await world.take(try world.open(files), isFinished: false)
        },
        store("finishing a test on a full disk: the cache gives way") { world, store in
            let id = try await world.take(store, isFinished: true)
            _ = try store.outbox.edits.reopen(id, deviceID: Person.device)
            world.tests.ledger.change(id) { $0.frozen = nil }
            fillDisk(world)
        } act: { world, files in
            let store = try world.open(files)
            guard let draft = try store.draft(ofQuestionnaire: "capitals") else { return }
            try Person(outbox: store.outbox, ledger: world.tests.ledger).finish(draft.record.id)
        },
        store("saving on a full disk: the reserve is used", hasReserve: true) { world, store in
            _ = try await world.take(store, isFinished: false)
            // The version that the draft was started with stays, whatever the quota.
            do { _ = try store.cache.space.trim(toBytes: 0) } catch CacheError.protectedContentExceedsQuota {}
            fillDisk(world)
        } act: { world, files in
            let store = try world.open(files)
            guard let draft = try store.draft(ofQuestionnaire: "capitals") else { return }
            let person = Person(outbox: store.outbox, ledger: world.tests.ledger)
            try person.save(draft.record.id, Person.answers("Rome"))
        },
        store("pulling a new version", isLong: true) { world, store in
            world.publish(StoreWorld.versions[1])
            world.disk.clock.advance(by: .seconds(3600))
        } act: { world, files in
            _ = try await world.open(files).puller(world.remote).pull()
        },
        store("listing, searching and opening") { world, files in
            let store = try world.open(files)
            _ = try store.library()
            _ = try store.search("capital")
            _ = try await store.open(id: "capitals", remote: world.remote, isOffline: true)
        },
        store("sending three tests", isLong: true) { world, store in
            for _ in 0..<3 { _ = try await world.take(store, isFinished: true) }
        } act: { world, files in
            world.tests.ledger.place(nil, world.tests.ledger.all.keys)
            _ = try await world.open(files).sweeper(world.remote).sweep()
        },
        store("doctor --repair", isLong: true, prepare: damage) { world, files in
            world.tests.ledger.place(nil, world.tests.ledger.all.keys)
            _ = try world.open(files).examine(repairing: true)
        },
    ]
}
