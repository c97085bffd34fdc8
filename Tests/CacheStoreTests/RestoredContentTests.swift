import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model
import Simulation
import SystemPackage
import Testing

/// What a snapshot gives back, and a test needs.
@Suite("Restored content")
struct RestoredContentTests {
    static let contents: [(name: String, isCompressed: Bool, bytes: [UInt8])] = [
        ("json", true, Array(#"{"id": "colours"}"#.utf8)),
        ("png", false, Array("a picture".utf8)),
        ("png", false, (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }),
    ]

    @Test(
        "content that is longer than its entry says is not read into memory", arguments: [10, 1 << 40], [true, false])
    func endless(sizeBytes: Int, isDocument: Bool) throws {
        let fixture = CacheFixture(quotaBytes: 16 << 20)
        let cache = fixture.cache()
        try cache.makeFolders()
        let summary = DocumentSummary(
            id: "a", title: "A", description: "", locale: nil, updatedAt: nil, questionCount: 1, media: [])
        let entry = CacheEntry(
            url: "http://origin.example/a",
            blob: CacheLayout.BlobName(digest: Digest(sha256Of: [1]), fileExtension: "mp4", isCompressed: false),
            sizeBytes: sizeBytes, mediaType: "video/mp4",
            response: StoredResponse(
                status: 200, fields: [:], requestTime: ManualClock.start, responseTime: ManualClock.start),
            document: isDocument ? summary : nil)
        var pieces = 0
        let result = try cache.transfer.restore(entry, isNeeded: true) { _ in
            pieces += 1
            return pieces > 1000 ? [] : [UInt8](repeating: 7, count: 1 << 16)
        }
        #expect(result == .noRoom && pieces <= 130, "\(pieces)")
        #expect(try cache.entry(url: entry.url).value == nil)
    }

    @Test("is durable after a repeat, whichever call of the first attempt failed", arguments: contents.indices)
    func failedFlush(of content: Int) throws {
        let (name, isCompressed, bytes) = Self.contents[content]
        let blob = CacheLayout.BlobName(
            digest: Digest(sha256Of: bytes), fileExtension: name, isCompressed: isCompressed)
        func restore(_ cache: Cache) throws -> CacheTransfer.Restoration {
            let result = try cache.transfer.restore(blob, sizeBytes: bytes.count) { offset in
                Array(bytes.dropFirst(Int(offset)).prefix(1 << 16))
            }
            try cache.transfer.makeDurable([blob.path])
            return result
        }
        for call in 1... {
            let fixture = CacheFixture()
            fixture.disk.plan(.error(.ioError), afterNext: call)
            do { _ = try restore(fixture.cache()) } catch is FileError {
                // The planned one.
            }
            let hasFailed = !fixture.disk.firedFaults.isEmpty
            fixture.disk.clearPlan()
            #expect(try restore(fixture.cache()) != .noRoom)
            for state in fixture.disk.allCrashStates(limit: 8) {
                let path = state.disk.process()
                let stored = try path.readFileIfPresent(blob.path, maximumBytes: 1 << 20)?.bytes
                let content = try stored.map { isCompressed ? try Gzip.decompress($0, maximumBytes: 1 << 20) : $0 }
                #expect(content == bytes, "call \(call): \(state.description)")
            }
            if !hasFailed { break }
        }
    }
}
