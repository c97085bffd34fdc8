import FoundationEssentials
import Model
import OutboxStore
import Quire
import SystemPackage
import Testing

@testable import Snapshots

/// How many places are tried: a sample, or all that `make torture` wants.
private let places = ProcessInfo.processInfo.environment["QUIRE_TORTURE"] == "whole" ? 1000 : 24

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
            let entry = try #require(try store.entry(id: item.id, remote: nil))
            let original = try #require(try fixture.store.entry(id: item.id, remote: nil))
            #expect(entry.digest == original.digest, comment)
            #expect(
                try store.cache.content(of: entry).value?.bytes
                    == fixture.store.cache.content(of: original).value?.bytes)
        }
    }

    @Test("cut at any place, what came before is restored and the rest is named", arguments: SnapshotFormat.allCases)
    func cut(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try content(fixture.file("s.quire"))
        for number in 0..<places {
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
            if number % 8 == 0 {
                let (store, report) = try fixture.restore("cut", to: "cut-\(number)")
                #expect(report.summary == found.summary, "cut at \(length)")
                try expectRight(store, fixture, "cut at \(length)")
            }
        }
    }

    @Test(
        "with a byte changed anywhere, no more than one file is lost and named, and none is wrong",
        arguments: SnapshotFormat.allCases)
    func changed(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try content(fixture.file("s.quire")).files
        for number in 0..<places {
            var changed = bytes
            // The first ones in the records that come first: the header, the lists of paths, the settings.
            let place = number < places / 4 ? number * 7 % 2000 : Int.random(in: 0..<bytes.count)
            changed[place] ^= UInt8.random(in: 1...255)
            try fixture.write(changed, to: fixture.file("changed"))
            let found = try content(fixture.file("changed"))
            for (path, digest) in found.files { #expect(whole[path] == digest, "byte \(place)") }
            let lost = whole.keys.filter { found.files[$0] == nil }.sorted()
            #expect(lost.count <= 1, "byte \(place)")
            #expect(found.summary.lost == lost, "byte \(place)")
            // The operating system in a gzip header and the like change nothing.
            if !lost.isEmpty { #expect(!found.summary.isIntact, "byte \(place)") }
            if number % 8 == 0 {
                let (store, report) = try fixture.restore("changed", to: "changed-\(number)")
                #expect(report.summary == found.summary, "byte \(place)")
                try expectRight(store, fixture, "byte \(place)")
            }
        }
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

    @Test("a snapshot that is attached to a test is never taken for the one that it is in")
    func nested() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("inner.quire", .init(format: .protobuf))
        let inner = try fixture.bytes(fixture.file("inner.quire"))
        var pieces = [inner]
        let spooled = try fixture.store.outbox.spoolMedia(named: "inner.quire") { pieces.popLast() ?? [] }
        _ = try fixture.store.attach(
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
}
