import Model
import SystemPackage
import Testing

@testable import Snapshots

/// How many places are tried: all that `make torture` wants, or a sample.
private let places = 60

@Suite("Damaged snapshots")
struct DamagedSnapshotTests {
    /// Every file of a snapshot with its content's digest.
    private func contents(_ path: FilePath) throws -> (files: [String: Digest], summary: SnapshotSummary) {
        let reader = try StoreSnapshot.open(path)
        var files: [String: Digest] = [:]
        while let file = try reader.take() { files[file.path] = file.digest }
        return (files, reader.summary)
    }

    @Test("cut at any place, what came before is restored and the rest is named", arguments: SnapshotFormat.allCases)
    func cut(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try contents(fixture.file("s.quire")).files
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<places {
            let length = Int.random(in: 0..<bytes.count, using: &generator)
            try fixture.write(Array(bytes[..<length]), to: fixture.file("cut"))
            guard let found = try? contents(fixture.file("cut")) else { continue }
            #expect(found.summary.isCut && !found.summary.isIntact, "cut at \(length)")
            for (path, digest) in found.files { #expect(whole[path] == digest, "cut at \(length)") }
        }
    }

    @Test(
        "with a byte changed anywhere, no more than one file is lost, and none is wrong",
        arguments: SnapshotFormat.allCases)
    func changed(_ format: SnapshotFormat) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: format))
        let bytes = try fixture.bytes(fixture.file("s.quire"))
        let whole = try contents(fixture.file("s.quire")).files
        for _ in 0..<places {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count)
            changed[place] ^= UInt8.random(in: 1...255)
            try fixture.write(changed, to: fixture.file("changed"))
            let found = try contents(fixture.file("changed"))
            for (path, digest) in found.files { #expect(whole[path] == digest, "byte \(place)") }
            #expect(whole.count - found.files.count <= 1, "byte \(place)")
            // The operating system of a gzip header and the like change nothing.
            if found.files.count < whole.count {
                #expect(!found.summary.isIntact, "byte \(place)")
                #expect(found.summary.lost == whole.keys.filter { found.files[$0] == nil }.sorted(), "byte \(place)")
            }
        }
    }

    @Test("a damaged snapshot restores the tests that are intact")
    func restored() async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire")
        var bytes = try fixture.bytes(fixture.file("s.quire"))
        bytes.removeLast(bytes.count / 3)
        try fixture.write(bytes, to: fixture.file("cut"))
        let (store, report) = try fixture.restore("cut", to: "new")
        #expect(!report.summary.isIntact)
        #expect(try store.outbox.find(fixture.draft) != nil)
    }
}
