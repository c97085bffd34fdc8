import CacheStore
import Disk
import Model
import Simulation
import Synchronization
import Testing

@Suite("The index, while another process writes")
struct CatalogRaceTests {
    enum Deed: CaseIterable {
        case newVersion, newFields, edit, removal, use
    }

    /// Another process's change to the entry that a listing is about.
    private func perform(_ deed: Deed, _ ground: CacheFixture, _ cache: Cache) throws {
        ground.tick()
        switch deed {
        case .newVersion: try cache.store(try arrival("a", questionnaire("a", title: "A newer version")))
        // The same bytes under the same URL: the entry alone is another one.
        case .newFields: try cache.store(try arrival("a"), replacingEdit: true)
        case .edit:
            guard let entry = try cache.entry(url: url("a")).value else { return }
            try ground.disk.put(entry.blob.path, try Gzip.compress(questionnaire("a", title: "Edited by hand")))
        case .removal: try cache.remove(url: url("a"))
        case .use: if let entry = try cache.entry(url: url("a")).value { cache.markUsed(entry) }
        }
    }

    @Test(
        "whatever happens at a call of a listing, no record is taken for current that is not",
        arguments: Deed.allCases)
    func listing(_ deed: Deed) throws {
        var deeds = 0
        for isIndexed in [false, true] {
            // Every third call; all of them with more effort.
            for number in stride(from: isIndexed ? 1 : 2, to: 10_000, by: max(1, 3 / effort)) {
                let ground = CacheFixture(quotaBytes: 64 * 4096)
                let cache = ground.cache()
                for id in ["a", "b"] { try cache.store(try arrival(id)) }
                if isIndexed {
                    _ = try cache.catalog.records()
                    ground.tick()
                    // Something to read again.
                    try cache.store(try arrival("a", questionnaire("a", title: "A new version")))
                }
                ground.tick()
                let isDone = Mutex(false)
                ground.disk.interlude(at: ground.disk.operationCount + number) {
                    // Where the listing holds the cache's lock, the other one would wait.
                    let files = ground.disk.process()
                    guard (try? LockFile.acquire(CacheLayout.lock, in: files, wait: false))?.release() != nil else {
                        return
                    }
                    isDone.withLock { $0 = (try? perform(deed, ground, ground.cache(files))) != nil }
                }
                let before = ground.disk.playedInterludes
                _ = try ground.cache().catalog.records()
                guard ground.disk.playedInterludes > before else { break }
                guard isDone.withLock({ $0 }) else { continue }
                deeds += 1
                let faults = try ground.cache().survey.faults { _ in false }.filter {
                    if case .index = $0.kind { true } else { false }
                }
                #expect(faults.isEmpty, "\(deed) at call \(number): \(faults)")
                // The next listing shows the current state.
                let truth = try ground.cache().entry(url: url("a")).value
                let listed = try ground.cache().catalog.records().first { $0.url == url("a") }
                let content = try truth.flatMap { try ground.cache().content(of: $0).value }
                #expect(listed?.digest == content?.entry.digest, "\(deed) at call \(number)")
                #expect(listed?.document?.title == content?.entry.document?.title, "\(deed) at call \(number)")
            }
        }
        #expect(deeds > (effort < 3 ? 6 : 20))
    }
}
