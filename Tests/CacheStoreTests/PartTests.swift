import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Synchronization
import Testing

@Suite("Content that goes on in another process")
struct PartTests {
    private static let pieceBytes = 24 << 10
    private static let address = "http://origin.example/film"
    private static let quotaBytes: Int64 = 160 * 4096

    private static let pieces: [[UInt8]] = (0..<20).map { number in
        (0..<pieceBytes).map { UInt8(truncatingIfNeeded: ($0 &* 29) ^ (number &* 137) ^ ($0 >> 7)) }
    }
    private static let whole = Array(pieces.joined())

    private static func response(_ tag: String = "\"v1\"") -> StoredResponse {
        StoredResponse(
            status: 200, fields: [.cacheControl: "max-age=60", .eTag: tag], requestTime: ManualClock.start,
            responseTime: ManualClock.start)
    }

    private static func origin(_ tag: String = "\"v1\"") -> PartOrigin {
        PartOrigin(mediaType: "video/mp4", response: response(tag), completeBytes: Int64(whole.count))
    }

    /// Appends the pieces of a range to the existing ones.
    private static func bring(_ numbers: Range<Int>, to arriving: ArrivingContent) -> Bool {
        numbers.allSatisfy { arriving.append(pieces[$0]) }
    }

    /// So many pieces come, and no more.
    @discardableResult
    private static func breakOff(after count: Int, _ cache: Cache, tag: String = "\"v1\"") throws -> Bool {
        guard let arriving = cache.responses.begin(url: address, expectedBytes: nil, origin: origin(tag)) else {
            return false
        }
        guard bring(0..<count, to: arriving) else {
            arriving.abandon()
            return false
        }
        return try cache.parts.keep(arriving)
    }

    private static func finish(_ arriving: ArrivingContent, _ cache: Cache) throws -> CacheEntry? {
        try cache.responses.finish(arriving, mediaType: "video/mp4", isPulled: true) { responses, blob, length in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: response())
            ]
        }
    }

    /// Resumes from the current length; `nil` if there is nothing to resume.
    @discardableResult
    private static func goOn(_ cache: Cache) throws -> CacheEntry? {
        guard let arriving = try cache.parts.take(url: address) else { return nil }
        guard bring(Int(arriving.count) / pieceBytes..<pieces.count, to: arriving) else {
            arriving.abandon()
            return nil
        }
        return try finish(arriving, cache)
    }

    private static func content(_ cache: Cache) throws -> [UInt8]? {
        guard let entry = try cache.entry(url: address).value else { return nil }
        return try cache.content(of: entry).value?.bytes
    }

    private func hasTemporaryFiles(_ disk: SimulatedDisk) -> Bool {
        disk.dump().contains { $0.path.hasPrefix("cache/tmp/") }
    }

    @Test("it is kept as a part, which is never shown as the whole, and the next process fetches only the rest")
    func goesOn() throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        try ground.cache().makeFolders()
        #expect(try Self.breakOff(after: 8, ground.cache()))
        let cache = ground.cache()
        let entry = try #require(try cache.entry(url: Self.address).value)
        #expect(!entry.isPlainContent && entry.primary.isPartial)
        #expect(try Self.content(cache) == nil)
        #expect(try cache.catalog.records().map(\.isPartial) == [true])
        let arrived = try #require(try cache.parts.arrivedBytes(url: Self.address))
        #expect(arrived.held == Int64(8 * Self.pieceBytes) && arrived.complete == Int64(Self.whole.count))
        #expect(try cache.survey.verify().isClean)
        #expect(try cache.survey.faults { _ in false }.isEmpty)
        #expect(try cache.space.removeUnreferencedBlobs().bytes == 0)
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)

        let files = ground.disk.process()
        let other = ground.cache(files)
        let whole = try #require(try Self.goOn(other))
        #expect(whole.digest == Digest(sha256Of: Self.whole) && whole.isPlainContent)
        #expect(try Self.content(ground.cache()) == Self.whole)
        #expect(try ground.cache().catalog.records().map(\.isPartial) == [false])
        #expect(try other.space.briefStatistics().bytes == ground.chargedBytes)
        #expect(files.openFileCount == 0 && !hasTemporaryFiles(ground.disk))
        #expect(ground.disk.dump().count { $0.path.hasSuffix(".mp4") } == 1)
    }

    @Test("broken off again and again, each time it goes on further")
    func inSteps() throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        try ground.cache().makeFolders()
        try Self.breakOff(after: 5, ground.cache())
        for end in [9, 14, 19] {
            let cache = ground.cache()
            let arriving = try #require(try cache.parts.take(url: Self.address))
            // An arriving file belongs to one caller.
            #expect(try ground.cache().parts.take(url: Self.address) == nil)
            #expect(Self.bring(Int(arriving.count) / Self.pieceBytes..<end, to: arriving))
            #expect(try cache.parts.keep(arriving))
            #expect(try cache.parts.arrivedBytes(url: Self.address)?.held == Int64(end * Self.pieceBytes))
            #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
        }
        #expect(try Self.goOn(ground.cache())?.digest == Digest(sha256Of: Self.whole))
    }

    @Test("the file of a process that was killed becomes a part, up to the last note in it")
    func killed() throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        try ground.cache().makeFolders()
        do {
            let arriving = try #require(
                ground.cache().responses.begin(url: Self.address, expectedBytes: nil, origin: Self.origin()))
            #expect(Self.bring(0..<15, to: arriving))
            // It is never removed during a write.
            try ground.cache().parts.settleAbandonedFiles()
            #expect(try ground.cache().entry(url: Self.address).value == nil)
        }
        // Without a word to the cache: its lock is free.
        #expect(hasTemporaryFiles(ground.disk))
        let cache = ground.cache()
        try cache.parts.settleAbandonedFiles()
        #expect(!hasTemporaryFiles(ground.disk))
        let held = try #require(try cache.parts.arrivedBytes(url: Self.address)).held
        #expect(held > 15 * Int64(Self.pieceBytes) - (256 << 10) && held >= 256 << 10)
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
        #expect(try Self.goOn(cache)?.digest == Digest(sha256Of: Self.whole))
    }

    @Test("a version that is here whole is shown until the newer one is")
    func beside() throws {
        let ground = CacheFixture(quotaBytes: 3 * Self.quotaBytes)
        let cache = ground.cache()
        try cache.makeFolders()
        let former = try #require(cache.responses.begin(url: Self.address, expectedBytes: nil))
        #expect(former.append(Self.pieces[3]))
        let shown = try #require(try Self.finish(former, cache))
        try Self.breakOff(after: 6, cache, tag: "\"v2\"")
        let entry = try #require(try cache.entry(url: Self.address).value)
        #expect(entry.blob == shown.blob && entry.isPlainContent && entry.variants.count == 1)
        #expect(try Self.content(cache) == Self.pieces[3])
        #expect(try cache.survey.faults { _ in false }.isEmpty)
        #expect(try cache.space.removeUnreferencedBlobs().bytes == 0)
        let arriving = try #require(try cache.parts.take(url: Self.address))
        #expect(try Self.content(cache) == Self.pieces[3])
        arriving.abandon()
        #expect(try cache.entry(url: Self.address).value?.blobs == [shown.blob])
        // A shorter part of the same version does not take the place of a longer one, nor of the whole.
        try Self.breakOff(after: 9, cache, tag: "\"v2\"")
        #expect(try !Self.breakOff(after: 4, cache, tag: "\"v2\""))
        #expect(try cache.parts.arrivedBytes(url: Self.address)?.held == Int64(9 * Self.pieceBytes))
        #expect(try !Self.breakOff(after: 4, cache, tag: "\"v1\""))
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
    }

    @Test("damaged content is not resumed, and content without an origin, or is short, is not kept")
    func nothing() throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        let cache = ground.cache()
        try cache.makeFolders()
        try Self.breakOff(after: 8, cache)
        let part = try #require(try cache.entry(url: Self.address).value)
        try ground.disk.damage(part.blob.path) { $0[70_000] ^= 1 }
        #expect(try cache.survey.faults { _ in false }.count == 1)
        #expect(try ground.cache().parts.take(url: Self.address) == nil)
        #expect(try cache.entry(url: Self.address).value == nil && !hasTemporaryFiles(ground.disk))
        #expect(try !Self.breakOff(after: 2, cache))
        let plain = try #require(cache.responses.begin(url: Self.address, expectedBytes: nil))
        #expect(Self.bring(0..<8, to: plain))
        #expect(try !cache.parts.keep(plain))
        #expect(try cache.entry(url: Self.address).value == nil && !hasTemporaryFiles(ground.disk))
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
    }

    @Test(
        "a length beyond all measure in an entry or in the note of a killed process is damage, and ends no program",
        arguments: [.max, .max - 1, .max - 4095, 1 << 60, -1, .min] as [Int64])
    func lengths(_ length: Int64) throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        let cache = ground.cache()
        try cache.makeFolders()
        try Self.breakOff(after: 8, cache)
        let path = CacheLayout.entryPath(url: Self.address)
        let entry = String(decoding: try #require(ground.disk.contents(path)), as: UTF8.self)
        let hostile = Array(entry.replacing("\(Self.whole.count)", with: "\(length)").utf8)
        #expect(hostile != Array(entry.utf8))
        let lines = String(decoding: hostile, as: UTF8.self).split(separator: "\n")
        let note = lines.map { $0.drop { $0 == " " } }.joined()
        try ground.disk.put(
            "cache/tmp/killed.tmp",
            [UInt8](repeating: 1, count: 8192) + Array(note.utf8)
                + [UInt8](repeating: 0x20, count: 4096 - note.utf8.count))
        try ground.disk.put(path, hostile)
        let other = ground.cache()
        #expect(try other.parts.take(url: Self.address) == nil)
        try other.parts.settleAbandonedFiles()
        #expect(try other.entry(url: Self.address).value == nil && !hasTemporaryFiles(ground.disk))
        let origin = PartOrigin(mediaType: "video/mp4", response: Self.response(), completeBytes: length)
        #expect(cache.responses.begin(url: Self.address, expectedBytes: nil, origin: origin) == nil)
        #expect(cache.responses.begin(url: Self.address, expectedBytes: length) == nil)
        // Without a quota, too.
        #expect(CacheFixture().cache().responses.begin(url: Self.address, expectedBytes: length) == nil)
    }

    @Test("it is evicted, trimmed and purged like anything else")
    func evicted() throws {
        let ground = CacheFixture(quotaBytes: Self.quotaBytes)
        let cache = ground.cache()
        try cache.makeFolders()
        try Self.breakOff(after: 12, cache)
        ground.tick()
        let other = try #require(cache.responses.begin(url: "http://origin.example/other", expectedBytes: nil))
        #expect(Self.bring(0..<20, to: other))
        _ = try cache.responses.finish(other, mediaType: "video/mp4") { responses, blob, length in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: Self.response())
            ]
        }
        #expect(try cache.entry(url: Self.address).value == nil)
        _ = try cache.space.trim(toBytes: 10 * 4096)
        try Self.breakOff(after: 12, cache)
        _ = try cache.space.trim(toBytes: 10 * 4096)
        #expect(try cache.parts.take(url: Self.address) == nil)
        try Self.breakOff(after: 12, cache)
        ground.disk.clock.advance(by: .seconds(1000))
        #expect(try cache.space.purge(.init(olderThanSeconds: 100)).entries == 1)
        #expect(try cache.parts.take(url: Self.address) == nil)
        #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
    }

    @Test("what a killed process left gives way to an answer at once, and goes with a purge")
    func givesWay() throws {
        for purges in [false, true] {
            let ground = CacheFixture(quotaBytes: Self.quotaBytes)
            try ground.cache().makeFolders()
            do {
                let arriving = try #require(
                    ground.cache().responses.begin(url: Self.address, expectedBytes: nil, origin: Self.origin()))
                #expect(Self.bring(0..<15, to: arriving))
            }
            let before = ground.disk.usedBytes
            let cache = ground.cache()
            if purges {
                #expect(try cache.space.purge(.init(isStale: true)).bytes > 0)
            } else {
                ground.disk.capacityBytes = before
                cache.space.giveWay(bytes: 4096)
            }
            // What came is a part; the space for the rest is free.
            #expect(before - ground.disk.usedBytes >= 4 * Int64(Self.pieceBytes))
            #expect(try cache.parts.arrivedBytes(url: Self.address) != nil && !hasTemporaryFiles(ground.disk))
            #expect(try cache.space.statistics().bytes == cache.space.briefStatistics().bytes)
            cache.space.giveWay(bytes: 1 << 20)
            #expect(try cache.parts.arrivedBytes(url: Self.address) == nil)
        }
    }

    @Test("it leaves room for answers on the disk while it comes")
    func spares() throws {
        let ground = CacheFixture()
        let cache = ground.cache()
        try cache.makeFolders()
        let whole = Int64(Self.whole.count)
        ground.disk.capacityBytes = ground.disk.usedBytes + whole + (900 << 10)
        #expect(try !Self.breakOff(after: 8, cache))
        #expect(!hasTemporaryFiles(ground.disk))
        ground.disk.capacityBytes = ground.disk.usedBytes + whole + (1100 << 10)
        #expect(try Self.breakOff(after: 8, cache))
        // The disk is fuller by the time of the resumption: the part stays for a later one.
        ground.disk.capacityBytes = ground.disk.usedBytes + (1100 << 10)
        #expect(throws: FileError.self) { try cache.parts.take(url: Self.address) }
        #expect(try cache.parts.arrivedBytes(url: Self.address) != nil)
    }

    @Test("one whose whole has no room any more goes, and what is here whole stays")
    func noRoom() throws {
        for hasFormer in [false, true] {
            let ground = CacheFixture(quotaBytes: Self.quotaBytes)
            let cache = ground.cache()
            try cache.makeFolders()
            if hasFormer {
                let former = try #require(cache.responses.begin(url: Self.address, expectedBytes: nil))
                #expect(former.append(Self.pieces[3]))
                _ = try Self.finish(former, cache)
            }
            try Self.breakOff(after: 8, cache, tag: "\"v2\"")
            try cache.store(try arrival("other", questionnaire("other", noise: 220_000)))
            #expect(throws: CacheError.self) { try cache.parts.take(url: Self.address, eviction: .onlyGone) }
            #expect(try cache.parts.arrivedBytes(url: Self.address) == nil)
            #expect(try Self.content(cache) == (hasFormer ? Self.pieces[3] : nil))
            #expect(try cache.bytes(url("other")) != nil)
            #expect(ground.disk.dump().count { $0.path.hasSuffix(".mp4") } == (hasFormer ? 1 : 0))
            #expect(try cache.space.briefStatistics().bytes == ground.chargedBytes)
        }
    }

    @Test("with its note behind it, as a kill leaves it before its rename, it is not damaged; with other bytes it goes")
    func noted() throws {
        let ground = CacheFixture(quotaBytes: 3 * Self.quotaBytes)
        let cache = ground.cache()
        try cache.makeFolders()
        try Self.breakOff(after: 8, cache)
        let blob = try #require(try cache.entry(url: Self.address).value).blob
        try ground.disk.damage(blob.path) { $0 += [UInt8](repeating: 7, count: 5000) }
        #expect(try ground.cache().survey.verify().isClean)
        #expect(try cache.survey.faults { _ in false }.filter { $0.path == blob.path }.isEmpty)
        #expect(try Self.goOn(ground.cache())?.digest == Digest(sha256Of: Self.whole))
        // Of what is called damaged, and put into quarantine, nothing stays in its place.
        let whole = try #require(try cache.entry(url: Self.address).value).blob
        try Self.breakOff(after: 8, cache, tag: "\"v2\"")
        try ground.disk.damage(whole.path) { $0.removeLast() }
        #expect(try ground.cache().survey.verify().damaged == [Self.address])
        #expect(ground.disk.contents(whole.path) == nil)
        #expect(ground.disk.dump().contains { $0.path.hasPrefix("quarantine/") })
    }

    @Test("cut off at any call: the quota holds, what is shown is whole or nothing, and the next one comes to its end")
    func crashes() throws {
        // Every call, and more of what is left of it, with more effort.
        for (fault, first) in [(Fault.powerCut, 1), (.killed, 2)] {
            for number in stride(from: first, to: 10_000, by: max(1, 9 / effort)) {
                let ground = CacheFixture(quotaBytes: Self.quotaBytes)
                try ground.cache().makeFolders()
                try Self.breakOff(after: 6, ground.cache())
                ground.disk.settle()
                ground.disk.plan(fault, afterNext: number)
                let peak = Mutex<Int64>(0)
                let watched = HookedFileSystem(
                    ground.disk.process(), beforeEach: { peak.withLock { $0 = max($0, ground.chargedBytes) } })
                _ = try? {
                    let cache = ground.cache(watched)
                    guard let arriving = try cache.parts.take(url: Self.address) else { return }
                    if Self.bring(6..<17, to: arriving) { try cache.parts.keep(arriving) }
                    try Self.goOn(cache)
                }()
                #expect(peak.withLock { $0 } <= Self.quotaBytes)
                if ground.disk.firedFaults.isEmpty { break }
                let disks: [SimulatedDisk] =
                    fault == .killed
                    ? [ground.disk] : ground.disk.allCrashStates(limit: 3 * effort, seed: UInt64(number)).map(\.disk)
                for disk in disks {
                    disk.clearPlan()
                    let after = ground.after(disk)
                    let boot = fault == .killed ? "boot-1" : "boot-2"
                    let cache = after.cache(boot: boot)
                    try cache.parts.settleAbandonedFiles()
                    #expect(!hasTemporaryFiles(disk), "\(fault) at call \(number)")
                    if fault == .killed, try Self.content(cache) == nil {
                        // No byte that was there before is lost to a kill, save in the moment of giving space back.
                        let held = try cache.parts.arrivedBytes(url: Self.address)?.held ?? 0
                        #expect(held == 0 || held >= 6 * Int64(Self.pieceBytes))
                    }
                    let isWhole = try Self.content(cache) == Self.whole
                    if !isWhole, try Self.goOn(cache) == nil { try Self.breakOff(after: 19, cache) }
                    if !isWhole, try Self.content(cache) == nil { #expect(try Self.goOn(cache) != nil) }
                    #expect(try Self.content(after.cache(boot: boot)) == Self.whole, "\(fault) at call \(number)")
                    #expect(after.chargedBytes <= Self.quotaBytes)
                    _ = try cache.space.trim(toBytes: Self.quotaBytes)
                    #expect(try cache.space.briefStatistics().bytes == after.chargedBytes, "\(fault) at call \(number)")
                }
            }
        }
    }
}
