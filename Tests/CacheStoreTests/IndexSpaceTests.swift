import Disk
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing
import TextSearch

@testable import CacheStore

@Suite("The index counts against the quota")
struct IndexSpaceTests {
    private static let quotaBytes: Int64 = 1 << 20

    private func cache(
        _ disk: SimulatedDisk, _ files: any FileSystem, quotaBytes: Int64 = quotaBytes, looksOfAList: Int = 1000
    ) -> Cache {
        Cache(
            fileSystem: files, quarantine: Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock),
            clock: disk.clock, quotaBytes: quotaBytes, bootIdentity: "boot-1", looksOfAList: looksOfAList)
    }

    /// A questionnaire with many words of its own.
    private func document(_ number: Int) throws -> Cache.Arrival {
        var generator = SeededGenerator(seed: UInt64(number))
        let words = (0..<120).map { _ in
            Hexadecimal.encode((0..<4).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        let json =
            #"{"id": "d\#(number)", "title": "Title \#(number)", "questions": [{"id": "q", "text": "w\#(number)x "#
            + words.joined(separator: " ") + #"", "kind": "text"}]}"#
        return try arrival("d\(number)", Array(json.utf8))
    }

    @Test(
        "content and index together keep it at every call, lists and searches included, and all is found",
        arguments: [1000, 0])
    func everyCall(_ looksOfAList: Int) throws {
        let disk = SimulatedDisk()
        // Small, since everything is counted at each call.
        let quotaBytes = Self.quotaBytes / 2
        let peak = Mutex<Int64>(0)
        let files = HookedFileSystem(
            disk.process(),
            beforeEach: {
                let bytes = disk.chargedBytes(["cache/blobs", "cache/entries", "cache/tmp", "index"])
                peak.withLock { $0 = max($0, bytes) }
            })
        let cache = cache(disk, files, quotaBytes: quotaBytes, looksOfAList: looksOfAList)
        cache.catalog.beginNoting()
        var kept: [Int] = []
        for number in 0..<100 {
            do {
                try cache.store(try document(number), eviction: .nothing)
                kept.append(number)
            } catch is CacheError { continue }
            disk.clock.advance(by: .seconds(1))
            if number % 20 == 19 { _ = try cache.catalog.records() }
        }
        cache.catalog.endNoting()
        #expect(kept.count > 25 && kept.count < 100)
        for _ in 0..<2 {
            #expect(try cache.catalog.records().count == kept.count)
            for number in kept.prefix(1) + kept.suffix(1) {
                #expect(try cache.search.matches("w\(number)x").map(\.record.documentID) == ["d\(number)"])
            }
        }
        #expect(peak.withLock { $0 } <= quotaBytes)
        let statistics = try cache.space.statistics()
        #expect(
            statistics.bytes + statistics.indexBytes
                == disk.chargedBytes(["cache/blobs", "cache/entries", "cache/tmp", "index"]))
        // Content has all of the quota that it can use.
        #expect(statistics.bytes > quotaBytes * 15 / 16)
    }

    @Test("the index gives way to content, and is there once more when content leaves it space", arguments: [1000, 0])
    func firstClaim(_ looksOfAList: Int) throws {
        let disk = SimulatedDisk()
        let cache = cache(disk, disk.process(), looksOfAList: looksOfAList)
        for number in 0..<20 { try cache.store(try document(number), eviction: .nothing) }
        #expect(try cache.search.matches("w7x").count == 1)
        #expect(disk.contents("index/catalog.pb") != nil && disk.contents("index/texts.pb") != nil)
        // What is long is booked as a whole, by another process.
        let long = [UInt8](repeating: 7, count: Int(try #require(try cache.space.freeQuotaBytes())) - 8 * 4096)
        #expect(long.count > Int(Self.quotaBytes) / 2)
        let other = self.cache(disk, disk.process())
        let arriving = try #require(
            other.responses.begin(
                url: "https://host.example/film.mp4", expectedBytes: Int64(long.count), eviction: .nothing))
        #expect(arriving.append(long))
        try other.responses.finish(arriving, mediaType: "video/mp4") { responses, blob, count in
            responses = [
                CacheVariant(
                    blob: blob, sizeBytes: Int(count), mediaType: "video/mp4", response: try arrival("a").response)
            ]
        }
        func bytes() -> Int64 { disk.chargedBytes(["cache/blobs", "cache/entries", "cache/tmp", "index"]) }
        #expect(bytes() <= Self.quotaBytes && disk.contents("index/texts.pb") == nil)
        #expect(try cache.catalog.records().count == 21 && cache.search.matches("w7x").count == 1)
        #expect(bytes() <= Self.quotaBytes)
        try cache.remove(url: "https://host.example/film.mp4")
        #expect(try cache.catalog.records().count == 20 && cache.search.matches("w7x").count == 1)
        #expect(disk.contents("index/catalog.pb") != nil && bytes() <= Self.quotaBytes)
    }

    @Test("an index of an earlier program that is longer than its share goes with the next list")
    func tooLong() throws {
        let disk = SimulatedDisk()
        let cache = cache(disk, disk.process())
        try cache.store(try document(1))
        _ = try cache.catalog.records()
        try disk.put("index/texts.pb", [UInt8](repeating: 1, count: 200_000))
        #expect(try cache.catalog.records().count == 1)
        #expect(disk.chargedBytes(["index"]) <= Self.quotaBytes / 8)
        #expect(try cache.search.matches("w1x").count == 1)
    }

    @Test("where an earlier program filled the quota with content, the index waits for room")
    func filledBefore() throws {
        let disk = SimulatedDisk()
        func cache(_ indexBytes: Int64?) -> Cache {
            let files = disk.process()
            return Cache(
                fileSystem: files, quarantine: Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock),
                clock: disk.clock, quotaBytes: Self.quotaBytes, indexBytes: indexBytes, bootIdentity: "boot-1")
        }
        let former = cache(0)
        for number in 0..<100 { _ = try? former.store(try document(number), eviction: .nothing) }
        let count = try cache(nil).catalog.records().count
        #expect(count > 50)
        func bytes() -> Int64 { disk.chargedBytes(["cache/blobs", "cache/entries", "cache/tmp", "index"]) }
        #expect(bytes() <= Self.quotaBytes)
        _ = try cache(nil).space.trim(toBytes: Self.quotaBytes * 7 / 8)
        #expect(try cache(nil).catalog.records().count < count)
        #expect(disk.contents("index/catalog.pb") != nil && bytes() <= Self.quotaBytes)
    }

    @Test("while another process writes, a list writes nothing, and is right")
    func twoWriters() throws {
        let disk = SimulatedDisk()
        let cache = cache(disk, disk.process())
        try cache.store(try document(1))
        let lock = try #require(try LockFile.acquire("index/lock", in: disk.process(), wait: false))
        withExtendedLifetime(lock) {
            #expect(throws: Never.self) { try cache.catalog.records() }
            #expect(disk.contents("index/catalog.pb") == nil)
        }
        #expect(try cache.search.matches("w1x").count == 1)
    }
}

@Suite("A segment of words")
struct WordSegmentTests {
    private func digest(_ text: String) -> Digest { Digest(sha256Of: text.utf8) }

    private func segment<Result>(
        _ builder: WordSegment.Builder, _ body: (WordSegment) throws -> Result
    ) throws -> Result {
        try builder.encoded().withUnsafeBytes { bytes in
            var reader = FieldReader(bytes)
            let message = try #require(try reader.next()).value.bytes()
            return try body(try WordSegment(message))
        }
    }

    @Test("gives back the words of each document, and finds words within words")
    func words() throws {
        var builder = WordSegment.Builder()
        builder.add(digest("a"), "the sky is blue the sky")
        builder.add(digest("b"), "")
        builder.add(digest("c"), "небо is голубое")
        try segment(builder) { segment in
            let words = try segment.wordsOfDocuments()
            #expect(words.map(\.digest) == [digest("a"), digest("b"), digest("c")])
            #expect(words.map(\.words) == [["blue", "is", "sky", "the"], [], ["is", "голубое", "небо"]])
            let found = try segment.documents(having: WordSearch("ky is голуб")) { _ in [] }
            #expect(found == [digest("a"): [true, true, false], digest("c"): [false, true, true]])
            #expect(try segment.documents(having: WordSearch("skies")) { _ in [] }.isEmpty)
            // Another form of a word counts in the documents of its language.
            let search = WordSearch("skies голубого")
            let (english, russian) = (search.languages(ofTag: "en-GB"), search.languages(ofTag: "ru"))
            let forms = try segment.documents(having: search) { $0 == digest("a") ? english : russian }
            #expect(forms == [digest("a"): [true, false], digest("c"): [false, true]])
        }
    }

    @Test("whatever is wrong with its bytes is a fault, and nothing worse")
    func damaged() throws {
        var builder = WordSegment.Builder()
        for number in 0..<40 { builder.add(digest("\(number)"), "word\(number) word\(number / 3) all") }
        let bytes = builder.encoded()
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                damaged[Int.random(in: damaged.indices, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            _ = CatalogIndex.texts(in: damaged[...])
            damaged.removeLast(Int.random(in: 0...damaged.count, using: &generator))
            _ = CatalogIndex.texts(in: damaged[...])
        }
        #expect(CatalogIndex.texts(in: bytes[...])?.count == 40)
    }
}
