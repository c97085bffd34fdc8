import Disk
import Model
import OutboxStore
import Quire
import Simulation
import Testing

/// A sync of another process moves a test from folder to folder while it is looked at.
@Suite("a test that moves while it is looked at")
struct MovingTestTests {
    /// The store of another process, and a finished test that is being sent at the moment its file is to be opened.
    private func moving(in fixture: StoreFixture) async throws -> (QuireStore, OutboxItem) {
        let id = try await fixture.finished()
        let (waiting, sending) = (OutboxItem(id: id, status: .done), OutboxItem(id: id, status: .sending))
        let sync = fixture.files
        let files = HookedFileSystem(
            fixture.files,
            onOpen: { path in
                if path == waiting.path { try? sync.rename(path, to: sending.path, replacing: false) }
                return nil
            })
        return (try QuireStore.open(files, clock: fixture.disk.clock, bootIdentity: "boot-1"), sending)
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
}
