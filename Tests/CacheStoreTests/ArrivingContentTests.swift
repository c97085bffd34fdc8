import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

@Suite("Content that arrives in pieces")
struct ArrivingContentTests {
    private static let pieceBytes = 24 << 10
    private static let address = "http://origin.example/film"

    /// Made once: they are asked for thousands of times.
    private static let pieces: [[UInt8]] = (0..<12).map { number in
        (0..<pieceBytes).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ (number &* 131) ^ ($0 >> 8)) }
    }

    /// Every so manieth call is cut off; all of them with QUIRE_SIM_SEEDS=10.
    private let sampling = max(1, 8 / effort)

    private static func piece(_ number: Int) -> [UInt8] { pieces[number] }
    private static func whole(_ count: Int) -> [UInt8] { Array(pieces[..<count].joined()) }

    private static let response = StoredResponse(
        status: 200, fields: [.cacheControl: "max-age=60"], requestTime: ManualClock.start,
        responseTime: ManualClock.start)

    /// Appends so many pieces; `nil` if the cache rejects them.
    @discardableResult
    private static func bring(
        _ count: Int, to cache: Cache, at address: String = address, isLengthKnown: Bool = true
    ) throws -> CacheEntry? {
        guard
            let arriving = cache.responses.begin(
                url: address, expectedBytes: isLengthKnown ? Int64(count * pieceBytes) : nil)
        else { return nil }
        for number in 0..<count {
            guard arriving.append(piece(number)) else {
                arriving.abandon()
                return nil
            }
        }
        return try cache.responses.finish(arriving, mediaType: "video/mp4") { responses, blob, length in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: response)
            ]
        }
    }

    /// The served bytes of an entry's content; `nil` if there are none, or they are known to be damaged.
    private static func content(_ cache: Cache, _ address: String = address) throws -> [UInt8]? {
        guard let entry = try cache.entry(url: address).value else { return nil }
        switch try cache.read(entry.blob, sizeBytes: Int64(entry.sizeBytes)) {
        case .miss: return nil
        case .hit(.bytes(let bytes)): return bytes
        case .hit(.stream(let reader)):
            var bytes: [UInt8] = []
            do {
                while let piece = try reader.next() { bytes += piece }
            } catch is ContentFault {
                return nil
            }
            return bytes
        }
    }

    @Test("it is kept as a blob of its digest, read while it comes, in whole and in ranges")
    func kept() throws {
        let ground = CacheFixture()
        let files = ground.disk.process()
        let cache = ground.cache(files)
        do {
            let arriving = try #require(cache.responses.begin(url: Self.address, expectedBytes: nil))
            for number in 0..<5 { #expect(arriving.append(Self.piece(number))) }
            #expect(arriving.count == Int64(5 * Self.pieceBytes))
            #expect(try arriving.read(at: 100, maximumBytes: 50) == Array(Self.whole(1)[100..<150]))
            let late = 4 * Self.pieceBytes
            #expect(try arriving.read(at: Int64(late), maximumBytes: 1 << 20) == Self.piece(4))
            #expect(try arriving.read(at: Int64(late + Self.pieceBytes), maximumBytes: 10).isEmpty)
            arriving.abandon()
            #expect(try arriving.read(at: 0, maximumBytes: 10) == Array(Self.whole(1)[..<10]), "who reads it can go on")
        }
        #expect(files.openFileCount == 0)
        let entry = try #require(try Self.bring(8, to: cache))
        #expect(entry.digest == Digest(sha256Of: Self.whole(8)))
        #expect(try Self.content(ground.cache()) == Self.whole(8))
        let range = try cache.read(entry.blob, sizeBytes: Int64(entry.sizeBytes), range: 70_000..<180_000)
        guard case .hit(.stream(let reader)) = range else {
            Issue.record("no stream")
            return
        }
        var bytes: [UInt8] = []
        while let piece = try reader.next() { bytes += piece }
        #expect(bytes == Array(Self.whole(8)[70_000..<180_000]))
        #expect(try ground.cache().survey.verify().isClean)
    }

    @Test("long gzip content is read piece by piece, in whole and in ranges, checked against its digest")
    func compressed() throws {
        let ground = CacheFixture()
        let text = (0..<40_000).map { "line \($0)\n" }.joined()
        let bytes = Array(text.utf8)
        var arrived = try arrival("a")
        arrived.bytes = bytes
        arrived.mediaType = "text/plain"
        arrived.document = nil
        let entry = try ground.cache().store(arrived)
        #expect(entry.blob.isCompressed)
        for range in [0..<bytes.count, 0..<1, 200_000..<300_001, (bytes.count - 1)..<bytes.count] {
            let cache = ground.cache()
            let found = try cache.read(
                entry.blob, sizeBytes: Int64(bytes.count), range: Int64(range.lowerBound)..<Int64(range.upperBound))
            guard case .hit(.stream(let reader)) = found else {
                Issue.record("no stream")
                continue
            }
            var got: [UInt8] = []
            while let piece = try reader.next() { got += piece }
            #expect(got == Array(bytes[range]))
        }
    }

    @Test("cut off at any call: nothing half is ever served, the quota holds, and the next one finds its way")
    func crashes() throws {
        // Every call, and more of what is left of it, in `make sim`: “cache: a film that comes in pieces”.
        for (fault, first) in [(Fault.powerCut, 1), (.killed, 4)] {
            for number in stride(from: first, to: 10_000, by: sampling) {
                let ground = CacheFixture(quotaBytes: 80 * 4096)
                try ground.cache().makeFolders()
                try Self.bring(2, to: ground.cache(), at: "http://origin.example/before")
                ground.disk.settle()
                ground.disk.plan(fault, afterNext: number)
                let peak = Mutex<Int64>(0)
                let watched = HookedFileSystem(
                    ground.disk.process(), beforeEach: { peak.withLock { $0 = max($0, ground.chargedBytes) } })
                _ = try? Self.bring(4, to: ground.cache(watched))
                #expect(peak.withLock { $0 } <= 80 * 4096)
                if ground.disk.firedFaults.isEmpty { break }
                let disks: [SimulatedDisk] =
                    fault == .killed
                    ? [ground.disk] : ground.disk.allCrashStates(limit: 3 * effort, seed: UInt64(number)).map(\.disk)
                for disk in disks {
                    disk.clearPlan()
                    let after = ground.after(disk)
                    let boot = fault == .killed ? "boot-1" : "boot-2"
                    let cache = after.cache(boot: boot)
                    if let content = try Self.content(cache) { #expect(content == Self.whole(4), "call \(number)") }
                    #expect(after.chargedBytes <= 80 * 4096)
                    // The next one needs all the room: what was abandoned goes for it.
                    let next = try #require(try Self.bring(10, to: cache, at: "http://origin.example/next"))
                    #expect(next.sizeBytes == 10 * Self.pieceBytes)
                    #expect(try Self.content(after.cache(boot: boot), "http://origin.example/next") == Self.whole(10))
                    #expect(after.chargedBytes <= 80 * 4096)
                    // Abandoned content is removed by the eviction.
                    _ = try cache.space.trim(toBytes: 80 * 4096)
                    #expect(!disk.dump().contains { $0.path.hasPrefix("cache/tmp/") })
                }
            }
        }
    }

    @Test("a fault at any call is a miss: no open file and no temporary file stays, the ledger is never too low")
    func faults() throws {
        let faults: [Fault] = [.error(.noSpace), .error(.ioError), .shortWrite, .error(.interrupted)]
        for (first, fault) in faults.enumerated() {
            for number in stride(from: 1 + first, to: 10_000, by: sampling) {
                let ground = CacheFixture(quotaBytes: 80 * 4096)
                let files = ground.disk.process()
                let cache = ground.cache(files)
                try cache.makeFolders()
                ground.disk.plan(fault, afterNext: number)
                let entry = try? Self.bring(4, to: cache, isLengthKnown: number % 2 == 0)
                if ground.disk.firedFaults.isEmpty { break }
                #expect(files.openFileCount == 0, "\(fault) at call \(number)")
                if entry != nil { #expect(try Self.content(ground.cache()) == Self.whole(4)) }
                #expect(try cache.space.briefStatistics().bytes >= ground.chargedBytes, "\(fault) at call \(number)")
                // A file left by a failed removal is no longer locked, so a trim removes it.
                _ = try cache.space.trim(toBytes: 80 * 4096)
                #expect(!ground.disk.dump().contains { $0.path.hasPrefix("cache/tmp/") })
                #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
                try Self.bring(4, to: cache)
                #expect(try Self.content(ground.cache()) == Self.whole(4))
            }
        }
    }

    @Test("several processes store long content at once and are killed at any call: the quota holds at every moment")
    func processes() throws {
        for seed in 1...UInt64(4 * effort) {
            let ground = CacheFixture(quotaBytes: 50 * 4096)
            try ground.cache().makeFolders()
            let peak = Mutex<Int64>(0)
            let schedule = Interleaving(ground.disk, seed: seed, killsOneIn: 150)
            for writer in 0..<3 {
                schedule.add { files in
                    let hooked = HookedFileSystem(
                        files, beforeEach: { peak.withLock { $0 = max($0, ground.chargedBytes) } })
                    let cache = ground.cache(hooked)
                    for number in 0..<3 {
                        _ = try? Self.bring(
                            3, to: cache, at: "http://origin.example/\(writer)-\(number)",
                            isLengthKnown: number % 2 == 0)
                    }
                }
            }
            schedule.run()
            #expect(peak.withLock { $0 } <= 50 * 4096, "replay with seed \(seed)")
            let cache = ground.cache()
            for record in try cache.catalog.records(.trusting) {
                if let content = try Self.content(cache, record.url) { #expect(content == Self.whole(3)) }
            }
            _ = try cache.space.trim(toBytes: 50 * 4096)
            #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes, "replay with seed \(seed)")
        }
    }

    @Test("an entry of an older program is read as it is, and one with variants and parts survives a round trip")
    func entries() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        let old = try cache.store(try arrival("a"))
        let text = String(decoding: try #require(ground.disk.contents(Cache.entryPath(url: url("a")))), as: UTF8.self)
        #expect(!text.contains("variants") && !text.contains("parts") && !text.contains("invalidated"))
        #expect(try cache.entry(url: url("a")).value == old)

        let film = try #require(try Self.bring(4, to: cache))
        try cache.responses.revise(url: Self.address) { responses in
            var other = responses[0]
            other.response.varyingFields = [.acceptLanguage: "en"]
            other.response.isInvalidated = true
            other.response.fields.append(HTTPField(name: .setCookie, value: "a"))
            other.response.fields.append(HTTPField(name: .setCookie, value: "b"))
            responses.append(other)
            let part = ContentPart(range: ByteRange(10, through: 19)!, blob: film.blob)
            responses.append(
                CacheVariant(parts: [part], completeBytes: 100, mediaType: "video/mp4", response: Self.response)!)
        }
        let entry = try #require(try ground.cache().entry(url: Self.address).value)
        #expect(entry.variants.count == 2 && entry.variants[0].response.isInvalidated)
        #expect(entry.variants[0].response.fields[values: .setCookie] == ["a", "b"])
        #expect(entry.variants[1].response.content == .partial([ByteRange(10, through: 19)!], completeLength: 100))
        #expect(try cache.space.statistics().entries == 2)
        _ = try cache.space.purge(.init(isStale: true))
    }

    @Test("the blobs of all variants and parts belong to their entry: trim and purge take them, nothing else does")
    func references() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        let film = try #require(try Self.bring(2, to: cache))
        let other = try #require(try Self.bring(3, to: cache, at: "http://origin.example/other"))
        try cache.responses.revise(url: Self.address) { $0.append(other.primary) }
        try cache.remove(url: "http://origin.example/other")
        #expect(ground.disk.contents(other.blob.path) != nil)
        #expect(try cache.space.removeUnreferencedBlobs().bytes == 0)
        _ = try cache.catalog.records()
        try cache.remove(url: Self.address)
        #expect(ground.disk.contents(other.blob.path) == nil && ground.disk.contents(film.blob.path) == nil)
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
    }
}
