import CacheStore
import Disk
import Model
import Simulation
import SystemPackage

enum CacheTrials {
    /// - Parameters:
    ///   - prepare: what was there before, durably, beside what is pinned.
    ///   - isNew: nothing of it is durable yet.
    ///   - act: is watched at each call: the quota holds at every moment.
    private static func cache(
        _ name: String, isDurable: Bool = false, isNew: Bool = false,
        quotaBytes: Int64 = CacheWorld.quotaBytes,
        prepare: @escaping @Sendable (CacheWorld, Cache) throws -> Void = { _, _ in },
        act: @escaping @Sendable (CacheWorld, Cache) throws -> Void
    ) -> Trial {
        Trial(.cache, name, isDurable: isDurable) { renames in
            let world = CacheWorld(renames: renames, quotaBytes: quotaBytes)
            let cache = world.cache()
            if !isNew { try world.store(cache, CacheWorld.pinned) }
            world.tick()
            try prepare(world, cache)
            _ = try cache.catalog.records()
            if !isNew { world.disk.settle() }
            world.tick()
            return Attempt(
                disk: world.disk,
                act: { files in
                    do {
                        try act(world, world.cache(world.watched(files)))
                    } catch is CacheError {
                        // No room, or edited meanwhile: a refusal.
                    }
                },
                check: { disk in
                    // The one that was run on goes on in the same boot.
                    world.after(disk).brokenPromises(isSameBoot: disk === world.disk)
                })
        }
    }

    private static func fill(_ world: CacheWorld, _ cache: Cache) throws {
        for id in ["a", "b", "c"] {
            try world.store(cache, id, noise: 3000)
            world.tick()
        }
    }

    /// An edit that was made with a text editor, in the blob's place.
    private static func editByHand(_ world: CacheWorld, _ cache: Cache) throws {
        let entry = try world.store(cache, "a")
        let bytes = CacheWorld.questionnaire("a", title: "Edited by hand")
        try world.disk.put(entry.blob.path, try Gzip.compress(bytes))
        world.shelf.mayHold(CacheWorld.url("a"), bytes)
    }

    /// Room for one video, and for a second copy of its content.
    private static let filmQuota: Int64 = 64 * 4096

    static let all: [Trial] = [
        cache("the first document") { world, cache in try world.store(cache, "a") },
        cache("a new version of a document") { world, cache in
            try world.store(cache, "a")
        } act: { world, cache in
            try world.store(cache, "a", title: "New")
        },
        cache("a document that another URL has stored") { world, cache in
            try world.store(cache, "a")
        } act: { world, cache in
            try world.store(cache, "a", at: CacheWorld.url("copy"))
        },
        cache("a document in the place of a torn one") { world, cache in
            let entry = try world.store(cache, "a")
            try world.disk.damage(entry.blob.path) { $0.removeLast(7) }
        } act: { world, cache in
            try world.store(cache, "a")
        },
        cache("a document for which others are evicted", prepare: fill) { world, cache in
            try world.store(cache, "d", noise: 6000)
        },
        cache("a document that does not fit", prepare: fill) { world, cache in
            try world.store(cache, "d", noise: 90_000)
        },
        cache("a film that comes in pieces", quotaBytes: filmQuota) { world, cache in
            try world.bring(cache, "film", pieces: 5, isLengthKnown: true)
        },
        cache("a film of unknown length, for which others are evicted", quotaBytes: filmQuota) { world, cache in
            try world.bring(cache, "film", pieces: 5, isLengthKnown: true)
        } act: { world, cache in
            try world.bring(cache, "other", pieces: 6, isLengthKnown: false)
        },
        cache("a film that goes on after a pull broke off", quotaBytes: 2 * filmQuota) { world, cache in
            try world.pull(cache, "film", upTo: 4, of: 18)
        } act: { world, cache in
            try world.pull(cache, "film", upTo: 16, of: 18)
            try world.pull(cache, "film", upTo: 18, of: 18)
        },
        cache("a 304", prepare: fill) { world, cache in
            _ = try cache.update(url: CacheWorld.url("a")) {
                $0.response.responseTime = $0.response.responseTime.adding(seconds: 60)
            }
        },
        cache("adopting an edit", isDurable: true, isNew: true) { world, cache in
            try world.store(cache, "a")
        } act: { world, cache in
            try world.adopt(cache, "a", title: "Edited")
        },
        cache("adopting an edit that another URL has stored", isDurable: true, isNew: true) { world, cache in
            try world.store(cache, "a")
            try world.store(cache, "a", title: "Edited", at: CacheWorld.url("copy"))
        } act: { world, cache in
            try world.adopt(cache, "a", title: "Edited")
        },
        cache("adopting an edit of a document with two URLs") { world, cache in
            try world.store(cache, "a")
            try world.store(cache, "a", at: CacheWorld.url("copy"))
        } act: { world, cache in
            world.shelf.mayHold(CacheWorld.url("copy"), CacheWorld.questionnaire("a", title: "Edited"))
            try world.adopt(cache, "a", title: "Edited")
        },
        cache("noticing an edit made by hand", prepare: editByHand) { world, cache in
            _ = try cache.catalog.records()
            // Seen by a person: from now on it is not to be lost.
            world.shelf.isEdited(CacheWorld.url("a"), CacheWorld.questionnaire("a", title: "Edited by hand"))
        },
        cache("opening a damaged document") { world, cache in
            let entry = try world.store(cache, "a")
            try world.disk.damage(entry.blob.path) { $0[$0.count / 2] ^= 0x40 }
        } act: { world, cache in
            if let entry = try cache.entry(url: CacheWorld.url("a")).value { _ = try cache.content(of: entry) }
        },
        cache("trim", prepare: fill) { _, cache in _ = try cache.space.trim(toBytes: 10 * 4096) },
        cache("giving way to answers", prepare: fill) { _, cache in cache.space.giveWay(bytes: 12_000) },
        cache("purge", prepare: fill) { world, cache in
            world.disk.clock.advance(by: .seconds(3600))
            _ = try cache.space.purge(.init(isStale: true))
        },
        cache("verify", prepare: fill) { world, cache in _ = try cache.survey.verify() },
        cache("removing a document", prepare: fill) { _, cache in try cache.remove(url: CacheWorld.url("b")) },
        cache("removing former versions") { world, cache in
            try world.store(cache, "a")
            try world.store(cache, "a", title: "New")
        } act: { _, cache in
            _ = try cache.space.removeUnreferencedBlobs()
        },
        cache("noting that a document was used", prepare: fill) { world, cache in
            if let entry = try cache.entry(url: CacheWorld.url("a")).value { cache.markUsed(entry) }
        },
        cache("the first list, and the first search") { world, cache in
            try fill(world, cache)
            _ = try cache.catalog.records()
            try world.disk.remove("index/catalog.pb")
        } act: { _, cache in
            _ = try cache.catalog.records()
            _ = try cache.search.matches("title")
        },
        cache("a list after some quiet, which has lines", prepare: fill) { world, cache in
            world.disk.clock.advance(by: .seconds(3))
            _ = try cache.catalog.records()
        },
        cache("lines that were removed") { world, cache in
            try fill(world, cache)
            for _ in 0..<2 {
                world.disk.clock.advance(by: .seconds(3))
                _ = try cache.catalog.records()
            }
            try world.disk.remove("index/lines.pb")
        } act: { _, cache in
            _ = try cache.catalog.records()
        },
        cache("a whole life: stored, listed, edited, searched, trimmed, purged") { world, cache in
            for id in ["a", "b", "c"] {
                try world.store(cache, id, noise: 2000)
                world.tick()
            }
            _ = try cache.catalog.records()
            try world.adopt(cache, "a", title: "Edited")
            _ = try cache.search.matches("edited")
            _ = try cache.space.trim(toBytes: 14 * 4096)
            _ = try cache.space.purge(.init(olderThanSeconds: 1))
        }.long(),
    ]
}
