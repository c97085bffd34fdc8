import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Synchronization
import SystemPackage
import WireFormat

/// A disk with a cache, and what each URL may hold.
struct CacheWorld: Sendable {
    /// The space for content, beside that of the index.
    static let quotaBytes: Int64 = 20 * 4096
    private static let indexBytes: Int64 = 1 << 20
    /// Durable from the beginning, and never to be evicted.
    static let pinned = "pinned"

    let disk: SimulatedDisk
    let shelf: CacheShelf
    let quotaBytes: Int64

    init(renames: RenameDurability, quotaBytes: Int64 = Self.quotaBytes) {
        self.init(disk: SimulatedDisk(renames: renames), shelf: CacheShelf(), quotaBytes: quotaBytes)
    }

    init(disk: SimulatedDisk, shelf: CacheShelf, quotaBytes: Int64 = Self.quotaBytes) {
        self.disk = disk
        self.shelf = shelf
        self.quotaBytes = quotaBytes
    }

    func after(_ disk: SimulatedDisk) -> CacheWorld {
        CacheWorld(disk: disk, shelf: shelf.copy(), quotaBytes: quotaBytes)
    }

    func cache(_ files: (any FileSystem)? = nil, boot: String = "boot-1") -> Cache {
        let files = files ?? disk.process()
        let quarantine = Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock)
        return Cache(
            fileSystem: files, quarantine: quarantine, clock: disk.clock,
            quotaBytes: quotaBytes + Self.indexBytes, indexBytes: Self.indexBytes, bootIdentity: boot, looksOfAList: 0,
            protection: { Protection(documentIDs: [Self.pinned]) })
    }

    /// A file system that looks at the quota before each call.
    func watched(_ files: any FileSystem) -> HookedFileSystem {
        HookedFileSystem(files, beforeEach: { shelf.note(chargedBytes) })
    }

    /// The current space of blobs, entries and temporary files, as `du` counts it.
    var chargedBytes: Int64 {
        disk.chargedBytes(["cache/blobs", "cache/entries", "cache/tmp"])
    }

    /// Advances a little, so that each entry has a time of its own.
    func tick() { disk.clock.advance(by: .seconds(1)) }

    // MARK: What is done

    static func url(_ id: String) -> String { "https://host.example" + APIPath.questionnaire(id).text }

    /// A questionnaire with so many bytes that do not compress away.
    static func questionnaire(_ id: String, title: String = "Title", noise: Int = 0) -> [UInt8] {
        let key = "\(id) \(title) \(noise)"
        if let made = known.withLock({ $0[key] }) { return made }
        let made = make(id, title, noise)
        known.withLock { $0[key] = made }
        return made
    }

    private static let known = Mutex<[String: [UInt8]]>([:])

    private static func make(_ id: String, _ title: String, _ noise: Int) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(id.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
        let text = Hexadecimal.encode((0..<noise).map { _ in UInt8.random(in: 0...255, using: &generator) })
        return Array(#"{"id": "\#(id)", "title": "\#(title)", "questions": [{"id": "q1", "text": "\#(text)"}]}"#.utf8)
    }

    static func summary(_ bytes: [UInt8]) throws -> DocumentSummary {
        DocumentSummary(try Questionnaire(json: bytes), media: [])
    }

    private func arrival(_ id: String, _ bytes: [UInt8], at address: String) throws -> Cache.Arrival {
        var fields = HTTPFields()
        fields[.cacheControl] = "max-age=60"
        fields[.eTag] = "\"\(id)\""
        return Cache.Arrival(
            url: address, bytes: bytes, mediaType: "application/json",
            response: StoredResponse(
                status: 200, fields: fields, requestTime: ManualClock.start, responseTime: ManualClock.start),
            document: try Self.summary(bytes))
    }

    /// A response arrives.
    @discardableResult
    func store(
        _ cache: Cache, _ id: String, title: String = "Title", noise: Int = 0, at address: String? = nil
    ) throws -> CacheEntry {
        let bytes = Self.questionnaire(id, title: title, noise: noise)
        let address = address ?? Self.url(id)
        shelf.mayHold(address, bytes)
        return try cache.store(try arrival(id, bytes, at: address), replacingEdit: false)
    }

    private static func film(_ id: String, pieces count: Int) -> [[UInt8]] {
        (0..<count).map { questionnaire(id, title: "Piece \($0)", noise: 12_000) }
    }

    /// A pull fetches the first pieces of a video, or resumes after those of an earlier one, and stops after this many
    /// in total; with all of them the video is complete.
    func pull(_ cache: Cache, _ id: String, upTo end: Int, of count: Int) throws {
        let pieces = Self.film(id, pieces: count)
        let whole = Array(pieces.joined())
        let address = Self.url(id)
        shelf.mayHold(address, whole)
        let response = StoredResponse(
            status: 200, fields: [.cacheControl: "max-age=60", .eTag: "\"1\""], requestTime: ManualClock.start,
            responseTime: ManualClock.start)
        let origin = PartOrigin(mediaType: "video/mp4", response: response, completeBytes: Int64(whole.count))
        guard
            let arriving = try cache.parts.take(url: address)
                ?? cache.responses.begin(url: address, expectedBytes: nil, origin: origin)
        else { throw CacheError.notCached(address) }
        let held = Int(arriving.count)
        let wanted = pieces[..<end].reduce(0) { $0 + $1.count }
        for place in stride(from: held, to: wanted, by: 24_000)
        where !arriving.append(Array(whole[place..<min(wanted, place + 24_000)])) {
            arriving.abandon()
            throw CacheError.notCached(address)
        }
        guard end == count else {
            try cache.parts.keep(arriving)
            return
        }
        try cache.responses.finish(arriving, mediaType: "video/mp4", isPulled: true) { responses, blob, length in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: response)
            ]
        }
    }

    /// A film arrives piece by piece, longer than what is held in memory.
    func bring(_ cache: Cache, _ id: String, pieces count: Int, isLengthKnown: Bool) throws {
        let pieces = Self.film(id, pieces: count)
        let whole = Array(pieces.joined())
        let address = Self.url(id)
        shelf.mayHold(address, whole)
        guard
            let arriving = cache.responses.begin(url: address, expectedBytes: isLengthKnown ? Int64(whole.count) : nil)
        else {
            throw CacheError.notCached(address)
        }
        for piece in pieces where !arriving.append(piece) {
            arriving.abandon()
            throw CacheError.notCached(address)
        }
        let response = StoredResponse(
            status: 200, fields: [.cacheControl: "max-age=60"], requestTime: ManualClock.start,
            responseTime: ManualClock.start)
        try cache.responses.finish(arriving, mediaType: "video/mp4") { responses, blob, length in
            responses = [
                CacheVariant(blob: blob, sizeBytes: Int(length), mediaType: "video/mp4", response: response)
            ]
        }
    }

    /// A person changes a questionnaire here, with `quire cache edit`.
    func adopt(_ cache: Cache, _ id: String, title: String) throws {
        let address = Self.url(id)
        guard let entry = try cache.entry(url: address).value else { throw CacheError.notCached(address) }
        let bytes = Self.questionnaire(id, title: title)
        shelf.mayHold(address, bytes)
        try cache.adopt(bytes, editOf: entry, summary: try Self.summary(bytes))
        shelf.isEdited(address, bytes)
    }

    // MARK: The promises

    /// - Parameter isSameBoot: the machine runs on; only processes have died.
    func brokenPromises(isSameBoot: Bool = false) -> [String] {
        do { return shelf.overQuota(quotaBytes) + (try check(boot: isSameBoot ? "boot-1" : "boot-2")) } catch {
            return ["it cannot be used: \(error)"]
        }
    }

    private func check(boot: String) throws -> [String] {
        disk.clearPlan()
        let cache = cache(boot: boot)
        var broken = try brokenContents(cache)
        // The index says what is there, whatever has become of it.
        let quick = try quickList(cache)
        let listed = try cache.catalog.records()
        if let quick, quick != Set(listed.compactMap(ListedDocument.init)) {
            broken.append("a quick list shows something else than what is there")
        }
        for record in listed where try cache.entry(url: record.url).value?.digest != record.digest {
            broken.append("the list has other content for \(record.url) than its entry")
        }
        let found = Set(try cache.search.matches("title").map(\.record.url))
        for record in listed where record.isPresent && record.document?.title == "Title" && !found.contains(record.url)
        {
            broken.append("\(record.url) is not found")
        }
        _ = try cache.survey.verify()
        let verified = try cache.survey.verify()
        if !verified.damaged.isEmpty || !verified.strangers.isEmpty {
            broken.append("a second check finds \(verified)")
        }
        // The next one continues with whatever was left.
        tick()
        try store(cache, "next")
        if try content(cache, Self.url("next")) != Self.questionnaire("next") {
            broken.append("what is stored is gone")
        }
        if chargedBytes > quotaBytes { broken.append("it takes \(chargedBytes) bytes") }
        if try cache.space.briefStatistics().bytes < chargedBytes { broken.append("the ledger is too low") }
        _ = try cache.space.trim(toBytes: quotaBytes)
        if try cache.space.briefStatistics().bytes != chargedBytes { broken.append("the ledger is wrong") }
        // After some quiet the lines of the index are there again, and true.
        for _ in 0..<2 {
            disk.clock.advance(by: .seconds(3))
            _ = try cache.catalog.records()
        }
        if try quickList(cache) != Set(cache.catalog.records().compactMap(ListedDocument.init)) {
            broken.append("there is no quick list, or another one than of what is there")
        }
        for path in disk.filePaths where path.hasSuffix(".tmp") { broken.append("\(path) was left over") }
        return broken + (try brokenContents(cache))
    }

    /// The documents of a list that relies on the folders' times alone; `nil` if it cannot.
    private func quickList(_ cache: Cache) throws -> Set<ListedDocument>? {
        guard let catalog = try cache.catalog.currentCatalog() else { return nil }
        var documents: Set<ListedDocument> = []
        return try catalog.eachDocument { documents.insert($0) } ? documents : nil
    }

    private func content(_ cache: Cache, _ url: String) throws -> [UInt8]? {
        guard let entry = try cache.entry(url: url).value else { return nil }
        return try cache.content(of: entry).value?.bytes
    }

    /// A miss is allowed, wrong bytes are not.
    private func brokenContents(_ cache: Cache) throws -> [String] {
        var broken: [String] = []
        for (url, allowed) in shelf.all {
            guard let bytes = try content(cache, url) else {
                if url == Self.url(Self.pinned) { broken.append("what was pinned is gone") }
                if allowed.edit != nil { broken.append("the edit of \(url) is lost") }
                continue
            }
            if let edit = allowed.edit {
                if bytes != edit { broken.append("the edit of \(url) is undone") }
            } else if !allowed.versions.contains(bytes) {
                broken.append("\(url) has content that never arrived")
            }
        }
        return broken
    }
}

/// The possible content of each URL, recorded outside of the cache.
final class CacheShelf: Sendable {
    struct Allowed {
        var versions: Set<[UInt8]> = []
        /// Made here, and acknowledged: no other copy of it exists.
        var edit: [UInt8]?
    }

    private struct State {
        var allowed: [String: Allowed] = [:]
        var peakBytes: Int64 = 0
    }

    private let state = Mutex(State())

    var all: [String: Allowed] { state.withLock { $0.allowed } }

    func mayHold(_ url: String, _ bytes: [UInt8]) {
        state.withLock { _ = $0.allowed[url, default: Allowed()].versions.insert(bytes) }
    }

    func isEdited(_ url: String, _ bytes: [UInt8]?) { state.withLock { $0.allowed[url]?.edit = bytes } }

    func note(_ bytes: Int64) { state.withLock { $0.peakBytes = max($0.peakBytes, bytes) } }

    func overQuota(_ quotaBytes: Int64) -> [String] {
        let peak = state.withLock { $0.peakBytes }
        return peak > quotaBytes ? ["for a moment the cache took \(peak) bytes"] : []
    }

    func copy() -> CacheShelf {
        let copy = CacheShelf()
        let now = state.withLock { $0 }
        copy.state.withLock { $0 = now }
        return copy
    }
}
