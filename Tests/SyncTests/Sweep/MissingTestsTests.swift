import Disk
import Model
import OutboxStore
import Quire
import QuireWording
import Simulation
import Sync
import Testing

/// A server that was restored from an older backup.
@Suite("Tests that the server acknowledged and does not have any more")
struct MissingTestsTests {
    private static let asking = Sweeper.Options(asksAfterRated: true)

    private func delivered(_ count: Int, as status: TestStatus = .sent) async throws -> (Device, [TestID]) {
        let device = try await Device.withQuestionnaire()
        device.remote.setStatusOnArrival(status)
        var ids: [TestID] = []
        for _ in 0..<count { ids.append(try await device.finish("a")) }
        #expect(try await device.sweep(Self.asking).sent.count == count)
        return (device, ids)
    }

    @Test("the next sync notices it, and everything says so; nothing moves by itself")
    func noticed() async throws {
        let (device, ids) = try await delivered(3)
        #expect(try await device.sweep(Self.asking).missing.isEmpty)
        device.remote.loseTests([ids[0], ids[2]])
        let report = try await device.sweep(Self.asking)
        #expect(report.missing == [ids[0], ids[2]] && report.waiting == 0)
        #expect(Set(try device.store.resending.missingTests().map(\.id)) == [ids[0], ids[2]])
        #expect(try device.store.journal.events().filter { $0.event == "missing" }.count == 2)
        for id in ids { #expect(try device.status(id) == .sent) }
        let why = try device.store.explain(try #require(try device.store.outbox.find(ids[0]))).words(.english)
        #expect(why.facts.contains("The server no longer has it.") && why.next.contains("outbox retry"))
        // Noted once, however often it is missed.
        _ = try await device.sweep(Self.asking)
        #expect(try device.store.journal.events().filter { $0.event == "missing" }.count == 2)
    }

    @Test("what is sent again arrives once, with the same bytes, also where the server has it after all")
    func resent() async throws {
        let (device, ids) = try await delivered(3)
        let before = device.remote.tests
        device.remote.loseTests(Set(ids))
        _ = try await device.sweep(Self.asking)
        // One of them comes back from elsewhere.
        _ = try await device.remote.put(
            ids[1], bytes: try #require(before[ids[1]]), digest: Digest(sha256Of: try #require(before[ids[1]])))
        #expect(Set(try device.store.resending.resendMissing().retried) == Set(ids))
        for id in ids { #expect(try device.status(id) == .done) }
        #expect(try device.store.resending.missingTests().isEmpty)
        let report = try await device.sweep(Self.asking)
        #expect(report.sent.count == 3 && report.missing.isEmpty)
        #expect(device.remote.tests == before)
    }

    @Test("one alone is sent again; what the server has is not")
    func one() async throws {
        let (device, ids) = try await delivered(2)
        device.remote.loseTests([ids[0]])
        _ = try await device.sweep(Self.asking)
        try device.store.retry(ids[0])
        #expect(try device.status(ids[0]) == .done)
        #expect(throws: OutboxError.self) { try device.store.retry(ids[1]) }
    }

    @Test("where the answer may be a part of what there is, nothing is taken to be missing")
    func partial() async throws {
        let (device, ids) = try await delivered(2)
        for body in [#"{"receipts": [], "kept": []}"#, #"{"receipts": [], "kept": [], "complete": false}"#] {
            device.remote.respond { request in
                if case .receipts = request.kind {
                    .reply(200, mediaType: "application/json", body: Array(body.utf8))
                } else {
                    nil
                }
            }
            #expect(try await device.sweep(Self.asking).missing.isEmpty)
        }
        device.remote.respond { request in
            if case .receipts = request.kind {
                .reply(
                    200, mediaType: "application/json",
                    body: Array(#"{"receipts": [], "kept": [], "complete": true}"#.utf8))
            } else {
                nil
            }
        }
        #expect(try await device.sweep(Self.asking).missing == Set(ids))
    }

    @Test("of old rated tests none is asked after, until one is missing, or the person asks for it")
    func old() async throws {
        let (device, ids) = try await delivered(3, as: .rated)
        device.clock.advance(by: .seconds(15 * 86_400))
        device.remote.loseTests(Set(ids))
        #expect(try await device.sweep(Self.asking).missing.isEmpty)
        let other = try await device.finish("a")
        device.remote.setStatusOnArrival(.sent)
        _ = try await device.sweep(Self.asking)
        #expect(try device.store.resending.missingTests().isEmpty)
        device.remote.loseTests([other])
        #expect(try await device.sweep(Self.asking).missing == Set(ids + [other]))
        // And back.
        _ = try device.store.resending.resendMissing()
        #expect(try await device.sweep(.init(asksAfterRated: true, verifies: true)).missing.isEmpty)
        #expect(device.remote.tests.count == 4)
    }

    @Test("a file that was changed since it was acknowledged is not sent in its place")
    func changed() async throws {
        let (device, ids) = try await delivered(1)
        device.remote.loseTests(Set(ids))
        _ = try await device.sweep(Self.asking)
        let item = try #require(try device.store.outbox.find(ids[0]))
        let bytes = try device.store.outbox.bytes(of: item)
        try device.disk.process().writeUnsynced(bytes + [0x20], to: item.path, temporaryFolder: "log")
        let report = try device.store.resending.resendMissing()
        #expect(report.retried.isEmpty && report.undecided == ids)
        #expect(throws: OutboxError.self) { try device.store.retry(ids[0]) }
        #expect(try device.status(ids[0]) == .sent)
    }
}
