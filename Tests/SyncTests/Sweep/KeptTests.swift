import FoundationEssentials
import HTTPTypes
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import Synchronization
import Testing

/// A hub as a device sees it: it keeps tests, and later has the receipts of the server behind it.
private final class KeepingRemote: Remote {
    private struct State {
        var kept: [TestID: Digest] = [:]
        var delivered: Set<TestID> = []
        var forgets = false
        var puts = 0
        var isAway = false
    }

    let listURL = "https://host.example/v1/questionnaires"
    private let clock: ManualClock
    private let state = Mutex(State())

    init(clock: ManualClock) { self.clock = clock }

    var puts: Int { state.withLock { $0.puts } }

    /// The server behind has them now.
    func deliver() { state.withLock { $0.delivered = Set($0.kept.keys) } }
    /// Another hub is in the place of this one.
    func forget() { state.withLock { $0.kept = [:] } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func documentURL(id: String) -> String { listURL + "/" + id }
    func presence() -> Presence { .likely }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "only tests")
    }

    private func receipt(_ test: TestID, _ digest: Digest) -> Receipt {
        Receipt(test: test, digest: digest, status: .sent, receivedAt: ManualClock.start)
    }

    private func reply(_ status: Int, _ value: some Encodable) -> RemoteReply {
        RemoteReply(
            status: status, fields: [.contentType: "application/json"],
            // A reply without its body would fail the test.
            body: (try? DocumentCoding.encode(value)) ?? [], requestTime: clock.now, responseTime: clock.now)
    }

    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        let (isAway, isDelivered) = state.withLock { state in
            state.puts += 1
            if !state.isAway { state.kept[test] = digest }
            return (state.isAway, state.delivered.contains(test))
        }
        if isAway { throw RemoteFailure(.unreachable, "the hub is away") }
        if isDelivered { return reply(200, receipt(test, digest)) }
        return reply(202, KeptReceipt(test: test, digest: digest, keptAt: ManualClock.start))
    }

    private struct List: Encodable {
        var receipts: [Receipt]
        var kept: [KeptReceipt]
    }

    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        let state = state.withLock { ($0.kept, $0.delivered, $0.isAway) }
        if state.2 { throw RemoteFailure(.unreachable, "the hub is away") }
        var list = List(receipts: [], kept: [])
        for test in tests {
            guard let digest = state.0[test] else { continue }
            if state.1.contains(test) {
                list.receipts.append(receipt(test, digest))
            } else {
                list.kept.append(KeptReceipt(test: test, digest: digest, keptAt: ManualClock.start))
            }
        }
        return reply(200, list)
    }
}

@Suite("Tests that a hub keeps")
struct KeptTests {
    private func device() async throws -> (Device, KeepingRemote, TestID) {
        let device = try Device()
        device.remote.publish("a", document("a"))
        try await device.pull()
        return (device, KeepingRemote(clock: device.clock), try await device.finish("a"))
    }

    @Test(
        "a test that the hub keeps is not shown as sent; the server's own receipt makes it so, without a second delivery"
    )
    func life() async throws {
        let (device, hub, id) = try await device()
        let first = try await device.store.sweeper(hub).sweep()
        #expect(first.sent.isEmpty && first.waiting == 1 && first.kept == 1 && first.stopped == nil)
        #expect(try device.status(id) == .done)
        let line = try #require(try device.store.tests().first)
        #expect(line.keptAt == ManualClock.start && line.receipt?.status == nil && line.receipt?.receivedAt == nil)
        #expect(try device.store.explain(line.item).words(.english).state == "Kept at the hub")
        #expect(try device.store.explain(line.item).words(.russian).state == "Сохранено на узле")
        #expect(try device.store.outboxListing.keptCount() == 1)
        // Asked after each time, and not sent again before its time.
        let second = try await device.store.sweeper(hub).sweep()
        #expect(second.kept == 1 && hub.puts == 1)
        hub.deliver()
        let third = try await device.store.sweeper(hub).sweep()
        #expect(third.sent == [id] && third.waiting == 0 && third.kept == 0 && hub.puts == 1)
        let receipt = try device.store.outbox.receipt(OutboxItem(id: id, status: .sent))
        #expect(receipt?.receivedAt == ManualClock.start && receipt?.keptAt == nil && receipt?.delivery == nil)
    }

    @Test("a hub that does not know it any more gets it again at once; one that is away changes nothing")
    func forgotten() async throws {
        let (device, hub, id) = try await device()
        _ = try await device.store.sweeper(hub).sweep()
        hub.setAway(true)
        let away = try await device.store.sweeper(hub).sweep()
        #expect(away.isUnreachable && away.kept == 1 && hub.puts == 1)
        hub.setAway(false)
        hub.forget()
        let again = try await device.store.sweeper(hub).sweep()
        #expect(again.kept == 1 && hub.puts == 2)
        #expect(try device.status(id) == .done)
    }

    @Test("it is sent again by itself after a while, and a failure then does not make it unkept")
    func again() async throws {
        let (device, hub, id) = try await device()
        _ = try await device.store.sweeper(hub).sweep()
        // The first pause is a random one, and ends within four times the shortest.
        device.clock.advance(by: .seconds(4 * DeliveryDecision.shortestPauseWhenKeptSeconds))
        #expect(try await device.store.sweeper(hub).sweep().kept == 1)
        #expect(hub.puts == 2)
        device.remote.respond { $0.isPut ? .cutAfterStoring : nil }
        device.clock.advance(by: .seconds(7200))
        _ = try await device.store.sweeper(device.remote).sweep()
        #expect(try device.store.outboxListing.keptCount() == 1)
        #expect(try device.status(id) == .done)
    }

    @Test("its bytes never change any more: reopening begins a new revision")
    func reopened() async throws {
        let (device, hub, id) = try await device()
        _ = try await device.store.sweeper(hub).sweep()
        let revision = try device.store.outbox.edits.reopen(id, deviceID: "device")
        #expect(revision.record.id != id && revision.record.parent == id)
    }

    @Test("only the hub's word for these very bytes is one")
    func otherWords() throws {
        let (test, digest) = (TestID.random(), Digest(sha256Of: [1]))
        let now = ManualClock.start
        func decide(_ body: [UInt8]) -> DeliveryDecision {
            let reply = RemoteReply(status: 202, fields: [:], body: body, requestTime: now, responseTime: now)
            return .decide(
                .init(test: test, digest: digest, outcome: .success(reply), history: nil, now: now, jitter: 0))
        }
        let kept = KeptReceipt(test: test, digest: digest, keptAt: now)
        guard case .kept(let delivery, let keptAt, let notBefore) = decide(try DocumentCoding.encode(kept)) else {
            Issue.record("it is kept")
            return
        }
        #expect(delivery.mayHaveArrived && keptAt == now && notBefore.seconds(since: now) == 60)
        var others = [Array("".utf8), Array("{}".utf8), Array("<html>".utf8)]
        others.append(try DocumentCoding.encode(KeptReceipt(test: .random(), digest: digest, keptAt: now)))
        others.append(try DocumentCoding.encode(KeptReceipt(test: test, digest: Digest(sha256Of: []), keptAt: now)))
        others.append(try DocumentCoding.encode(Receipt(test: test, digest: digest, status: .sent, receivedAt: now)))
        for body in others {
            guard case .retry(_, _, .stop) = decide(body) else {
                Issue.record("\(String(decoding: body, as: UTF8.self)) is no such word")
                continue
            }
        }
    }
}
