import Disk
import Model
import Simulation
import Testing

@testable import CacheStore

@Suite("A list that is read from the index as it is written")
struct CurrentCatalogTests {
    private func lines(_ cache: Cache, having query: String? = nil) throws -> [ListedDocument]? {
        guard let catalog = try cache.currentCatalog() else { return nil }
        var lines: [ListedDocument] = []
        let isCurrent = try catalog.eachDocument(having: query) { lines.append($0) }
        #expect(isCurrent || lines.isEmpty, "nothing is handed out before it is known")
        return isCurrent ? lines : nil
    }

    /// What the files themselves say.
    private func truth(_ cache: Cache) throws -> [ListedDocument] {
        var lines: [(key: String, line: ListedDocument)] = []
        for record in try cache.records() where record.isDocument {
            lines.append(
                (
                    record.sortKey,
                    ListedDocument(
                        id: record.documentID ?? "", title: record.title,
                        questionCount: record.document?.questionCount ?? 0, responseTime: record.responseTime,
                        freshUntil: record.freshUntil, isEdited: record.isEdited, isGone: record.isGone,
                        isPresent: record.isPresent)
                ))
        }
        return lines.sorted { ($0.key, $0.line.id) < ($1.key, $1.line.id) }.map(\.line)
    }

    /// Lists until one is read from the index.
    private func settle(_ ground: CacheGround, _ cache: Cache) throws {
        for _ in 0..<4 {
            ground.disk.clock.advance(by: .seconds(3))
            _ = try cache.records()
        }
    }

    @Test("tells what the files tell, whatever came, went, was edited, moved or used since", arguments: 0..<8 * effort)
    func agrees(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let ground = CacheGround()
        var quick = 0
        for step in 0..<50 {
            // Without looks, so that the folders' times alone decide.
            let cache = ground.cache(looksOfAList: 0)
            let id = ["a", "b", "c", "d"][Int.random(in: 0..<4, using: &random)]
            let title = ["Ёлка", "ёлка", "Apple", "apple 2"][Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0...2: try cache.store(try arrival(id, questionnaire(id, title: title)), replacingEdit: true)
            case 3: try cache.remove(url: url(id))
            case 4:
                // Written beside and moved, as the format asks.
                if let entry = try cache.entry(url: url(id)).value {
                    try ground.disk.put(entry.blob.path, try Gzip.compress(questionnaire(id, title: "By hand")))
                }
            case 5: if let entry = try cache.entry(url: url(id)).value { try? ground.disk.remove(entry.blob.path) }
            case 6: if let entry = try cache.entry(url: url(id)).value { cache.markUsed(entry) }
            case 7: _ = try cache.trim(toBytes: 60_000)
            default: ground.disk.clock.advance(by: .milliseconds(Int.random(in: 0...6000, using: &random)))
            }
            // Another process; the one before it has listed, or has not.
            if let listed = try lines(ground.cache(looksOfAList: 0)) {
                quick += 1
                #expect(try listed == truth(ground.cache()), "step \(step)")
            } else if Bool.random(using: &random) {
                _ = try ground.cache(looksOfAList: 0).records()
            }
        }
        #expect(quick > 0)
    }

    @Test("finds words in titles as a search does")
    func words() throws {
        let ground = CacheGround()
        let cache = ground.cache(looksOfAList: 0)
        for (id, title) in [("a", "Ёлка и лес"), ("b", "The forest"), ("c", "Елки")] {
            try cache.store(try arrival(id, questionnaire(id, title: title)))
        }
        try settle(ground, cache)
        for query in ["елк", "ЁЛКА ЛЕС", "forest", "nowhere", "", "e the"] {
            let found = try cache.search(query, in: .titles).map { $0.record.documentID }
            #expect(try lines(cache, having: query)?.map(\.id) == found, "“\(query)”")
        }
    }

    @Test("a short list has all its files looked at, whatever the folders' times say")
    func shortList() throws {
        let ground = CacheGround()
        for id in ["a", "b"] { try ground.cache().store(try arrival(id)) }
        try settle(ground, ground.cache(looksOfAList: 0))
        #expect(try lines(ground.cache(looksOfAList: 1))?.count == 2)
        #expect(try lines(ground.cache(looksOfAList: 2)) == nil)
    }

    @Test("what was written into a file in its place is noticed by one of the next lists")
    func inPlace() throws {
        let ground = CacheGround()
        for id in ["a", "b", "c"] { try ground.cache().store(try arrival(id)) }
        let cache = ground.cache(looksOfAList: 1)
        try settle(ground, cache)
        #expect(try lines(cache) != nil)
        let blob = try #require(try cache.entry(url: url("b")).value).blob.path
        try ground.disk.damage(blob) { $0 += [0] }
        // Each looks at one of three: not to be noticed by two hundred of them has a chance of one in 10^35.
        #expect(try (0..<200).contains { _ in try lines(cache) == nil })
    }

    @Test("does not count after a restart of the machine, when it is damaged, and beside changes as young as it is")
    func doubts() throws {
        let ground = CacheGround()
        let cache = ground.cache(looksOfAList: 0)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        for _ in 0..<3 {
            _ = try cache.records()
            #expect(try lines(cache) == nil, "the clock stands still: another change would have the same time")
        }
        try settle(ground, cache)
        #expect(try lines(cache)?.count == 2)
        #expect(try lines(ground.cache(boot: "boot-2", looksOfAList: 0)) == nil)
        let file = try #require(ground.disk.contents("index/catalog.pb"))
        for place in file.indices {
            try ground.disk.damage("index/catalog.pb") { $0[place] ^= 4 }
            #expect(try lines(cache) == nil, "byte \(place)")
            try ground.disk.damage("index/catalog.pb") { $0 = file }
        }
        for count in 0..<file.count {
            try ground.disk.damage("index/catalog.pb") { $0 = Array(file.prefix(count)) }
            #expect(try lines(cache) == nil, "\(count) bytes of it")
        }
    }
}
