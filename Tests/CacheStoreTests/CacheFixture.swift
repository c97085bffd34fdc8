import CacheStore
import Disk
import Glibc
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Synchronization
import SystemPackage
import Testing

/// How much is tried: with QUIRE_SIM_SEEDS=10, as `make torture` has it, ten times as many seeds, and every call.
let effort: Int = getenv("QUIRE_SIM_SEEDS").flatMap { Int(String(cString: $0)) }.map { max(1, $0) } ?? 1

/// A simulated disk with a cache on it.
struct CacheFixture: Sendable {
    let disk: SimulatedDisk
    /// The space for content, beside that of the index.
    let quotaBytes: Int64?
    private static let indexBytes: Int64 = 1 << 20
    let protected = ProtectedContent()
    /// Content that is evicted last, the first of it first.
    let retained = RetainedContent()

    init(quotaBytes: Int64? = nil) {
        disk = SimulatedDisk()
        self.quotaBytes = quotaBytes
    }

    private init(disk: SimulatedDisk, quotaBytes: Int64?) {
        self.disk = disk
        self.quotaBytes = quotaBytes
    }

    func after(_ disk: SimulatedDisk) -> CacheFixture { CacheFixture(disk: disk, quotaBytes: quotaBytes) }

    func cache(
        _ files: (any FileSystem)? = nil, memoryTierBytes: Int = 0, boot: String = "boot-1", looksOfAList: Int = 1000
    ) -> Cache {
        let files = files ?? disk.process()
        let quarantine = Quarantine(fileSystem: files, folder: "quarantine", clock: disk.clock)
        return Cache(
            fileSystem: files, quarantine: quarantine, clock: disk.clock,
            quotaBytes: quotaBytes.map { $0 + Self.indexBytes }, indexBytes: Self.indexBytes,
            memoryTierBytes: memoryTierBytes, bootIdentity: boot, looksOfAList: looksOfAList,
            protection: { [protected] in protected.value }, retained: { [retained] in retained.value })
    }

    /// The current space of blobs, entries and temporary files, as `du` counts it.
    var chargedBytes: Int64 {
        disk.dump().reduce(0) { total, file in
            guard ["cache/blobs", "cache/entries", "cache/tmp"].contains(where: { file.path.hasPrefix($0) }) else {
                return total
            }
            return total + (file.kind == .folder ? 4096 : Int64(file.bytes.count + 4095) / 4096 * 4096)
        }
    }

    /// Advances a little, so that each entry has a time of its own.
    func tick() { disk.clock.advance(by: .seconds(1)) }
}

final class RetainedContent: Sendable {
    private let content = Mutex<[Digest]>([])
    var value: [Digest] {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

final class ProtectedContent: Sendable {
    private let content = Mutex(Protection.nothing)
    var value: Protection {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
}

func url(_ id: String) -> String { "https://host.example/v1/questionnaires/" + id }

/// A questionnaire with so many bytes that do not compress away.
func questionnaire(_ id: String, title: String = "Title", noise: Int = 0) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(id.utf8.reduce(7) { $0 &* 31 &+ Int($1) }))
    let text = Hexadecimal.encode((0..<noise).map { _ in UInt8.random(in: 0...255, using: &generator) })
    return Array(#"{"id": "\#(id)", "title": "\#(title)", "questions": [{"id": "q1", "text": "\#(text)"}]}"#.utf8)
}

func arrival(_ id: String, _ bytes: [UInt8]? = nil, at address: String? = nil) throws -> Cache.Arrival {
    let bytes = bytes ?? questionnaire(id)
    var fields = HTTPFields()
    fields[.cacheControl] = "max-age=60"
    fields[.eTag] = "\"\(id)\""
    return Cache.Arrival(
        url: address ?? url(id), bytes: bytes, mediaType: "application/json",
        response: StoredResponse(
            status: 200, fields: fields, requestTime: ManualClock.start, responseTime: ManualClock.start),
        document: DocumentSummary(try Questionnaire(json: bytes), media: []))
}

extension Cache {
    /// The content of a URL; `nil` for a miss.
    func bytes(_ address: String) throws -> [UInt8]? {
        guard let entry = try entry(url: address).value else { return nil }
        return try content(of: entry).value?.bytes
    }
}
