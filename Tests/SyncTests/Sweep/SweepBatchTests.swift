import Disk
import Model
import OutboxStore
import Simulation
import Sync
import SystemPackage
import Testing

@Suite("The sweep takes many at once")
struct SweepBatchTests {
    @Test("many long receipts are heard a few at a time; those that are too long alone hold up none of the others")
    func longReceipts() async throws {
        let device = try await Device.withQuestionnaire()
        var ids: [TestID] = []
        for _ in 0..<20 { ids.append(try await device.finish("a")) }
        _ = try await device.sweep()
        ids.sort()
        // Seven neighbours are too long.
        let (long, others) = (ids[2..<9], ids[..<2] + ids[9...])
        let comment = String(repeating: "Well done. ", count: 100)
        for id in ids {
            let count = long.contains(id) ? 10 : 1
            device.remote.advance(
                id, to: .rated,
                evaluation: Evaluation(score: 1, maximum: 1, comment: String(repeating: comment, count: count)))
        }
        device.remote.setLongestReceiptList(bytes: 5000)
        let waiting = try await device.finish("a")
        device.remote.forgetRequests()
        let report = try await device.sweep()
        #expect(Set(report.rated) == Set(others))
        #expect(report.sent == [waiting])
        #expect(report.unheard != nil && report.stopped == nil && !report.isUnreachable)
        #expect(try device.status(ids[2]) == .sent)
        #expect(device.remote.requests.count < 2 * ids.count + 2)

        device.remote.setLongestReceiptList(bytes: .max)
        let last = try await device.sweep()
        #expect(Set(last.rated) == Set(long) && last.unheard == nil)
    }

    @Test("a remote whose receipts can never be used is not asked for each test, and gets what waits all the same")
    func uselessReceipts() async throws {
        let device = try await Device.withQuestionnaire()
        for _ in 0..<150 { _ = try await device.finish("a") }
        _ = try await device.sweep()
        let waiting = try await device.finish("a")
        device.remote.respond {
            guard case .receipts = $0.kind else { return nil }
            return .reply(200, mediaType: "application/json", body: Array("[]".utf8))
        }
        device.remote.forgetRequests()
        let report = try await device.sweep()
        #expect(report.sent == [waiting] && report.stopped == nil && report.unheard != nil)
        #expect(device.remote.requests.count < 20)
    }

    @Test("a disk with room for one more file takes the receipts of a whole batch, one after the other")
    func fullDisk() async throws {
        let device = try await Device.withQuestionnaire()
        for _ in 0..<20 { _ = try await device.finish("a") }
        let outbox = device.store.outbox
        let lock = try #require(try outbox.queue.acquireSweepLock())
        func fail(_ attempts: Int) throws {
            let claimed = try outbox.queue.claim(try outbox.scan().items(.done), lock)
            let now = device.clock.now
            try outbox.queue.settle(
                claimed.map { item in
                    let delivery = Receipt.Delivery(
                        attempts: attempts, firstAttempt: now, lastAttempt: now, reason: "no luck",
                        mayHaveArrived: false)
                    return OutboxSettlement(
                        move: OutboxMove(item, to: .done), receipt: Receipt(test: item.id, delivery: delivery))
                }, lock)
        }
        try fail(1)
        // Little gives way, and there is no reserve.
        try device.disk.process().removeIfPresent(OutboxLayout.reserve)
        device.disk.capacityBytes = device.disk.usedBytes + 2 * 4096
        try fail(2)
        let lines = try device.store.tests()
        #expect(lines.count == 20 && lines.allSatisfy { $0.item.status == .done })
        #expect(lines.allSatisfy { $0.receipt?.delivery?.attempts == 2 })
        lock.release()
        device.disk.capacityBytes = nil
        #expect(try await device.sweep().sent.count == 20)
    }
}
