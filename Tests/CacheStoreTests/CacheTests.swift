import CacheStore
import Disk
import HTTPCaching
import Model
import Simulation
import SystemPackage
import Testing

@Suite("The cache")
struct CacheTests {
    @Test("a power cut at any call of a store leaves the right bytes or a miss")
    func powerCut() throws {
        for number in 1... {
            let ground = CacheFixture(quotaBytes: 64 * 4096)
            try ground.cache().store(try arrival("a"))
            ground.disk.settle()
            ground.disk.plan(.powerCut, afterNext: number)
            let new = questionnaire("a", title: "New")
            let files = ground.disk.process()
            _ = try? ground.cache(files).store(try arrival("a", new))
            for state in ground.disk.allCrashStates(limit: 10 * effort, seed: UInt64(number)) {
                let after = ground.after(state.disk)
                let cache = after.cache(boot: "boot-2")
                let found = try cache.bytes(url("a"))
                #expect(found == nil || found == questionnaire("a") || found == new, "\(number), \(state)")
                try cache.store(try arrival("a", new))
                #expect(try cache.bytes(url("a")) == new, "\(number), \(state)")
                #expect(try cache.space.briefStatistics().bytes == after.chargedBytes, "\(number), \(state)")
            }
            if ground.disk.firedFaults.isEmpty { return }
        }
    }

    @Test("two URLs with equal bytes share one blob, which stays as long as one of them does")
    func shared() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.store(try arrival("a", at: url("a")))
        try cache.store(try arrival("a", at: url("copy")))
        #expect(ground.disk.filePaths.count { $0.hasPrefix("cache/blobs/") } == 1)
        try cache.remove(url: url("a"))
        #expect(try cache.bytes(url("copy")) == questionnaire("a"))
        try cache.remove(url: url("copy"))
        #expect(ground.disk.filePaths.count { $0.hasPrefix("cache/blobs/") } == 0)
    }

    @Test(
        "an edit made by hand is adopted for every URL that shares the blob, and no store overwrites it without a word")
    func edit() throws {
        let ground = CacheFixture(quotaBytes: 64 * 4096)
        let cache = ground.cache()
        let entry = try cache.store(try arrival("a", at: url("a")))
        try cache.store(try arrival("a", at: url("copy")))
        let edited = questionnaire("a", title: "Edited")
        try ground.disk.put(entry.blob.path, try Gzip.compress(edited))
        #expect(try cache.bytes(url("copy")) == edited)
        for address in [url("a"), url("copy")] {
            let adopted = try #require(try cache.entry(url: address).value)
            #expect(adopted.digest == Digest(sha256Of: edited))
            #expect(adopted.edited?.from == entry.digest)
            #expect(adopted.document?.title == "Edited")
            #expect(try cache.bytes(address) == edited)
        }
        #expect(ground.disk.contents(entry.blob.path) == nil)
        #expect(throws: CacheError.editedHere(url("a"))) { try cache.store(try arrival("a", at: url("a"))) }
        try cache.store(try arrival("a", at: url("a")), replacingEdit: true)
        #expect(try cache.bytes(url("a")) == questionnaire("a"))
        #expect(try cache.bytes(url("copy")) == edited)
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
    }

    @Test("damage is a miss with a reason, lies in quarantine, and the next store repairs it")
    func damage() throws {
        let changes: [(inout [UInt8]) -> Void] = [
            { $0 = [] }, { $0.removeLast(3) }, { $0[$0.count / 2] ^= 0x40 }, { $0 = Array("plain".utf8) },
            { $0.append(contentsOf: Array("tail".utf8)) },
        ]
        for change in changes {
            let ground = CacheFixture()
            let entry = try ground.cache().store(try arrival("a"))
            try ground.disk.damage(entry.blob.path) { change(&$0) }
            guard case .miss = try ground.cache().content(of: entry) else {
                Issue.record("damaged content was used")
                continue
            }
            #expect(ground.disk.filePaths.contains { $0.hasPrefix("quarantine/") && $0.hasSuffix(".json.gz") })
            #expect(ground.disk.filePaths.contains { $0.hasPrefix("quarantine/") && $0.hasSuffix(".reason.txt") })
            try ground.cache().store(try arrival("a"))
            #expect(try ground.cache().bytes(url("a")) == questionnaire("a"))
        }
    }

    @Test("former versions go on demand, those that a draft refers to stay")
    func unreferenced() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        let first = try cache.store(try arrival("a", questionnaire("a", title: "1")))
        let second = try cache.store(try arrival("a", questionnaire("a", title: "2")))
        try cache.store(try arrival("a", questionnaire("a", title: "3")))
        ground.protected.value = Protection(digests: [first.digest])
        _ = try cache.space.removeUnreferencedBlobs()
        #expect(ground.disk.contents(first.blob.path) != nil)
        #expect(ground.disk.contents(second.blob.path) == nil)
        #expect(try cache.content(digest: first.digest) == questionnaire("a", title: "1"))
    }

    @Test("a version that a test was started with stays when it is edited, unless that was done to its own file")
    func editedBesideDraft() throws {
        for isInPlace in [false, true] {
            let ground = CacheFixture()
            let cache = ground.cache()
            let entry = try cache.store(try arrival("a"))
            ground.protected.value = Protection(digests: [entry.digest])
            let edited = questionnaire("a", title: "Edited")
            if isInPlace { try ground.disk.put(entry.blob.path, try Gzip.compress(edited)) }
            let summary = DocumentSummary(try Questionnaire(json: edited), media: [])
            let adopted = try cache.adopt(edited, editOf: entry, summary: summary)
            #expect(try cache.content(digest: entry.digest) == (isInPlace ? nil : questionnaire("a")))
            #expect(try cache.content(digest: adopted.digest) == edited)
            #expect(try cache.survey.faults { _ in false }.isEmpty)
        }
    }

    @Test("a document whose file is longer than any goes to quarantine, and the next pull fetches it again")
    func tooLong() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        let entry = try cache.store(try arrival("a"))
        let long = [UInt8](repeating: 7, count: Questionnaire.maximumBytes + (1 << 20))
        try ground.disk.put(entry.blob.path, long)
        #expect(try ground.cache().content(of: entry).value == nil)
        #expect(ground.disk.contents(entry.blob.path) == nil)
        #expect(ground.disk.filePaths.contains { $0.hasPrefix("quarantine/") && $0.hasSuffix(".json.gz") })
        try ground.cache().store(try arrival("a"))
        #expect(try ground.cache().bytes(url("a")) == questionnaire("a"))
    }

    @Test("a purge takes what is stale or old, and neither edits nor what is protected")
    func purge() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        for id in ["old", "pinned", "edited"] { try cache.store(try arrival(id)) }
        let edited = try #require(try cache.entry(url: url("edited")).value)
        let change = questionnaire("edited", title: "Edited")
        try cache.adopt(change, editOf: edited, summary: DocumentSummary(try Questionnaire(json: change), media: []))
        ground.protected.value = Protection(documentIDs: ["pinned"])
        #expect(try cache.space.purge(.init(isStale: true)).entries == 0)
        ground.disk.clock.advance(by: .seconds(61))
        #expect(try cache.space.purge(.init(olderThanSeconds: 62)).entries == 0)
        #expect(try cache.space.purge(.init(isStale: true)).entries == 1)
        #expect(Set(try cache.catalog.records().map(\.url)) == [url("pinned"), url("edited")])
    }

    @Test("a list in memory is what the files say, whichever process changes them")
    func listInMemory() throws {
        let ground = CacheFixture()
        let longLived = ground.cache(memoryTierBytes: 1 << 16)
        func agree(_ step: String) throws {
            func listed(_ cache: Cache) throws -> [[String]] {
                try cache.catalog.records().sorted { $0.url < $1.url }.map {
                    [$0.url, $0.digest.hex, $0.document?.title ?? "", $0.isPresent ? "here" : "away"]
                }
            }
            for _ in 0..<2 { #expect(try listed(longLived) == listed(ground.cache()), "\(step)") }
        }
        for id in ["a", "b", "c"] { try longLived.store(try arrival(id)) }
        try agree("stored")
        try ground.cache().store(try arrival("d"))
        try agree("another process stored")
        try ground.cache().remove(url: url("a"))
        try agree("another process removed")
        let entry = try #require(try longLived.entry(url: url("b")).value)
        try ground.disk.put(entry.blob.path, try Gzip.compress(questionnaire("b", title: "Edited")))
        try agree("edited by hand")
        try ground.disk.damage("index/catalog.pb") { $0[$0.count - 1] ^= 1 }
        try agree("damaged")
        try ground.disk.process().removeIfPresent("index/catalog.pb")
        try agree("removed")
        #expect(try longLived.catalog.records().count == 3)
    }

    @Test(
        "lengths in an entry that cannot be are a fault of their field",
        arguments: [
            (#""sizeBytes": 9223372036854775807"#, "sizeBytes: is no length"),
            (#""sizeBytes": -1"#, "sizeBytes: is no length"),
            (
                #""sizeBytes": 1, "completeBytes": 9, "parts": [{"first": -9223372036854775808, "sizeBytes": 0, BLOB}]"#,
                "parts[0].sizeBytes: is no length of a part"
            ),
            (
                #""sizeBytes": 1, "completeBytes": 9, "parts": [{"first": 0, "sizeBytes": -9223372036854775808, BLOB}]"#,
                "parts[0].sizeBytes: is no length of a part"
            ),
        ])
    func impossibleLengths(_ members: String, _ reason: String) {
        let digest = Digest(sha256Of: [1])
        let blob = #""digest": "\#(digest)", "blob": "\#(digest.hex.prefix(2))/\#(digest.hex).json.gz""#
        let text =
            #"{"url": "https://host.example/a", "mediaType": "a/b", "status": 200, "fields": {}, "requestTime": "#
            + #""2026-11-24T00:00:00Z", "responseTime": "2026-11-24T00:00:00Z", BLOB, "# + members + "}"
        let bytes = Array(text.replacing("BLOB", with: blob).utf8)
        let fault = #expect(throws: DocumentFault.self) { try DocumentCoding.decode(CacheEntry.self, from: bytes) }
        #expect(fault?.description == reason)
    }

    @Test("what is in memory is used only while the file is the one that it was read from")
    func memoryTier() throws {
        let ground = CacheFixture()
        let cache = ground.cache(memoryTierBytes: 1 << 16)
        let entry = try cache.store(try arrival("a"))
        #expect(try cache.bytes(url("a")) == questionnaire("a"))
        ground.tick()
        try ground.disk.put(entry.blob.path, try Gzip.compress(questionnaire("a", title: "Edited")))
        #expect(try cache.bytes(url("a")) == questionnaire("a", title: "Edited"))
        try cache.remove(url: url("a"))
        guard case .miss = try cache.content(of: entry) else {
            Issue.record("what was removed came from memory")
            return
        }
    }

    @Test("a listing is right whatever has become of its snapshot")
    func snapshot() throws {
        let ground = CacheFixture()
        for id in ["a", "b", "c"] { try ground.cache().store(try arrival(id)) }
        let expected = try ground.cache().catalog.records().sorted { $0.url < $1.url }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<(60 * effort) {
            for path: FilePath in ["index/catalog.pb", "index/lines.pb", "index/texts.pb"] {
                guard ground.disk.contents(path) != nil else { continue }
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: try ground.disk.remove(path)
                case 1: try ground.disk.damage(path) { $0.removeLast(Int.random(in: 0...$0.count, using: &generator)) }
                case 2:
                    try ground.disk.damage(path) { $0 = $0.map { _ in UInt8.random(in: 0...255, using: &generator) } }
                default:
                    try ground.disk.damage(path) { bytes in
                        guard let index = bytes.indices.randomElement(using: &generator) else { return }
                        bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                    }
                }
            }
            #expect(try ground.cache().catalog.records().sorted { $0.url < $1.url } == expected)
            #expect(try ground.cache().search.matches("title").count == 3)
        }
    }

    @Test("a search finds words in texts of any length, and in titles alone where that is asked for")
    func searchScopes() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        // Together more than is read at once.
        for id in ["a", "b", "c"] {
            let filler = String(repeating: "слово \(id) ", count: 40_000)
            let text =
                "{\"id\":\"\(id)\",\"title\":\"Title \(id)\",\"questions\":[{\"id\":\"q\",\"text\":"
                + "\"\(filler) Ёлка-\(id) \(filler) last\(id)\",\"kind\":\"text\"}]}"
            let bytes = Array(text.utf8)
            try cache.store(try arrival(id, bytes))
        }
        // The first search makes the index of texts, the second one reads it.
        for _ in 0..<2 {
            for id in ["a", "b", "c"] {
                #expect(try cache.search.matches("ЕЛКА \(id)").map(\.record.url).contains(url(id)))
                let found = try cache.search.matches("last\(id)")
                #expect(found.map(\.record.url) == [url(id)] && found[0].isInTitle == false)
                #expect(try cache.search.matches("title last\(id)").map(\.record.url) == [url(id)])
                #expect(try cache.search.matches("last\(id)", in: .titles).isEmpty)
            }
            #expect(try cache.search.matches("TÍTLE", in: .titles).map(\.isInTitle) == [true, true, true])
            #expect(try cache.search.matches("nowhere").isEmpty)
        }
    }

    @Test("the index of texts has the documents that are there, whatever came, went, was edited or damaged")
    func indexOfTexts() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        func indexed() throws -> Set<Digest> {
            _ = try cache.catalog.records()
            let file = try #require(ground.disk.contents("index/texts.pb"))
            let payload = try #require(CatalogIndex.payload(of: file))
            return Set(try #require(CatalogIndex.texts(in: payload)).keys)
        }
        func digests(_ documents: [UInt8]...) -> Set<Digest> { Set(documents.map { Digest(sha256Of: $0) }) }

        try cache.store(try arrival("a"))
        try cache.store(try arrival("b"))
        #expect(try indexed() == digests(questionnaire("a"), questionnaire("b")))
        try cache.store(try arrival("c"))
        try cache.remove(url: url("a"))
        #expect(try indexed() == digests(questionnaire("b"), questionnaire("c")))

        let entry = try #require(try cache.entry(url: url("b")).value)
        let edited = questionnaire("b", title: "Edited")
        try ground.disk.put(entry.blob.path, try Gzip.compress(edited))
        #expect(try indexed() == digests(edited, questionnaire("c")))

        try ground.disk.damage("index/texts.pb") { $0[$0.count - 1] ^= 1 }
        try cache.store(try arrival("d"))
        #expect(try indexed() == digests(questionnaire("d")), "Nothing is taken over from a damaged one.")
        #expect(try cache.search.matches("edited").map(\.record.url) == [url("b")])
        #expect(try indexed() == digests(edited, questionnaire("c"), questionnaire("d")))
    }

    @Test("a call that fails while the texts are indexed leaves nothing half, and the next search finds all")
    func indexingFails() throws {
        for number in 1... {
            let ground = CacheFixture()
            for id in ["a", "b"] {
                let text = #"{"id": "\#(id)", "title": "Title", "questions": [{"id": "q", "text": "A word"}]}"#
                try ground.cache().store(try arrival(id, Array(text.utf8)))
            }
            let expected = [url("a"), url("b")]
            _ = try ground.cache().catalog.records()
            try ground.disk.process().removeIfPresent("index/texts.pb")
            ground.disk.plan(.error(.noSpace), afterNext: number)
            _ = try? ground.cache().search.matches("title word")
            let isFired = !ground.disk.firedFaults.isEmpty
            ground.disk.clearPlan()
            #expect(try ground.cache().search.matches("title word").map(\.record.url) == expected, "\(number)")
            #expect(ground.disk.filePaths.allSatisfy { !$0.hasSuffix(".tmp") }, "\(number)")
            if !isFired { return }
        }
    }

    @Test("a listing notices an entry that was replaced twice within one moment")
    func replacedTwice() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.store(try arrival("a"))
        _ = try cache.catalog.records()
        for _ in 0..<2 {
            _ = try cache.update(url: url("a")) {
                $0.response.responseTime = $0.response.responseTime.adding(seconds: 60)
            }
        }
        let record = try #require(try cache.catalog.records().first)
        #expect(record.responseTime == ManualClock.start.adding(seconds: 120))
    }

    @Test("names of entries can be read back, and no two URLs share one")
    func names() {
        var generator = SeededGenerator(seed: 3)
        let alphabet = Array("abAB/+%~._-?=&: éЖ\u{0}\u{301}".unicodeScalars)
        var seen: [String: String] = [:]
        for _ in 0..<(4000 * effort) {
            var address = ""
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                address.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            if Int.random(in: 0..<20, using: &generator) == 0 { address += String(repeating: "x/", count: 200) }
            let name = CacheLayout.entryName(url: address)
            #expect(name.utf8.count <= 255 && !name.contains("/") && !name.contains("\u{0}"))
            let known = seen.updateValue(address, forKey: name)
            #expect(known == nil || Array((known ?? "").utf8) == Array(address.utf8), "\(name)")
            if name.utf8.count < 230 {
                #expect(CacheLayout.url(entryName: name).map { Array($0.utf8) } == Array(address.utf8), "\(name)")
            }
        }
    }
}
