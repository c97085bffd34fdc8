import Disk
import FoundationEssentials
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

@testable import Snapshots

@Suite("Tests and receipts of a snapshot, one of which is damaged")
struct SavedReceiptTests {
    /// Damages the record of one file, and leaves the others.
    private func damage(_ path: String, in name: String, _ fixture: SnapshotFixture) throws {
        var bytes = try fixture.bytes(fixture.file(name))
        var start = 0
        while start < bytes.count {
            let header = try #require(SnapshotBlock.header(bytes[start...]))
            let block = Array(bytes[start..<start + header.sizeBytes])
            if case .file(let file) = try SnapshotBlock.decode(block, header.format).record, file.path == path {
                bytes[start + header.sizeBytes / 2 + 10] ^= 0xFF
                return try fixture.write(bytes, to: fixture.file("damaged.quire"))
            }
            start += header.sizeBytes
        }
        Issue.record("\(path) is not in \(name)")
    }

    private func receipt(_ id: TestID, _ status: TestStatus) -> String { OutboxLayout.receiptPath(id, status).string }

    @Test(
        "a delivered test without its receipt is restored, and sent again with the same bytes",
        arguments: [true, false])
    func delivered(isProtobuf: Bool) async throws {
        let fixture = try await SnapshotFixture()
        try fixture.save("s.quire", .init(format: isProtobuf ? .protobuf : .json))
        let status = try #require(try fixture.store.outbox.find(fixture.delivered)?.status)
        try damage(receipt(fixture.delivered, status), in: "s.quire", fixture)
        let (store, report) = try fixture.restore("damaged.quire", to: "new")
        #expect(report.summary.lost == [receipt(fixture.delivered, status)])
        #expect(report.tests.unproven == [fixture.delivered])
        let item = try #require(try store.outbox.find(fixture.delivered))
        let sent = try #require(try fixture.store.outbox.find(fixture.delivered))
        #expect(item.status == .done)
        #expect(try store.outbox.bytes(of: item) == fixture.store.outbox.bytes(of: sent))
        #expect(try store.outbox.receipt(item)?.delivery?.mayHaveArrived == true)
        // Reopened, it is another test: these bytes never change.
        #expect(try store.outbox.edits.reopen(fixture.delivered, deviceID: "tablet").record.id != fixture.delivered)
        let known = fixture.remote.tests[fixture.delivered]
        _ = try await store.sweeper(fixture.remote).sweep()
        #expect(try store.outbox.find(fixture.delivered)?.status.isDelivered == true)
        #expect(known != nil && fixture.remote.tests[fixture.delivered] == known)
        #expect(Set(fixture.remote.arrivals).count == fixture.remote.arrivals.count)
        // Where the receipt is here, nothing is sent again.
        let (own, merged) = try fixture.restore("damaged.quire", to: "store")
        #expect(merged.tests.unproven.isEmpty && merged.tests.conflicts.isEmpty)
        #expect(try own.outbox.find(fixture.delivered)?.status == status)
    }

    @Test("a waiting test without the record of its attempts may be at the server")
    func waiting() async throws {
        let fixture = try await SnapshotFixture()
        fixture.remote.respond { _ in .status(503) }
        _ = try await fixture.store.sweeper(fixture.remote).sweep()
        try fixture.save("s.quire")
        try damage(receipt(fixture.finished, .done), in: "s.quire", fixture)
        let (store, report) = try fixture.restore("damaged.quire", to: "new")
        #expect(report.tests.unproven == [fixture.finished])
        let item = OutboxItem(id: fixture.finished, status: .done)
        #expect(try store.outbox.receipt(item)?.delivery?.mayHaveArrived == true)
    }

    @Test("a receipt without its test is used for the test that is here, and otherwise kept in quarantine")
    func withoutTest() async throws {
        let fixture = try await SnapshotFixture()
        let before = try fixture.save("before.quire")
        #expect(before.leftOut.isEmpty)
        _ = try await fixture.store.sweeper(fixture.remote).sweep()
        try fixture.save("s.quire")
        let status = try #require(try fixture.store.outbox.find(fixture.finished)?.status)
        try damage(OutboxLayout.testPath(fixture.finished, status).string, in: "s.quire", fixture)
        let (alone, report) = try fixture.restore("damaged.quire", to: "alone")
        #expect(report.tests.withoutAnswers == [fixture.finished])
        #expect(try alone.outbox.find(fixture.finished) == nil)
        let quarantine = try fixture.tree(alone, "quarantine").keys
        #expect(quarantine.contains { $0.hasSuffix("\(fixture.finished).receipt.json") })
        #expect(try fixture.restore("damaged.quire", to: "alone").report.tests.withoutAnswers.isEmpty)
        try fixture.restore("before.quire", to: "new")
        let (store, second) = try fixture.restore("damaged.quire", to: "new")
        #expect(second.tests.withoutAnswers.isEmpty && second.tests.advanced.contains(fixture.finished))
        #expect(try store.outbox.find(fixture.finished)?.status == status)
    }

    @Test("a delivered test that is not what its receipt is for is restored as a conflict, and named")
    func contradiction() async throws {
        let fixture = try await SnapshotFixture()
        let path = try #require(try fixture.path(fixture.delivered, in: fixture.store))
        let file = fixture.store.path.appending(path)
        let changed = try fixture.bytes(file) + [0x0A]
        try fixture.write(changed, to: file)
        try fixture.save("s.quire")
        let (store, report) = try fixture.restore("s.quire", to: "new")
        #expect(report.tests.contradicting == [fixture.delivered] && report.refused.isEmpty)
        #expect(try store.outbox.find(fixture.draft) != nil && store.outbox.find(fixture.finished) != nil)
        let item = try #require(try store.outbox.find(fixture.delivered))
        #expect(item.status == .conflict)
        #expect(try store.outbox.bytes(of: item) == changed)
        #expect(try fixture.restore("s.quire", to: "new").report.tests.contradicting.isEmpty)
    }

    @Test("a test whose receipt is damaged in the store is saved, and the receipt is named")
    func damagedInStore() async throws {
        let fixture = try await SnapshotFixture()
        let status = try #require(try fixture.store.outbox.find(fixture.delivered)?.status)
        try fixture.write([1, 2, 3], to: fixture.store.path.appending(receipt(fixture.delivered, status)))
        let saved = try fixture.save("s.quire")
        #expect(saved.leftOut.count == 1 && saved.leftOut[0].contains(receipt(fixture.delivered, status)))
        let (store, report) = try fixture.restore("s.quire", to: "new")
        #expect(report.tests.unproven == [fixture.delivered] && report.summary.isIntact)
        #expect(try store.outbox.find(fixture.delivered)?.status == .done)
    }
}
