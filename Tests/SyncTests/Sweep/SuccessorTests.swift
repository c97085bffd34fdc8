import HTTPTypes
import Model
import Quire
import Simulation
import Sync
import Synchronization
import Testing

/// A station on the way to the server that only keeps changes: a hub, which forwards each itself, or a folder.
private final class KeepingChanges: Remote {
    private struct State {
        var kept: [TestID: KeptReceipt] = [:]
        var receipts: [TestID: Receipt] = [:]
        var deliveries: [ChangeDelivery] = []
    }

    let listURL = "https://host.example/v1/questionnaires"
    let keepsSuccessors: Bool
    private let state = Mutex(State())

    init(keepsSuccessors: Bool) { self.keepsSuccessors = keepsSuccessors }

    /// What was put there since the last look.
    func arrivals() -> [ChangeDelivery] {
        state.withLock { state in
            defer { state.deliveries = [] }
            return state.deliveries
        }
    }

    /// The server's receipt of a change lies there now.
    func acknowledge(_ change: OutgoingChange, etag: String) {
        state.withLock { state in
            state.kept[change.id] = nil
            state.receipts[change.id] = Receipt(
                test: change.id, digest: change.contentDigest, status: .sent, receivedAt: ManualClock.start,
                action: change.action, published: Publication(id: "made-1", etag: etag))
        }
    }

    func forget() { state.withLock { $0.kept = [:] } }
    /// Only a part of it is there.
    func cut(_ change: TestID) { state.withLock { $0.kept[change]?.digest = Digest(sha256Of: [0]) } }

    func documentURL(id: String) -> String { listURL + "/" + id }
    func presence() -> Presence { .likely }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "only changes")
    }

    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "only changes")
    }

    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "only changes")
    }

    private func reply(_ status: Int, _ value: some Encodable) -> RemoteReply {
        RemoteReply(
            status: status, fields: [.contentType: "application/json"],
            // A reply without its body would fail the test.
            body: (try? DocumentCoding.encode(value)) ?? [], requestTime: ManualClock.start,
            responseTime: ManualClock.start)
    }

    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply {
        let change = delivery.change
        let kept = KeptReceipt(
            test: change.id, action: change.action, digest: change.contentDigest, keptAt: ManualClock.start)
        state.withLock { state in
            state.deliveries.append(delivery)
            state.kept[change.id] = kept
        }
        return reply(202, kept)
    }

    private struct List: Encodable {
        var receipts: [Receipt]
        var kept: [KeptReceipt]
    }

    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let (kept, receipts) = state.withLock { ($0.kept, $0.receipts) }
        return reply(200, List(receipts: tests.compactMap { receipts[$0] }, kept: tests.compactMap { kept[$0] }))
    }
}

@Suite("Changes that go on from one that is kept on its way")
struct SuccessorTests {
    /// A questionnaire that was made here and edited twice, and the three changes in their order.
    private func device() async throws -> (Device, [OutgoingChange]) {
        let device = try Device()
        let id = try device.store.create(Array(document("x", title: "None").utf8)).id
        for (title, next) in [("None", "One"), ("One", "Two")] {
            let opened = try await device.store.open(id: id, remote: nil, isOffline: true)
            let text = String(decoding: opened.bytes, as: UTF8.self)
                .replacing("\"title\": \"\(title)\"", with: "\"title\": \"\(next)\"")
            try device.store.edit(opened, to: Array(text.utf8))
        }
        return (device, try device.store.outbox.changes().map(\.change))
    }

    @Test("a folder takes them beside it in one sync, each with the change that it goes on from")
    func folder() async throws {
        let (device, changes) = try await device()
        let remote = KeepingChanges(keepsSuccessors: true)
        let report = try await device.store.sweeper(remote).sweep()
        #expect(report.kept == 3 && report.waiting == 3 && report.stopped == nil)
        let arrivals = remote.arrivals()
        #expect(arrivals.map(\.change.id) == changes.map(\.id))
        #expect(arrivals.map(\.after) == [nil, changes[0].id, changes[1].id])
        #expect(arrivals.allSatisfy { $0.etag == nil })
        // Nothing goes again before its time.
        #expect(try await device.store.sweeper(remote).sweep().kept == 3 && remote.arrivals().isEmpty)
        // One of them is half a file: that one is put there again, by the base that is known by now.
        remote.acknowledge(changes[0], etag: "\"1\"")
        remote.cut(changes[1].id)
        let second = try await device.store.sweeper(remote).sweep()
        #expect(second.sent == [changes[0].id] && second.kept == 2)
        let again = remote.arrivals()
        #expect(again.map(\.change.id) == [changes[1].id])
        #expect(again.map(\.etag) == ["\"1\""] && again.map(\.after) == [nil])
        for (change, etag) in zip(changes.dropFirst(), ["\"2\"", "\"3\""]) { remote.acknowledge(change, etag: etag) }
        let last = try await device.store.sweeper(remote).sweep()
        #expect(Set(last.sent) == Set(changes.dropFirst().map(\.id)) && last.waiting == 0)
    }

    @Test("a folder that was wiped gets all of them again, the first one first")
    func wiped() async throws {
        let (device, changes) = try await device()
        let remote = KeepingChanges(keepsSuccessors: true)
        _ = try await device.store.sweeper(remote).sweep()
        _ = remote.arrivals()
        remote.forget()
        #expect(try await device.store.sweeper(remote).sweep().kept == 3)
        #expect(remote.arrivals().map(\.change.id) == changes.map(\.id))
    }

    @Test("a hub gets each when the one before it was delivered, with the version that this led to")
    func hub() async throws {
        let (device, changes) = try await device()
        let remote = KeepingChanges(keepsSuccessors: false)
        for (number, change) in changes.enumerated() {
            let report = try await device.store.sweeper(remote).sweep()
            #expect(report.kept == 1 && report.waiting == changes.count - number)
            let arrivals = remote.arrivals()
            #expect(arrivals.map(\.change.id) == [change.id])
            #expect(arrivals.map(\.etag) == [number == 0 ? nil : "\"\(number)\""] && arrivals[0].after == nil)
            remote.acknowledge(change, etag: "\"\(number + 1)\"")
        }
        #expect(try await device.store.sweeper(remote).sweep().waiting == 0)
    }
}
