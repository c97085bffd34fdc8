import Disk
import Model
import Simulation
import Testing

@testable import CacheStore

@Suite("A list that is read from the index as it is written")
struct CurrentCatalogTests {
    private func lines(_ cache: Cache, having query: String? = nil) throws -> [ListedDocument]? {
        guard let catalog = try cache.catalog.currentCatalog() else { return nil }
        var lines: [ListedDocument] = []
        let isCurrent = try catalog.eachDocument(having: query) { lines.append($0) }
        #expect(isCurrent || lines.isEmpty, "nothing is handed out before it is known")
        return isCurrent ? lines : nil
    }

    /// The content of the files themselves.
    private func truth(_ cache: Cache) throws -> [ListedDocument] {
        var lines: [(key: String, line: ListedDocument)] = []
        for record in try cache.catalog.records() {
            if let line = ListedDocument(record) { lines.append((record.sortKey, line)) }
        }
        return lines.sorted { ($0.key, $0.line.id) < ($1.key, $1.line.id) }.map(\.line)
    }

    /// Lists until one is read from the index.
    private func settle(_ ground: CacheFixture, _ cache: Cache) throws {
        for _ in 0..<4 {
            ground.disk.clock.advance(by: .seconds(3))
            _ = try cache.catalog.records()
        }
    }

    @Test("matches the files, whatever was added, removed, edited, moved or used since", arguments: 0..<8 * effort)
    func agrees(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let ground = CacheFixture()
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
            case 7: _ = try cache.space.trim(toBytes: 60_000)
            default: ground.disk.clock.advance(by: .milliseconds(Int.random(in: 0...6000, using: &random)))
            }
            // Another process; the one before it has listed, or has not.
            if let listed = try lines(ground.cache(looksOfAList: 0)) {
                quick += 1
                #expect(try listed == truth(ground.cache()), "step \(step)")
            } else if Bool.random(using: &random) {
                _ = try ground.cache(looksOfAList: 0).catalog.records()
            }
        }
        #expect(quick > 0)
    }

    @Test("finds words in titles as a search does")
    func words() throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        for (id, title) in [("a", "Ёлка и лес"), ("b", "The forest"), ("c", "Елки")] {
            try cache.store(try arrival(id, questionnaire(id, title: title)))
        }
        try settle(ground, cache)
        let german = #"{"id": "d", "title": "Fragen", "language": "de", "questions": []}"#
        try cache.store(try arrival("d", Array(german.utf8)))
        try settle(ground, cache)
        #expect(
            try lines(cache, having: "frage")?.map(\.id) == ["d"] && lines(cache, having: "gefragt")?.isEmpty == true)
        for query in ["елк", "ЁЛКА ЛЕС", "forest", "nowhere", "", "e the", "fragte", "Fragen"] {
            let found = try cache.search.matches(query, in: .titles).map { $0.record.documentID }
            #expect(try lines(cache, having: query)?.map(\.id) == found, "“\(query)”")
        }
    }

    @Test("a short list has all its files looked at, whatever the folders' times say")
    func shortList() throws {
        let ground = CacheFixture()
        for id in ["a", "b"] { try ground.cache().store(try arrival(id)) }
        try settle(ground, ground.cache(looksOfAList: 0))
        #expect(try lines(ground.cache(looksOfAList: 1))?.count == 2)
        #expect(try lines(ground.cache(looksOfAList: 2)) == nil)
    }

    @Test("what was written into a file in its place is noticed by one of the next lists")
    func inPlace() throws {
        let ground = CacheFixture()
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
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        for _ in 0..<3 {
            _ = try cache.catalog.records()
            #expect(try lines(cache) == nil, "the clock stands still: another change would have the same time")
        }
        try settle(ground, cache)
        #expect(try lines(cache)?.count == 2)
        #expect(try lines(ground.cache(boot: "boot-2", looksOfAList: 0)) == nil)
        let file = try #require(ground.disk.contents("index/lines.pb"))
        for place in file.indices {
            try ground.disk.put("index/lines.pb", file)
            try ground.disk.damage("index/lines.pb") { $0[place] ^= 4 }
            #expect(try lines(cache) == nil, "byte \(place)")
        }
        for count in 0..<file.count {
            try ground.disk.put("index/lines.pb", Array(file.prefix(count)))
            #expect(try lines(cache) == nil, "\(count) bytes of it")
        }
    }

    @Test("of a catalog that is damaged nothing wrong is shown, and it is another one's lines that do not count")
    func catalogInDoubt() throws {
        let ground = CacheFixture()
        // Each list looks at the files of one of them, which the catalog knows.
        let cache = ground.cache(looksOfAList: 1)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        try settle(ground, cache)
        let expected = try #require(try lines(cache))
        let file = try #require(ground.disk.contents("index/catalog.pb"))
        for place in file.indices {
            try ground.disk.put("index/catalog.pb", file)
            try ground.disk.damage("index/catalog.pb") { $0[place] ^= 4 }
            let found = try lines(cache)
            #expect(found == nil || found == expected, "byte \(place)")
            if place < CatalogIndex.headerBytes { #expect(found == nil, "byte \(place) says which catalog it is") }
        }
        for count in 0..<file.count {
            try ground.disk.put("index/catalog.pb", Array(file.prefix(count)))
            let found = try lines(cache)
            #expect(found == nil || found == expected, "\(count) bytes of it")
        }
    }

    @Test("lines that are damaged, gone or of another catalog are made again by who looks", arguments: 0..<3)
    func linesAreMadeAgain(_ damage: Int) throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        try settle(ground, cache)
        let expected = try #require(try lines(cache))
        switch damage {
        case 0: try ground.disk.damage("index/lines.pb") { $0[$0.count - 1] ^= 1 }
        case 1: try ground.disk.remove("index/lines.pb")
        default: try ground.disk.damage("index/lines.pb") { $0[CatalogIndex.headerBytes] ^= 1 }
        }
        #expect(try lines(cache) == nil)
        _ = try cache.catalog.records()
        #expect(try lines(cache) == expected)
        #expect(try cache.catalog.faults().isEmpty)
    }

    @Test("intact lines that differ from the catalog are reported by an examination")
    func wrongLines() throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        for id in ["a", "b"] { try cache.store(try arrival(id, questionnaire(id, title: "Title \(id)"))) }
        try settle(ground, cache)
        #expect(try cache.catalog.faults().isEmpty)
        let file = try #require(ground.disk.contents("index/lines.pb"))
        func put(_ payload: [UInt8]) throws {
            try ground.disk.put("index/lines.pb", CatalogIndex.header(of: Digest(sha256Of: payload)) + payload)
        }
        var payload = Array(file.dropFirst(CatalogIndex.headerBytes))
        let title = try #require(payload.firstRange(of: Array("Title b".utf8)))
        payload[title.upperBound - 1] = UInt8(ascii: "c")
        try put(payload)
        let faults = try cache.catalog.faults()
        #expect(faults.map(\.path) == [CacheLayout.lines])
        #expect("\(faults)".contains(url("b")))
        // A place that is another record's.
        payload = Array(file.dropFirst(CatalogIndex.headerBytes))
        let lines = try #require(CatalogIndex.lines(in: payload[LinesPreamble.byteCount...]))
        #expect(lines.map { $0.document?.id } == ["a", "b"] && lines[0].recordOffset < lines[1].recordOffset)
        // Behind the key and the length of the line comes its first field, which is the place.
        payload[LinesPreamble.byteCount + 3] ^= 1
        try put(payload)
        #expect(try cache.catalog.faults().map(\.path) == [CacheLayout.lines])
        // Fewer lines than there are records.
        try put(Array(file.dropFirst(CatalogIndex.headerBytes).prefix(LinesPreamble.byteCount)))
        #expect(try cache.catalog.faults().map(\.path) == [CacheLayout.lines])
        try ground.disk.put("index/lines.pb", "garbage")
        #expect(try cache.catalog.faults().map(\.path) == [CacheLayout.lines])
    }

    @Test(
        "lines that are whole and lie about how many they are, or where their records are, do not count and are made again"
    )
    func lyingLines() throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 1)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        try settle(ground, cache)
        let file = try #require(ground.disk.contents("index/lines.pb"))
        let payload = Array(file.dropFirst(CatalogIndex.headerBytes))
        let preamble = try #require(LinesPreamble(payload))
        let lines = Array(payload.dropFirst(LinesPreamble.byteCount))
        let expected = try self.lines(cache)
        #expect(expected?.count == 2)
        let empty = [[UInt8]](repeating: [0x0A, 0x00], count: 1 << 20).flatMap { $0 }
        // The first record's place is beyond all, and the second has none.
        let far = [0x0A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01, 0x0A, 0x00]
        let lies: [(count: Int, lines: [UInt8])] = [
            (1 << 20, empty), (.max, lines), (1, lines), (2, [0x0A, 0x02, 0x08, 0x00, 0x0A, 0x02, 0x08, 0x00]),
            (2, far),
            (2, [0xFF]),
        ]
        for (count, lines) in lies {
            let head = LinesPreamble(catalog: preamble.catalog, folders: preamble.folders, recordCount: count)
            let lying = head.bytes + lines
            try ground.disk.put("index/lines.pb", CatalogIndex.header(of: Digest(sha256Of: lying)) + lying)
            #expect(try self.lines(cache) == nil, "\(count)")
            _ = try cache.catalog.records()
            #expect(try self.lines(cache) == expected, "\(count)")
        }
    }

    @Test("the index of a library with the most translations is read again, and not written for each list")
    func translated() throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        let texts =
            #"{"title": "\#(String(repeating: "\u{0436}", count: 300))", "#
            + #""description": "\#(String(repeating: "\u{0436}", count: 1000))"}"#
        let translations = (0..<20).map { #""a\#(Unicode.Scalar(UInt8(97 + $0)))": \#(texts)"# }.joined(separator: ", ")
        let ids = (0..<8).map { "d\($0)" }
        for id in ids {
            let document =
                #"{"id": "\#(id)", "title": "Title", "description": "It", "translations": {\#(translations)}, "#
                + #""questions": [{"id": "q1", "text": "Why?"}]}"#
            try cache.store(try arrival(id, Array(document.utf8)))
        }
        try settle(ground, cache)
        let catalog = try #require(try ground.disk.process().status(at: CacheLayout.catalog))
        #expect(catalog.sizeBytes > Int64(ids.count) * 24 << 10)
        for _ in 0..<3 {
            ground.disk.clock.advance(by: .seconds(3))
            let records = try ground.cache(looksOfAList: 0).catalog.records()
            #expect(Set(records.compactMap(\.documentID)) == Set(ids))
            #expect(records.allSatisfy { $0.document?.translations?.count == 20 })
            #expect(records.first?.document?.translations?["aa"]?.description.count == 200)
        }
        #expect(try ground.disk.process().status(at: CacheLayout.catalog) == catalog)
    }

    @Test("a list on which lines cannot be written is right, and does not rewrite the catalog each time")
    func unwritableLines() throws {
        let ground = CacheFixture()
        let cache = ground.cache(looksOfAList: 0)
        for id in ["a", "b"] { try cache.store(try arrival(id)) }
        try settle(ground, cache)
        try ground.disk.remove("index/lines.pb")
        try ground.disk.makeFolders("index/lines.pb")
        let catalog = try ground.disk.process().status(at: CacheLayout.catalog)
        for _ in 0..<3 {
            #expect(try cache.catalog.records().count == 2)
            #expect(try self.lines(cache) == nil)
        }
        #expect(try ground.disk.process().status(at: CacheLayout.catalog) == catalog)
    }
}
