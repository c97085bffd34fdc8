import Disk
import Model
import Simulation
import Synchronization
import Testing

@testable import CacheStore

@Suite("The listing that ends a pull")
struct NewRecordsTests {
    private func noted(_ id: String, title: String = "Title") throws -> Cache.Arrival {
        let bytes = questionnaire(id, title: title, noise: 20)
        var arrival = try arrival(id, bytes)
        arrival.searchText = try Questionnaire(json: bytes).foldedText
        return arrival
    }

    /// The index's record of each document, and its text.
    private func index(_ cache: Cache) throws -> [String] {
        try cache.catalog.records().map { record in
            let entry = try cache.entry(url: record.url).value
            let content = try entry.flatMap { try cache.content(of: $0).value }
            let word = content.flatMap { try? Questionnaire(json: $0.bytes).questions.first?.text }
            let isFound = try word.map { try cache.search.matches($0).contains { $0.record.url == record.url } }
            return "\(record.url) \(record.title) \(record.digest) \(record.isEdited)"
                + " \(record.isPresent) \(isFound ?? false)"
        }.sorted()
    }

    @Test("opens no document that this process stored, and finds the words in all of them")
    func opensNothing() throws {
        let ground = CacheFixture()
        let opened = Mutex<[String]>([])
        let cache = ground.cache(
            HookedFileSystem(
                ground.disk.process(),
                onOpen: { path in
                    if path.string.hasPrefix("cache/") { opened.withLock { $0.append(path.string) } }
                    return nil
                }))
        cache.catalog.beginNoting()
        for id in ["a", "b", "c"] { try cache.store(try noted(id)) }
        opened.withLock { $0 = [] }
        #expect(try cache.catalog.records().count == 3)
        #expect(opened.withLock { $0 } == [])
        cache.catalog.endNoting()
        let fresh = ground.cache()
        #expect(try fresh.survey.faults { _ in false }.isEmpty)
        let before = try index(fresh)
        #expect(before.count == 3 && before.allSatisfy { $0.hasSuffix("true true") })
        try ground.disk.remove("index/catalog.pb")
        try ground.disk.remove("index/texts.pb")
        #expect(try index(ground.cache()) == before)
    }

    @Test("matches the files, whatever others did meanwhile", arguments: 0..<6 * effort)
    func agrees(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let ground = CacheFixture(quotaBytes: 200_000)
        let (puller, other) = (ground.cache(), ground.cache())
        for _ in 0..<4 {
            if Bool.random(using: &random) { puller.catalog.beginNoting() }
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let id = ["a", "b", "c", "d", "e"][Int.random(in: 0..<5, using: &random)]
                let title = ["One", "Two", "Три"][Int.random(in: 0..<3, using: &random)]
                switch Int.random(in: 0..<14, using: &random) {
                case 0: try other.store(try arrival(id, questionnaire(id, title: title)), replacingEdit: true)
                case 1: try other.remove(url: url(id))
                case 2:
                    if let entry = try other.entry(url: url(id)).value {
                        try ground.disk.put(
                            entry.blob.path, try Gzip.compress(questionnaire(id, title: "By hand", noise: 4)))
                    }
                case 3: if let entry = try other.entry(url: url(id)).value { try? ground.disk.remove(entry.blob.path) }
                case 4: if let entry = try other.entry(url: url(id)).value { other.markUsed(entry) }
                case 5: _ = try? other.space.trim(toBytes: 60_000)
                case 6: _ = try (Bool.random(using: &random) ? puller : other).catalog.records()
                case 7: ground.disk.clock.advance(by: .milliseconds(Int.random(in: 0...6000, using: &random)))
                default: try puller.store(try noted(id, title: title), replacingEdit: true)
                }
            }
            _ = try puller.catalog.records()
            if Bool.random(using: &random) { puller.catalog.endNoting() }
            ground.tick()
            let faults = try ground.cache().survey.faults { _ in false }.filter {
                if case .index = $0.kind { true } else { false }
            }
            #expect(faults.isEmpty, "\(faults)")
            let told = try index(ground.cache())
            for file in ["catalog.pb", "lines.pb", "texts.pb"] {
                try? ground.disk.remove(CacheLayout.index.appending(file))
            }
            #expect(try index(ground.cache()) == told)
        }
    }

    @Test("a pull that was given up leaves no file of its own behind")
    func givenUp() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        cache.catalog.beginNoting()
        try cache.store(try noted("a"))
        cache.catalog.endNoting()
        #expect(ground.disk.dump().allSatisfy { !$0.path.hasSuffix(".tmp") })
        // Nothing is noted, and all is listed.
        #expect(try cache.catalog.records().map(\.documentID) == ["a"])
    }
}
