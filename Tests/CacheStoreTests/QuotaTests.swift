import CacheStore
import Disk
import HTTPCaching
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

@Suite("The quota")
struct QuotaTests {
    /// The greatest number of bytes that were there before any call.
    private final class Peak: Sendable {
        private let value = Mutex<Int64>(0)
        func note(_ bytes: Int64) { value.withLock { $0 = max($0, bytes) } }
        var bytes: Int64 { value.withLock { $0 } }
    }

    private func watched(_ ground: CacheFixture, _ peak: Peak) -> HookedFileSystem {
        HookedFileSystem(ground.disk.process(), beforeEach: { peak.note(ground.chargedBytes) })
    }

    /// Documents n0, n1, …, each a little later than the one before.
    private func store(_ numbers: Range<Int>, noise: Int, in cache: Cache, _ ground: CacheFixture) throws {
        for number in numbers {
            ground.tick()
            try cache.store(try arrival("n\(number)", questionnaire("n\(number)", noise: noise)))
        }
    }

    @Test("it is never exceeded, not at any call, while documents come, change, are confirmed and trimmed")
    func never() throws {
        for seed in 1...UInt64(3 * effort) {
            var generator = SeededGenerator(seed: seed)
            let ground = CacheFixture(quotaBytes: Int64.random(in: 12...25, using: &generator) * 4096)
            let peak = Peak()
            let cache = ground.cache(watched(ground, peak))
            for _ in 0..<25 {
                ground.tick()
                let id = "q\(Int.random(in: 0..<12, using: &generator))"
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: _ = try cache.update(url: url(id)) { $0.goneSince = ground.disk.clock.now }
                case 1: _ = try cache.space.trim(toBytes: Int64.random(in: 10...20, using: &generator) * 4096)
                case 2: try cache.remove(url: url(id))
                default:
                    let noise = Int.random(in: 0..<6000, using: &generator)
                    do { try cache.store(try arrival(id, questionnaire(id, noise: noise))) } catch is CacheError {}
                }
                peak.note(ground.chargedBytes)
            }
            #expect(peak.bytes <= cache.quotaBytes ?? 0, "replay with seed \(seed)")
            #expect(try cache.space.statistics().bytes == ground.chargedBytes, "replay with seed \(seed)")
        }
    }

    @Test("what is to be kept for times without network does not give way, and does when it is no longer named")
    func spared() throws {
        let ground = CacheFixture(quotaBytes: 16 * 4096)
        let cache = ground.cache()
        try cache.makeFolders()
        try cache.store(try arrival("kept", questionnaire("kept", noise: 2000)))
        cache.priority.spare(urls: [url("kept")])
        try store(0..<20, noise: 2000, in: cache, ground)
        #expect(try cache.entry(url: url("kept")).value != nil && cache.entry(url: url("n0")).value == nil)
        cache.priority.spare(urls: [])
        try store(20..<40, noise: 2000, in: cache, ground)
        #expect(try cache.entry(url: url("kept")).value == nil)
    }

    @Test("content that goes last goes after the entries, in its order, where what is named twice counts last")
    func retained() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.makeFolders()
        try store(0..<5, noise: 2000, in: cache, ground)
        let digests = try (0..<5).map { try #require(try cache.entry(url: url("n\($0)")).value).digest }
        // Neither the order in which they came nor that of their digests.
        ground.retained.value = [3, 1, 2, 0, 3].map { digests[$0] }
        var gone: [Digest] = []
        while gone.count < digests.count {
            _ = try cache.space.trim(toBytes: ground.chargedBytes - 1)
            for digest in digests where try !gone.contains(digest) && cache.content(digest: digest) == nil {
                gone.append(digest)
            }
        }
        #expect(gone == [4, 1, 2, 0, 3].map { digests[$0] })
        #expect(try cache.catalog.records().isEmpty)
    }

    @Test("a trim takes no more than it has to: not one document's worth more than was asked")
    func noMore() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.makeFolders()
        // Most are alone in the folder of their shard, which goes with them.
        try store(0..<60, noise: 100, in: cache, ground)
        let before = ground.chargedBytes
        let goal = before * 3 / 4
        let removal = try cache.space.trim(toBytes: goal)
        #expect(ground.chargedBytes <= goal)
        // An entry, its content and their folder take a block each.
        #expect(goal - ground.chargedBytes < 3 * 4096)
        #expect(removal.bytes == before - ground.chargedBytes)
        #expect(try removal.entries == 60 - cache.catalog.records().count)
        #expect(try cache.entry(url: url("n0")).value == nil && cache.entry(url: url("n59")).value != nil)
    }

    @Test("what cannot be removed keeps its content, and keeps nothing else from going")
    func unremovable() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.makeFolders()
        try store(0..<10, noise: 100, in: cache, ground)
        let stuck = CacheLayout.entryPath(url: url("n3"))
        let broken = ground.cache(
            HookedFileSystem(ground.disk.process(), onRemove: { $0 == stuck ? .ioError : nil }))
        #expect(throws: FileError.self) { try broken.space.trim(toBytes: 0) }
        #expect(try cache.catalog.records().map(\.url) == [url("n3")])
        let entry = try #require(try cache.entry(url: url("n3")).value)
        #expect(try cache.content(of: entry).value != nil)
    }

    @Test("content that no list has reported yet is not counted as missing")
    func notMissing() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.makeFolders()
        for number in 0..<3 { try cache.store(try arrival("q\(number)")) }
        #expect(try cache.space.statistics().missing == 0)
        let entry = try #require(try cache.entry(url: url("q1")).value)
        try ground.disk.remove(entry.blob.path)
        #expect(try cache.space.statistics().missing == 1)
    }

    @Test("it holds while several processes fill the cache and are killed at any call")
    func processes() throws {
        for seed in 1...UInt64(6 * effort) {
            let ground = CacheFixture(quotaBytes: 16 * 4096)
            try ground.cache().makeFolders()
            let peak = Peak()
            let schedule = Interleaving(ground.disk, seed: seed, killsOneIn: 120)
            for writer in 0..<3 {
                schedule.add { files in
                    let cache = ground.cache(
                        HookedFileSystem(files, beforeEach: { peak.note(ground.chargedBytes) }))
                    for number in 0..<4 {
                        // Killed, or no room.
                        _ = try? cache.store(try arrival("w\(writer)-\(number)"))
                    }
                }
            }
            schedule.run()
            peak.note(ground.chargedBytes)
            #expect(peak.bytes <= 16 * 4096, "replay with seed \(seed)")
            // After the dead the next one finds its way.
            try ground.cache().store(try arrival("last"))
            #expect(ground.chargedBytes <= 16 * 4096)
            #expect(try ground.cache().space.trim(toBytes: 16 * 4096).entries >= 0)
            #expect(try ground.cache().space.briefStatistics().bytes == ground.chargedBytes, "replay with seed \(seed)")
        }
    }

    @Test("the least recently used goes first, unreferenced content before it, protected content never")
    func order() throws {
        let ground = CacheFixture(quotaBytes: 64 * 4096)
        let cache = ground.cache()
        for id in ["a", "b", "c", "d"] {
            ground.tick()
            try cache.store(try arrival(id, questionnaire(id, noise: 3000)))
        }
        // The former version of "d" is an orphan; "a" was used last; "b" is pinned.
        ground.tick()
        let orphan = try #require(try cache.entry(url: url("d")).value)
        try cache.store(try arrival("d", questionnaire("d", title: "New", noise: 3000)))
        ground.tick()
        cache.markUsed(try #require(try cache.entry(url: url("a")).value))
        ground.protected.value = Protection(documentIDs: ["b"])
        let full = ground.chargedBytes
        _ = try cache.space.trim(toBytes: full - 1)
        #expect(ground.disk.contents(orphan.blob.path) == nil)
        #expect(try cache.catalog.records().count == 4)
        _ = try cache.space.trim(toBytes: ground.chargedBytes - 1)
        #expect(Set(try cache.catalog.records().map(\.url)) == Set(["a", "b", "d"].map(url)))
        #expect(throws: CacheError.self) { try cache.space.trim(toBytes: 1) }
        #expect(try cache.catalog.records().map(\.url) == [url("b")])
        #expect(try cache.bytes(url("b")) == questionnaire("b", noise: 3000))
    }

    @Test("content of unknown length takes what is free, and of others' place at most a quarter of the quota")
    func unknownLength() throws {
        let quota: Int64 = 100 * 4096
        let ground = CacheFixture(quotaBytes: quota)
        let cache = ground.cache()
        try cache.store(try arrival("a"))
        for number in 0..<4 {
            ground.tick()
            let url = "http://origin.example/\(number)"
            let arriving = try #require(cache.responses.begin(url: url, expectedBytes: 20 * 4096))
            #expect(arriving.append([UInt8](repeating: UInt8(number), count: 20 * 4096)))
            try cache.responses.finish(arriving, mediaType: "video/mp4") { responses, blob, length in
                let response = StoredResponse(
                    status: 200, fields: [:], requestTime: ground.disk.clock.now, responseTime: ground.disk.clock.now)
                responses = [
                    CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: response)
                ]
            }
        }
        let before = try cache.space.statistics()
        #expect(before.entries == 5)
        let endless = try #require(
            cache.responses.begin(url: "http://origin.example/endless", expectedBytes: nil, eviction: .onlyResponses))
        while endless.append([UInt8](repeating: 9, count: 4096)) {}
        #expect(endless.count >= quota / 4)
        #expect(ground.chargedBytes <= quota)
        endless.abandon()
        let after = try cache.space.statistics()
        #expect(after.documents == 1)
        // A tenth of the quota more goes than is needed, and the last one whole.
        #expect(after.entries >= before.entries - 2)
    }

    @Test("a document that does not fit is refused, and nothing is evicted for it")
    func tooLarge() throws {
        let ground = CacheFixture(quotaBytes: 16 * 4096)
        let cache = ground.cache()
        try cache.store(try arrival("a"))
        try cache.store(try arrival("b", questionnaire("b", noise: 9000)))
        #expect(throws: CacheError.self) { try cache.store(try arrival("c", questionnaire("c", noise: 60_000))) }
        // It would fit if "b" were not pinned.
        ground.protected.value = Protection(documentIDs: ["b"])
        #expect(throws: CacheError.self) { try cache.store(try arrival("d", questionnaire("d", noise: 26_000))) }
        #expect(try cache.bytes(url("a")) != nil)
        #expect(try cache.bytes(url("b")) != nil)
    }

    @Test("a ledger that is torn, of another boot, or of impossible size is recounted")
    func ledger() throws {
        let ground = CacheFixture(quotaBytes: 64 * 4096)
        try ground.cache().store(try arrival("a"))
        for text in [
            "", "{", #"{"bootId": "boot-1", "usedBytes": -1}"#,
            #"{"bootId": "boot-1", "usedBytes": 9223372036854775807}"#,
            #"{"bootId": "boot-0", "usedBytes": 12}"#, #"{"bootId": "boot-1", "usedBytes": 1e400}"#,
        ] {
            try ground.disk.put("cache/ledger.json", text)
            #expect(try ground.cache().space.briefStatistics().bytes == ground.chargedBytes, "\(text)")
            try ground.cache().store(try arrival("b"))
            #expect(try ground.cache().space.briefStatistics().bytes == ground.chargedBytes, "\(text)")
        }
    }
    @Test("what was copied into the cache by hand counts before anything else comes", arguments: [true, false])
    func copiedByHand(isSameProcess: Bool) throws {
        let other = CacheFixture()
        let theirs = other.cache()
        for number in 0..<4 { try theirs.store(try arrival("t\(number)", questionnaire("t\(number)", noise: 3000))) }
        let copied = other.disk.dump().filter { $0.kind == .regular }
        // Entries and content, and content alone: what an `rsync` leaves that was broken off.
        for folders in [["cache/blobs", "cache/entries"], ["cache/blobs"]] where folders.count > 1 || !isSameProcess {
            let ground = CacheFixture(quotaBytes: 20 * 4096)
            let first = ground.cache()
            try first.store(try arrival("a"))
            ground.tick()
            for file in copied where folders.contains(where: { file.path.hasPrefix($0) }) {
                try ground.disk.put(FilePath(file.path), file.bytes)
            }
            let before = ground.chargedBytes
            let peak = Peak()
            let next = isSameProcess ? first : ground.cache(watched(ground, peak))
            for number in 0..<6 {
                // No room, or room that the copies gave up.
                do {
                    try next.store(try arrival("n\(number)", questionnaire("n\(number)", noise: 3000)))
                } catch is CacheError {}
                peak.note(ground.chargedBytes)
            }
            #expect(before <= 20 * 4096 && peak.bytes <= 20 * 4096, "\(folders)")
            #expect(try next.space.briefStatistics().bytes == ground.chargedBytes, "\(folders)")
        }
    }

    @Test("a number that was written into the ledger by hand is not believed", arguments: ["0", "1", "-1", "99999999"])
    func numberByHand(number: String) throws {
        let ground = CacheFixture(quotaBytes: 64 * 4096)
        try ground.cache().store(try arrival("a"))
        let written = try #require(
            ground.disk.contents("cache/ledger.json").map { String(decoding: $0, as: UTF8.self) })
        let digits = try #require(written.wholeMatch(of: /.*"usedBytes":(\d+)}\n/)).1
        try ground.disk.put(
            "cache/ledger.json", written.replacing("\"usedBytes\":" + digits, with: "\"usedBytes\":" + number))
        let isTooLow = (Int64(number) ?? 0) < ground.chargedBytes
        #expect(try ground.cache().survey.faults { _ in false }.isEmpty != isTooLow)
        #expect(try ground.cache().space.briefStatistics().bytes == ground.chargedBytes)
        try ground.cache().store(try arrival("b"))
        #expect(try ground.cache().space.briefStatistics().bytes == ground.chargedBytes)
        #expect(try ground.cache().survey.faults { _ in false } == [])
    }
}
