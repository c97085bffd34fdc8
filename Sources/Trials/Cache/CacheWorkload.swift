import CacheStore
import Disk
import Model
import Simulation
import SystemPackage

extension Workload {
    static let cache = Workload(
        area: .cache, name: "two pullers, a trimmer, an editor and a reader", seedCount: 200
    ) { seed in
        let world = CacheWorld(renames: .atomic)
        let cache = world.cache()
        try world.store(cache, CacheWorld.pinned)
        _ = try cache.catalog.records()
        world.disk.settle()
        let schedule = Interleaving(world.disk, seed: seed, killsOneIn: seed % 3 == 0 ? 0 : 200)
        for puller in 0..<2 {
            schedule.add { files in
                for number in 0..<4 {
                    // Killed, or no room, or edited here.
                    _ = try? world.store(
                        world.cache(world.watched(files)), "p\(puller)-\(number % 3)", title: "Title \(number)",
                        noise: 1500 * number)
                }
            }
        }
        schedule.add { files in
            let cache = world.cache(world.watched(files))
            for quota in [14, 10, 16] { _ = try? cache.space.trim(toBytes: Int64(quota) * 4096) }
            _ = try? cache.space.purge(.init(isStale: true))
        }
        schedule.add { files in
            let cache = world.cache(world.watched(files))
            guard (try? world.store(cache, "edited")) != nil else { return }
            try? world.adopt(cache, "edited", title: "Edited")
        }
        schedule.add { files in
            let cache = world.cache(world.watched(files))
            for _ in 0..<2 {
                _ = try? cache.catalog.records()
                _ = try? cache.search.matches("title")
                if let entry = try? cache.entry(url: CacheWorld.url(CacheWorld.pinned)).value {
                    cache.markUsed(entry)
                }
            }
        }
        return Crowd(
            disk: world.disk, schedule: schedule, finish: { world.shelf.overQuota(world.quotaBytes) },
            check: { world.after($0).brokenPromises(isSameBoot: $0 === world.disk) })
    }
}
