import Model
import OutboxStore
import QuireWording
import Simulation
import Sync
import Testing

@Suite("The sweep")
struct SweepTests {
    @Test("tests leave in the order in which they were started, and end where the server says")
    func order() async throws {
        let device = try await Device.withQuestionnaire()
        var ids: [TestID] = []
        for _ in 0..<40 { ids.append(try await device.finish("a")) }
        let report = try await device.sweep()
        #expect(report.sent.count == 40)
        #expect(report.waiting == 0)
        #expect(Set(device.remote.tests.keys) == Set(ids))
        // Within a batch requests overlap; batches follow each other.
        #expect(Set(device.remote.arrivals.prefix(32)) == Set(ids.prefix(32)))
        for id in ids { #expect(try device.status(id) == .sent) }
    }

    @Test("a lost reply ends in one test on the server and its receipt here")
    func lostReply() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        device.remote.respond { $0.isPut ? .cutAfterStoring : nil }
        let first = try await device.sweep()
        #expect(first.sent.isEmpty && first.waiting == 1)
        #expect(try device.status(id) == .done)
        #expect(first.nextDue != nil)
        device.remote.respond { _ in nil }
        // Not due yet: a sweep asks for nothing.
        device.remote.forgetRequests()
        #expect(try await device.sweep().sent.isEmpty)
        #expect(device.remote.requests.isEmpty)
        device.clock.advance(by: .seconds(10))
        #expect(try await device.sweep().sent == [id])
        #expect(device.remote.arrivals == [id])
        #expect(try device.store.outbox.receipt(OutboxItem(id: id, status: .sent))?.receivedAt != nil)
    }

    @Test("what was put off while the clock was years ahead goes with the next sweep")
    func clockAhead() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        let years = Duration.seconds(10 * 365 * 86_400)
        device.clock.advance(by: years)
        device.remote.respond { $0.isPut ? .status(500) : nil }
        #expect(try await device.sweep().sent.isEmpty)
        device.remote.respond { _ in nil }
        device.clock.advance(by: .zero - years)
        #expect(try await device.sweep().sent == [id])
    }

    @Test("the due time of a postponed test is reported, whatever is scanned after it")
    func nextDue() async throws {
        let device = try await Device.withQuestionnaire()
        device.remote.respond { $0.change != nil ? .status(500) : nil }
        try device.store.create(Array(document("b").utf8))
        let report = try await device.sweep()
        #expect(report.waiting == 1)
        #expect(try #require(report.nextDue) > device.clock.now)
        #expect(report.trouble?.isEmpty == false)
        #expect(try await device.sweep().nextDue == report.nextDue)
    }

    @Test("when the remote is away the round ends at once, nothing is postponed, and status knows")
    func away() async throws {
        let device = try await Device.withQuestionnaire()
        for _ in 0..<5 { _ = try await device.finish("a") }
        device.remote.setPresence(.away("no route"))
        device.remote.forgetRequests()
        let report = try await device.sweep()
        #expect(report.isUnreachable && report.waiting == 5 && report.stopped == "no route")
        #expect(device.remote.requests.isEmpty)
        #expect(device.store.isOnline(device.remote).isOnline == false)
        device.remote.setPresence(.likely)
        #expect(try await device.sweep().sent.count == 5)
        #expect(device.store.isOnline(device.remote).isOnline)
    }

    @Test("one test that the server refuses holds up none of the others")
    func oneBadTest() async throws {
        let device = try await Device.withQuestionnaire()
        var ids: [TestID] = []
        for _ in 0..<10 { ids.append(try await device.finish("a")) }
        let (bad, other) = (ids[0], ids[1])
        device.remote.respond { request in
            if request.test == bad { return .status(422, detail: "questionnaire unknown") }
            if request.test == other { return .status(409, detail: "something else is here") }
            return nil
        }
        let report = try await device.sweep()
        #expect(report.rejected == [bad])
        #expect(report.conflicts == [other])
        #expect(report.sent.count == 8)
        #expect(try device.status(bad) == .rejected)
        #expect(try device.status(other) == .conflict)
        let why = try device.store.explain(OutboxItem(id: bad, status: .rejected)).words(.english)
        #expect(why.state == "Not accepted: questionnaire unknown")

        // The person sends it again, and now it is taken.
        device.remote.respond { _ in nil }
        try device.store.outbox.edits.retry(bad)
        #expect(try await device.sweep().sent == [bad])
    }

    @Test("a server that asks for patience gets it: one request, then silence until the time is over")
    func retryAfter() async throws {
        let device = try await Device.withQuestionnaire()
        let ids = [try await device.finish("a"), try await device.finish("a")]
        device.remote.respond { $0.isPut ? .status(429, fields: [.retryAfter: "600"]) : nil }
        _ = try await device.sweep()
        let tried = device.remote.requests.compactMap(\.test)
        device.remote.respond { _ in nil }
        device.remote.forgetRequests()
        _ = try await device.sweep()
        #expect(device.remote.requests.compactMap(\.test).allSatisfy { !tried.contains($0) })
        device.clock.advance(by: .seconds(610))
        _ = try await device.sweep()
        #expect(Set(device.remote.tests.keys) == Set(ids))
    }

    @Test("a login page in between takes no answer away")
    func loginPage() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        device.remote.respond { _ in .loginPage }
        let report = try await device.sweep()
        #expect(report.sent.isEmpty && report.stopped != nil)
        #expect(try device.status(id) == .done)
        #expect(device.remote.tests.isEmpty)
    }

    @Test("after five failures in a row the round ends")
    func failuresInARow() async throws {
        let device = try await Device.withQuestionnaire()
        for _ in 0..<60 { _ = try await device.finish("a") }
        device.remote.respond { $0.isPut ? .status(500) : nil }
        device.remote.forgetRequests()
        let report = try await device.sweep()
        #expect(report.stopped != nil)
        #expect(report.waiting == 60)
        // Those that were under way when the fifth failed may still fail.
        #expect(device.remote.requests.count <= 5 + 8)
    }

    @Test("a rating is learned by asking, and its receipt becomes the proof beside the test")
    func poll() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        try await device.sweep()
        device.remote.advance(id, to: .checking)
        try await device.sweep()
        #expect(try device.status(id) == .checking)
        device.remote.advance(id, to: .rated, evaluation: Evaluation(score: 1, maximum: 1))
        let report = try await device.sweep()
        #expect(report.rated == [id])
        let receipt = try #require(try device.store.outbox.receipt(OutboxItem(id: id, status: .rated)))
        #expect(receipt.evaluation?.score == 1)
        // Nothing is left to ask for.
        device.remote.forgetRequests()
        try await device.sweep()
        #expect(device.remote.requests.isEmpty)
    }

    @Test("a receipt that was lost or damaged is asked for again")
    func lostReceipt() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        try await device.sweep()
        let path = OutboxLayout.receiptPath(id, .sent)
        try device.disk.put(path, "{ half")
        #expect(throws: OutboxError.self) { try device.store.outbox.receipt(OutboxItem(id: id, status: .sent)) }
        try await device.sweep()
        #expect(try device.store.outbox.receipt(OutboxItem(id: id, status: .sent))?.receivedAt != nil)
    }

    /// Moved by hand, or copied in part: what the server has not is never shown as sent.
    @Test(
        "a test that lies among the delivered ones without a receipt is where the server says, or is sent",
        arguments: [TestStatus.sent, .checking, .rated], [false, true])
    func withoutProof(_ status: TestStatus, _ isKnown: Bool) async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        let (waiting, placed) = (OutboxLayout.testPath(id, .done), OutboxLayout.testPath(id, status))
        let bytes = try #require(device.disk.contents(waiting))
        if isKnown { _ = try await device.remote.put(id, bytes: bytes, digest: Digest(sha256Of: bytes)) }
        try device.disk.put(placed, bytes)
        try device.disk.remove(waiting)
        // In one round, whichever it is.
        let report = try await device.sweep()
        #expect(report.sent == (isKnown ? [] : [id]) && report.waiting == 0 && report.stopped == nil)
        #expect(try device.status(id) == .sent)
        try await device.sweep()
        #expect(try device.status(id) == .sent)
        #expect(device.remote.arrivals == [id])
        #expect(device.disk.contents(OutboxLayout.testPath(id, .sent)) == bytes)
        #expect(try device.store.outbox.receipt(OutboxItem(id: id, status: .sent))?.receivedAt != nil)
    }

    @Test("what lies in sending since a sweep was broken off is among what would be sent, and is sent")
    func interrupted() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        let waiting = OutboxLayout.testPath(id, .done)
        let bytes = try #require(device.disk.contents(waiting))
        try device.disk.put(OutboxLayout.testPath(id, .sending), bytes)
        try device.disk.remove(waiting)
        let due = try device.store.sweeper(device.remote).dueNow().due
        #expect(due == [OutboxItem(id: id, status: .sending)])
        #expect(try device.store.explainer.blockedItems(except: [id]).isEmpty)
        #expect(try await device.sweep().sent == [id])
    }

    @Test("an outbox that was copied to a second device is delivered once, and both end with the same receipt")
    func copied() async throws {
        let first = try await Device.withQuestionnaire()
        let id = try await first.finish("a")
        let second = try Device(remote: first.remote)
        let path = OutboxLayout.testPath(id, .done)
        try second.disk.put(path, try #require(first.disk.contents(path)))
        try await second.sweep()
        try await first.sweep()
        #expect(first.remote.arrivals == [id])
        let receipt = OutboxLayout.receiptPath(id, .sent)
        #expect(first.disk.contents(receipt) != nil)
        #expect(first.disk.contents(receipt) == second.disk.contents(receipt))
    }

    @Test("wrong files in the outbox stop nothing, and doctor names each")
    func wrongFiles() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        try device.disk.put("outbox/done/readme.txt", "hello")
        try device.disk.put("outbox/done/11111111-1111-4111-8111-111111111111.test.json", "{ half")
        try device.disk.makeFolders("outbox/done/22222222-2222-4222-8222-222222222222.test.json")
        try device.disk.makeSymbolicLink(
            "outbox/done/33333333-3333-4333-8333-333333333333.test.json", to: "/etc/passwd")
        try device.disk.makePipe("outbox/done/44444444-4444-4444-8444-444444444444.test.json")
        let report = try await device.sweep()
        #expect(report.sent == [id])
        #expect(report.unreadable.count == 1)
        #expect(try device.store.examine(repairing: false).count == 5)
        #expect(try device.store.examine(repairing: true).allSatisfy(\.isRepaired))
        #expect(try device.store.examine(repairing: false).isEmpty)
    }

    @Test("while one process sweeps, a second one says so and touches nothing")
    func twoSweepers() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        let other = try device.reopened()
        let lock = try #require(try other.outbox.queue.acquireSweepLock())
        let report = try await device.sweep()
        #expect(report.isBusy && report.waiting == 1)
        #expect(try device.status(id) == .done)
        withExtendedLifetime(lock) {}
    }

    @Test(
        "where the disk fails while the next tests are under way, a sweep ends after all its writing, and nothing is doubled"
    )
    func failsMeanwhile() async throws {
        var failed = 0
        for call in [200, 400, 600] {
            let device = try await Device.withQuestionnaire()
            var ids: [TestID] = []
            for _ in 0..<40 { ids.append(try await device.finish("a")) }
            device.disk.plan(.error(.ioError), afterNext: call)
            do { _ = try await device.sweep() } catch { failed += 1 }
            device.disk.clearPlan()
            let lock = try device.store.outbox.queue.acquireSweepLock()
            #expect(lock != nil, "the former sweep goes on")
            lock?.release()
            device.clock.advance(by: .seconds(100))
            #expect(try await device.sweep().waiting == 0)
            #expect(device.remote.arrivals.count == ids.count && Set(device.remote.arrivals) == Set(ids))
            for id in ids { #expect(try device.status(id) == .sent) }
        }
        #expect(failed > 0)
    }

    @Test("a new rating within two weeks is fetched")
    func ratedAnew() async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        try await device.sweep()
        device.remote.advance(id, to: .rated, evaluation: Evaluation(score: 1, maximum: 5, ratedAt: device.clock.now))
        #expect(try await device.sweep().rated == [id])
        device.clock.advance(by: .seconds(60))
        device.remote.advance(id, to: .rated, evaluation: Evaluation(score: 5, maximum: 5, ratedAt: device.clock.now))
        #expect(try await device.sweep().rated.isEmpty)
        let asking = Sweeper.Options(asksAfterRated: true)
        #expect(try await device.sweep(asking).rated == [id])
        let item = OutboxItem(id: id, status: .rated)
        #expect(try device.store.outbox.receipt(item)?.evaluation?.score == 5)
        #expect(try await device.sweep(asking).rated.isEmpty)
        // In the end no request is sent any more.
        device.clock.advance(by: .seconds(15 * 86_400))
        device.remote.forgetRequests()
        try await device.sweep(asking)
        #expect(device.remote.requests.isEmpty)
    }

    @Test(
        "a rating that changed, and a test that was sent back, are heard once each and said", arguments: [true, false])
    func changedLater(_ isRated: Bool) async throws {
        let device = try await Device.withQuestionnaire()
        let id = try await device.finish("a")
        try await device.sweep()
        let asking = Sweeper.Options(asksAfterRated: true)
        let first = Evaluation(score: 1, maximum: 5, ratedAt: device.clock.now)
        device.remote.advance(id, to: isRated ? .rated : .checking, evaluation: isRated ? first : nil)
        try await device.sweep(asking)
        let item = OutboxItem(id: id, status: isRated ? .rated : .checking)
        func facts() throws -> String {
            try device.store.explain(item).words(.english).facts.joined(separator: "\n")
        }
        #expect(try !facts().contains("changed"))
        device.clock.advance(by: .seconds(60))
        if isRated {
            device.remote.change(id) {
                $0.evaluation = Evaluation(score: 5, maximum: 5, ratedAt: device.clock.now)
                $0.former = Receipt.FormerRating(first)
            }
            #expect(try await device.sweep(asking).rated == [id])
            #expect(try facts().contains("The rating was changed") && facts().contains("it was 1 of 5"))
        }
        let back = Receipt.Return(at: device.clock.now, by: "Ada", comment: "Say why.")
        device.remote.change(id) { $0.returned = back }
        let report = try await device.sweep(asking)
        #expect(report.returned == [id] && report.rated.isEmpty)
        #expect(try await device.sweep(asking).returned.isEmpty)
        let explanation = try device.store.explain(item)
        let words = explanation.words(.english)
        #expect(
            words.facts.contains { $0.contains("Returned to be corrected by Ada") && $0.contains("Say why.") })
        #expect(explanation.returned == back && words.next.contains("quire outbox reopen \(id)"))
        let revision = try device.store.outbox.edits.reopen(id, deviceID: "device").record
        #expect(try device.store.explain(item).words(.english).next.contains("quire take \(revision.id)"))
        device.remote.change(id) { $0.returned = nil }
        try await device.sweep(asking)
        #expect(try device.store.explain(item).returned == nil)
    }

    @Test("a draft that came into conflict is not sent as anybody's last word")
    func unfinished() async throws {
        let device = try await Device.withQuestionnaire()
        let draft = try device.store.begin(try await device.store.open(id: "a", remote: nil)).record
        let former = OutboxLayout.testPath(draft.id, .empty)
        let bytes = try #require(device.disk.contents(former))
        try device.disk.remove(former)
        try device.disk.put(OutboxLayout.testPath(draft.id, .conflict), bytes)
        #expect(throws: OutboxError.unfinished(draft.id)) { try device.store.outbox.edits.retry(draft.id) }
        #expect(try await device.sweep().sent.isEmpty)
        #expect(try device.store.outbox.edits.reopen(draft.id, deviceID: "device").status == .inProgress)
    }
}
