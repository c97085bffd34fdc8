import CacheStore
import FoundationEssentials
import Model
import OutboxStore
import Quire
import SystemPackage
import Testing

@testable import Snapshots

/// What is tried: a sample, or all of `make torture`.
private let isWhole = ProcessInfo.processInfo.environment["QUIRE_TORTURE"] == "whole"

/// A snapshot that is damaged at many places.
struct DamagedSnapshot: CustomTestStringConvertible, Sendable {
    var format: SnapshotFormat
    /// The length of the file that is attached to its draft: in pieces of 256 KiB.
    var attachedBytes: Int
    /// How many places are tried.
    var places: Int

    static let all = SnapshotFormat.allCases.flatMap { format in
        [
            DamagedSnapshot(format: format, attachedBytes: 300_000, places: isWhole ? 1000 : 24),
            DamagedSnapshot(format: format, attachedBytes: 3_000_000, places: isWhole ? 1000 : 3),
        ]
    }

    var testDescription: String { "\(format), \(attachedBytes) bytes attached, \(places) places" }

    /// Prints a line of a complete run.
    func report(_ what: String) { if isWhole { print("\(testDescription): \(what)") } }
}

@Suite("Damaged snapshots")
struct DamagedSnapshotTests {
    private struct Content {
        var files: [String: Digest] = [:]
        var announced: Set<String> = []
        var summary: SnapshotSummary
    }

    /// Every intact file of a snapshot with its digest, and what its intact records announce.
    private func content(_ path: FilePath) throws -> Content {
        let reader = try StoreSnapshot.open(StoreSnapshot.place(of: path))
        var files: [String: Digest] = [:]
        while let file = try reader.take() { files[file.path] = file.digest }
        return Content(files: files, announced: reader.announcedPaths, summary: reader.summary)
    }

    /// What is restored is what was saved: each file of the outbox and each document, byte for byte.
    private func expectRight(_ store: QuireStore, _ fixture: SnapshotFixture, _ comment: Comment) throws {
        let saved = try fixture.tests(fixture.store)
        for (path, bytes) in try fixture.tests(store) where saved[path] != nil {
            let isRight = saved[path] == bytes
            #expect(isRight, comment)
        }
        for item in try store.library() {
            let entry = try #require(try store.documents.entry(id: item.id, remote: nil))
            let original = try #require(try fixture.store.documents.entry(id: item.id, remote: nil))
            #expect(entry.digest == original.digest, comment)
            #expect(
                try store.cache.content(of: entry).value?.bytes
                    == fixture.store.cache.content(of: original).value?.bytes)
        }
    }

    @Test("cut at any place, what came before is restored and the rest is named", arguments: DamagedSnapshot.all)
    func cut(_ damaged: DamagedSnapshot) async throws {
        let fixture = try await SnapshotFixture(attachedBytes: damaged.attachedBytes)
        try fixture.save("s.quire", .init(format: damaged.format))
        var (files, lost, restored) = (0, 0, 0)
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try content(fixture.file("s.quire"))
        for number in 0..<damaged.places {
            let length = Int.random(in: 0..<bytes.count)
            try fixture.write(Array(bytes[..<length]), to: fixture.file("cut"))
            guard let found = try? content(fixture.file("cut")) else {
                // Not one record is there.
                #expect(throws: SnapshotFault.self) { try fixture.restore("cut", to: "none") }
                continue
            }
            #expect(found.summary.isCut && !found.summary.isIntact, "cut at \(length)")
            for (path, digest) in found.files { #expect(whole.files[path] == digest, "cut at \(length)") }
            #expect(found.announced.isSubset(of: found.summary.lost), "cut at \(length)")
            #expect(found.summary.lost.allSatisfy { found.files[$0] == nil }, "cut at \(length)")
            files += found.files.count
            lost += found.summary.lost.count
            if number % 8 == 0 {
                let (store, report) = try fixture.restore("cut", to: "cut-\(number)")
                #expect(report.summary == found.summary, "cut at \(length)")
                try expectRight(store, fixture, "cut at \(length)")
                restored += 1
            }
        }
        damaged.report(
            "cut: \(files) files read, each as it was saved, \(lost) named as lost; \(restored) restored into a store")
    }

    @Test(
        "cut in the content, what only passed through the cache is not named as lost",
        arguments: SnapshotFormat.allCases)
    func passedThrough(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        let path = CacheLayout.entryPath(url: SnapshotFixture.pictureURL)
        let place = fixture.store.path.pushing(path)
        let entry = String(decoding: try fixture.bytes(place), as: UTF8.self)
        let passed = entry.replacing(/"pulled"\s*:\s*true/, with: #""pulled":false"#)
        #expect(passed != entry)
        try fixture.write(Array(passed.utf8), to: place)
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        var cuts = 0
        for length in stride(from: bytes.count, to: 0, by: -max(1, bytes.count / 200)) {
            try fixture.write(Array(bytes[..<length]), to: fixture.file("cut"))
            guard let found = try? content(fixture.file("cut")), found.summary.isCut,
                found.files.keys.contains(where: { $0.hasPrefix("cache/entries") })
            else { continue }
            cuts += 1
            #expect(!found.summary.lost.contains(path.string), "cut at \(length)")
        }
        #expect(cuts > 0)
    }

    @Test(
        "with a byte changed anywhere, no more than one file is lost and named, and none is wrong",
        arguments: DamagedSnapshot.all)
    func changed(_ damaged: DamagedSnapshot) async throws {
        let fixture = try await SnapshotFixture(attachedBytes: damaged.attachedBytes)
        try fixture.save("s.quire", .init(format: damaged.format))
        var (files, named, harmless, restored) = (0, 0, 0, 0)
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try content(fixture.file("s.quire")).files
        for number in 0..<damaged.places {
            var changed = bytes
            // The first ones in the records that come first: the header, the lists of paths, the settings.
            let place = number < damaged.places / 4 ? number * 7 % 2000 : Int.random(in: 0..<bytes.count)
            changed[place] ^= UInt8.random(in: 1...255)
            try fixture.write(changed, to: fixture.file("changed"))
            let found = try content(fixture.file("changed"))
            for (path, digest) in found.files { #expect(whole[path] == digest, "byte \(place)") }
            let lost = whole.keys.filter { found.files[$0] == nil }.sorted()
            #expect(lost.count <= 1, "byte \(place)")
            #expect(found.summary.lost == lost, "byte \(place)")
            // The operating system in a gzip header and the like change nothing.
            if !lost.isEmpty { #expect(!found.summary.isIntact, "byte \(place)") }
            files += found.files.count
            named += lost.count
            if found.summary.isIntact { harmless += 1 }
            if number % 8 == 0 {
                let (store, report) = try fixture.restore("changed", to: "changed-\(number)")
                #expect(report.summary == found.summary, "byte \(place)")
                try expectRight(store, fixture, "byte \(place)")
                restored += 1
            }
        }
        damaged.report(
            "a byte changed: \(files) files read, each as it was saved, \(named) lost and named, \(harmless) changes "
                + "without an effect; \(restored) restored into a store")
    }

    @Test("a damaged snapshot restores the tests that are intact, and the next restore completes them")
    func completed() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        try fixture.write(Array(bytes[..<(bytes.count * 2 / 3)]), to: fixture.file("cut"))
        let (_, first) = try fixture.restore("cut", to: "new")
        #expect(!first.summary.isIntact)
        let (store, second) = try fixture.restore("s.quire", to: "new")
        #expect(second.summary.isIntact && second.tests.conflicts.isEmpty)
        #expect(try fixture.differences(store, fixture.store) == [])
        #expect(try store.library().map(\.id).sorted() == ["capitals", "lakes", "rivers"])
    }

    @Test("without its settings a snapshot restores a store of another device, with the longest of its files")
    func settings() async throws {
        let fixture = try await SnapshotFixture(attachedBytes: 1_000_000)
        try fixture.save("s.quire")
        var bytes = try fixture.bytes(fixture.file("s.quire"))
        // The third member: the header and the first list of paths come before it.
        var start = 0
        for _ in 0..<2 { start += try #require(SnapshotBlock.header(bytes[start...])).sizeBytes }
        bytes[start + SnapshotBlock.headerBytes + 9] ^= 0xFF
        try fixture.write(bytes, to: fixture.file("changed"))
        let (store, report) = try fixture.restore("changed", to: "new")
        #expect(report.isNew && report.summary.lost == ["store.json"])
        #expect(store.settings.deviceId != "tablet")
        #expect(try fixture.differences(store, fixture.store) == [])
    }

    @Test("a snapshot that is attached to a test is never taken for the one that it is in")
    func nested() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("inner.quire", .init(format: .protobuf))
        let inner = try fixture.bytes(fixture.file("inner.quire"))
        var pieces = [inner]
        let spooled = try fixture.store.outbox.media.spool(named: "inner.quire") { pieces.popLast() ?? [] }
        _ = try fixture.store.testAttachments.attach(
            spooled, to: fixture.draft, questionId: "q2", name: "inner.quire", mediaType: "application/octet-stream")
        try fixture.save("outer.quire", .init(format: .protobuf))
        let outer = try fixture.bytes(fixture.file("outer.quire"))
        let whole = try content(fixture.file("outer.quire")).files
        // Where the inner one begins, if it was stored as it is; its block is damaged right before.
        let start = try #require(
            outer.indices.first { outer[$0...].starts(with: inner[..<200]) } ?? outer.indices.last)
        var changed = outer
        changed[min(start, outer.count - 1) - 1] ^= 0xFF
        try fixture.write(changed, to: fixture.file("changed"))
        let found = try content(fixture.file("changed"))
        for (path, digest) in found.files { #expect(whole[path] == digest) }
    }

    @Test("a kind of record that is not known is skipped", arguments: SnapshotFormat.allCases)
    func unknownRecord(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        var longer: [UInt8] = []
        let writer = SnapshotBlockWriter(format) { longer += $0 }
        var start = 0
        while start < bytes.count {
            let size = try #require(SnapshotBlock.header(bytes[start...])).sizeBytes
            let record = try SnapshotBlock.decode(Array(bytes[start..<start + size]), format).record
            start += size
            if case .end(let end) = record {
                _ = try writer.finish { .end(.init(files: end.files, digest: $0)) }
            } else {
                try writer.put(record)
                try writer.put(.unknown)
            }
        }
        try fixture.write(longer, to: fixture.file("later.quire"))
        #expect(try StoreSnapshot.verify(fixture.file("later.quire")).summary.isIntact)
        let (store, _) = try fixture.restore("later.quire", to: "new")
        #expect(try fixture.differences(store, fixture.store) == [])
    }

    @Test("an entry that states another length than its content has is left out and named")
    func wrongLength() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        var changed: [UInt8] = []
        var paths: [String] = []
        let writer = SnapshotBlockWriter(.json) { changed += $0 }
        var start = 0
        while start < bytes.count {
            let size = try #require(SnapshotBlock.header(bytes[start...])).sizeBytes
            var record = try SnapshotBlock.decode(Array(bytes[start..<start + size]), .json).record
            start += size
            if case .file(var file) = record, let content = file.content, file.path.hasPrefix("cache/entries/"),
                case let text = String(decoding: content, as: UTF8.self), text.contains("\"sizeBytes\" : 90000")
            {
                paths.append(file.path)
                let hostile = Array(text.replacing("\"sizeBytes\" : 90000", with: "\"sizeBytes\" : 10").utf8)
                (file.content, file.sizeBytes, file.digest) = (hostile, Int64(hostile.count), Digest(sha256Of: hostile))
                record = .file(file)
            }
            if case .end(let end) = record {
                _ = try writer.finish { .end(.init(files: end.files, digest: $0)) }
            } else {
                try writer.put(record)
            }
        }
        try fixture.write(changed, to: fixture.file("changed.quire"))
        let report = try StoreSnapshot.restore(fixture.file("changed.quire"), to: fixture.file("new"))
        #expect(report.unknown == paths && paths.count == 1 && report.summary.isIntact)
    }

    @Test("names that no memory holds are refused, of damaged files and of intact ones", arguments: [true, false])
    func manyNames(isIntact: Bool) async throws {
        let fixture = try await SnapshotFixture()
        var bytes: [UInt8] = []
        let writer = SnapshotBlockWriter(.json) { bytes += $0 }
        for number in 0..<100 {
            try writer.put(
                .file(
                    .init(
                        path: "\(number)", modified: .epoch, sizeBytes: 1,
                        digest: Digest(sha256Of: isIntact ? [1] : [2]), content: [1])))
        }
        _ = try writer.finish { .end(.init(files: 100, digest: $0)) }
        try fixture.write(bytes, to: fixture.file("names.quire"))
        func reader(mostNotedBytes: Int) throws -> SnapshotReader {
            let content = try OpenContent("names.quire", in: POSIXFileSystem(root: fixture.folder))
            let reader = try SnapshotReader(content, name: "names.quire")
            reader.mostNotedBytes = mostNotedBytes
            return reader
        }
        let roomy = try reader(mostNotedBytes: 10_000)
        while try roomy.take() != nil {}
        #expect(roomy.summary.files == (isIntact ? 100 : 0) && roomy.summary.lost.count == (isIntact ? 0 : 100))
        let narrow = try reader(mostNotedBytes: 5000)
        #expect(throws: SnapshotFault.self) { while try narrow.take() != nil {} }
    }

    @Test("a record that no reader takes is not written")
    func longRecord() {
        let name = String(repeating: "a", count: 80)
        let paths = (0..<60_000).map { "cache/entries/\($0)-\(name).json" }
        #expect(throws: SnapshotFault.self) { try SnapshotBlock.encode(.manifest(paths), .json, snapshot: 1) }
    }
}
