import Disk
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage

extension Workload {
    static let store = Workload(
        area: .store, name: "two takers, a puller, a sweeper and doctor --repair on a disk that is nearly full",
        seedCount: 100
    ) { seed in
        let world = StoreWorld(renames: .atomic, hasReserve: seed % 2 == 0)
        let host = Arrivals()
        let made = try world.create()
        _ = try await made.puller(world.remote).pull()
        world.disk.settle()
        world.disk.capacityBytes = world.disk.usedBytes + Int64(seed % 40) * 4096
        let schedule = Interleaving(world.disk, seed: seed, killsOneIn: seed % 3 == 0 ? 0 : 300)
        for taker in 0..<2 {
            schedule.add { files in
                guard let store = try? world.open(files) else { return }
                let outbox = world.tests.outbox(files, giveWay: { store.cache.space.giveWay(bytes: 1 << 20) })
                write(Person(outbox: outbox, ledger: world.tests.ledger))
                try? world.mark(store, .pin, "taker \(taker)", true)
            }
        }
        schedule.add { files in
            guard let store = try? world.open(files) else { return }
            let library = CacheWorld(disk: world.disk, shelf: CacheShelf())
            for number in 0..<4 {
                // No room, on the disk or in the quota.
                _ = try? library.store(store.cache, "pulled-\(number)", noise: 2000)
            }
        }
        schedule.add { files in
            guard let store = try? world.open(files) else { return }
            // Killed, or no room, or a test was moved away meanwhile.
            for _ in 0..<2 { try? sweep(store.outbox, host) }
        }
        schedule.add { files in
            guard let store = try? world.open(files) else { return }
            _ = try? store.examine(repairing: true)
            _ = try? store.library()
        }
        return Crowd(
            disk: world.disk, schedule: schedule,
            finish: {
                world.tests.ledger.place(nil, world.tests.ledger.all.keys)
                for (id, bytes) in host.tests.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
                    _ = try? await world.remote.put(id, bytes: bytes, digest: Digest(sha256Of: bytes))
                }
                return []
            },
            check: { disk in
                await world.after(disk).brokenPromises(boot: disk === world.disk ? "boot-1" : "boot-2")
            })
    }
}
