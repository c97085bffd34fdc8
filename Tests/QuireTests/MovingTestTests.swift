import Disk
import Model
import OutboxStore
import Quire
import Simulation
import SystemPackage
import Testing

/// A sync of another process moves a test from folder to folder while it is looked at.
@Suite("a test that moves while it is looked at")
struct MovingTestTests {
    /// The store of another process, where files are moved at the moment one of them is to be opened, or its time to be set.
    private func store(
        _ fixture: StoreFixture, moving moves: [(from: FilePath, to: FilePath)], at place: FilePath
    ) throws -> QuireStore {
        let sync = fixture.files
        let move: @Sendable (FilePath) -> Void = { path in
            guard path == place else { return }
            for (from, to) in moves { try? sync.rename(from, to: to, replacing: false) }
        }
        let hooked = HookedFileSystem(
            fixture.files,
            onOpen: {
                move($0)
                return nil
            }, onSetModified: move)
        return try QuireStore.open(hooked, clock: fixture.disk.clock, bootIdentity: "boot-1")
    }

    /// A finished test, which another process begins to send.
    private func moving(in fixture: StoreFixture) async throws -> (QuireStore, OutboxItem) {
        let id = try await fixture.finished()
        let (waiting, sending) = (OutboxItem(id: id, status: .done), OutboxItem(id: id, status: .sending))
        return (try store(fixture, moving: [(waiting.path, sending.path)], at: waiting.path), sending)
    }

    @Test("is in the list once, where it is now")
    func listed() async throws {
        let fixture = try await StoreFixture()
        let other = try await fixture.finished()
        let (store, sending) = try await moving(in: fixture)
        #expect(try store.tests().map(\.item) == [OutboxItem(id: other, status: .done), sending])
    }

    @Test("is found by its id")
    func found() async throws {
        let (store, sending) = try await moving(in: try await StoreFixture())
        let line = try store.outboxListing.test(sending.id)
        #expect(line.item == sending && line.record?.id == sending.id)
    }

    @Test("is read by its id")
    func read() async throws {
        let (store, sending) = try await moving(in: try await StoreFixture())
        #expect(try store.outbox.test(sending.id)?.status == .sending)
        let none = try #require(TestID("00000000-0000-4000-8000-000000000000"))
        #expect(try store.outbox.test(none) == nil)
    }

    @Test("is explained where it is now")
    func explained() async throws {
        let (store, sending) = try await moving(in: try await StoreFixture())
        let explanation = try store.explain(OutboxItem(id: sending.id, status: .done))
        #expect(explanation.status == .sending && explanation.title != nil)
    }

    @Test("cannot be sent again while it is being sent")
    func retried() async throws {
        let (store, sending) = try await moving(in: try await StoreFixture())
        #expect(throws: OutboxError.illegalMove(sending.id, from: .sending, to: .done)) {
            try store.outbox.edits.retry(sending.id)
        }
    }

    @Test("is left alone when all are to be sent again")
    func retriedWithAll() async throws {
        let fixture = try await StoreFixture()
        let (store, sending) = try await moving(in: fixture)
        let later = fixture.disk.clock.now.adding(seconds: 60).nanosecondsSinceEpoch
        try fixture.files.setModified(OutboxItem(id: sending.id, status: .done).path, nanoseconds: later)
        #expect(try store.retryAll().retried == [])
        #expect(try store.outbox.find(sending.id) == sending)
    }

    @Test("is not taken for the other version, which is in conflict")
    func twoVersions() async throws {
        let fixture = try await StoreFixture()
        let (store, sending) = try await moving(in: fixture)
        let conflict = OutboxItem(id: sending.id, status: .conflict)
        let bytes = try fixture.store.outbox.bytes(of: OutboxItem(id: sending.id, status: .done))
        try fixture.files.writeUnsynced(
            bytes, to: conflict.path, temporaryFolder: conflict.path.removingLastComponent())
        #expect(Set(try store.tests().map(\.item)) == [sending, conflict])
    }

    @Test("is shown with the receipt of the folder that it moved to")
    func receipt() async throws {
        let fixture = try await StoreFixture()
        let id = try await fixture.finished()
        _ = try await fixture.sweep()
        let item = try #require(try fixture.store.outbox.find(id))
        #expect(item.status.isDelivered)
        let rated = OutboxItem(id: id, status: item.status == .rated ? .sent : .rated)
        // The receipt goes first, so that it is missing where the test was read.
        let (from, to) = (OutboxLayout.receiptPath(id, item.status), OutboxLayout.receiptPath(id, rated.status))
        let store = try store(fixture, moving: [(item.path, rated.path), (from, to)], at: from)
        let line = try store.outboxListing.test(id)
        #expect(line.item == rated && line.receipt?.receivedAt != nil)
    }

    @Test("a draft that is finished elsewhere is frozen, not gone")
    func finishedElsewhere() async throws {
        let fixture = try await StoreFixture()
        let id = try fixture.store.begin(try await fixture.opened()).record.id
        let item = try #require(try fixture.store.outbox.find(id))
        let store = try store(fixture, moving: [(item.path, OutboxItem(id: id, status: .done).path)], at: item.path)
        #expect(throws: OutboxError.frozen(id, .done)) { try store.outbox.draft(id) }
    }
}
