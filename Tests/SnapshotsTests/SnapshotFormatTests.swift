import FoundationEssentials
import Model
import OutboxStore
import Quire
import SystemPackage
import Testing

@testable import Snapshots

@Suite("The format of snapshots")
struct SnapshotFormatTests {
    /// Snapshots that a program of format 1 wrote.
    private func former(_ name: String) -> FilePath {
        FilePath(
            URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/snapshots/\(name)").path)
    }

    @Test(
        "a snapshot of format 1 is intact and restored", arguments: ["format-1.json.quire", "format-1.protobuf.quire"])
    func formatOne(_ name: String) async throws {
        let fixture = try await SnapshotFixture()
        let (summary, files) = try StoreSnapshot.verify(former(name))
        #expect(summary.isIntact && summary.header?.version == 1 && files.count == 16)
        let report = try StoreSnapshot.restore(former(name), to: fixture.file("new"), clock: fixture.clock)
        #expect(report.tests.taken.count == 4 && report.summary.isIntact, "\(report)")
        let store = try QuireStore.open(at: fixture.file("new"), clock: fixture.clock)
        #expect(try store.library().map(\.id).sorted() == ["capitals", "rivers"])
        for status in [TestStatus.sent, .inProgress, .done] {
            #expect(try store.outbox.scan().items(status).count { $0.kind == .test } == 1, "\(status)")
        }
        let next = try StoreSnapshot.restore(
            former("format-1.since.quire"), to: fixture.file("new"), clock: fixture.clock)
        #expect(next.tests.advanced.count == 1 && next.tests.conflicts.isEmpty && next.discarded.isEmpty)
        // A byte more in the last file of the older form is still found.
        var bytes = try fixture.bytes(former(name))
        bytes[bytes.count / 2] ^= 0xFF
        try fixture.write(bytes, to: fixture.file("changed"))
        #expect(try !StoreSnapshot.verify(fixture.file("changed")).summary.isIntact)
    }

    @Test("the final digest covers every record", arguments: SnapshotFormat.allCases)
    func finalDigest(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("base.quire")
        try fixture.store.marks.unset(.favorite, id: "lakes")
        try fixture.store.marks.set(.pin, id: "lakes")
        try fixture.save("s.quire", .init(format: format, since: fixture.file("base.quire")))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        var start = 0
        var kinds: Set<String> = []
        while start < bytes.count {
            let header = try #require(SnapshotBlock.header(bytes[start...]))
            let end = start + header.sizeBytes
            let record = try SnapshotBlock.decode(Array(bytes[start..<end]), format).record
            if let changed = Self.changed(record, &kinds) {
                let block = try SnapshotBlock.encode(changed, format, snapshot: header.snapshot)
                try fixture.write(Array(bytes[..<start]) + block + Array(bytes[end...]), to: fixture.file("changed"))
                let (summary, _) = try StoreSnapshot.verify(fixture.file("changed"))
                #expect(!summary.isIntact && summary.digest == nil, "\(changed)")
                try fixture.write(Array(bytes[..<end]) + Array(bytes[start...]), to: fixture.file("twice"))
                #expect(try !StoreSnapshot.verify(fixture.file("twice")).summary.isIntact, "\(changed)")
            }
            start = end
        }
        #expect(kinds == ["header", "manifest", "file", "unchanged", "former"])
    }

    /// The same record with another value in a member that has no digest of its own; `nil` for the end.
    private static func changed(_ record: SnapshotRecord, _ kinds: inout Set<String>) -> SnapshotRecord? {
        switch record {
        case .header(var header):
            kinds.insert("header")
            header.createdAt = .epoch
            return .header(header)
        case .manifest(let paths):
            kinds.insert("manifest")
            return .manifest(Array(paths.dropLast()))
        case .file(var file):
            kinds.insert("file")
            file.modified = .epoch
            return .file(file)
        case .unchanged(let paths):
            kinds.insert("unchanged")
            return .unchanged(Array(paths.dropLast()))
        case .former(let files):
            kinds.insert("former")
            return .former(Array(files.dropLast()))
        case .piece, .absent, .end, .unknown: return nil
        }
    }

    @Test("the final digest is what sha256sum prints of all records but the last")
    func digestByHand() async throws {
        let fixture = try await SnapshotFixture()
        let report = try fixture.save("s.quire")
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        var start = 0
        var records: [[UInt8]] = []
        while start < bytes.count {
            let size = try #require(SnapshotBlock.header(bytes[start...])).sizeBytes
            records.append(try SnapshotBlock.decode(Array(bytes[start..<start + size]), .json).bytes)
            start += size
        }
        #expect(Digest(sha256Of: Array(records.dropLast().joined())) == report.digest)
    }
}
