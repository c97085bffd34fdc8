import HTTPTypes
import Model
import OutboxStore
import Simulation
import Sync
import Synchronization
import Testing

@testable import Quire

/// A remote that takes nothing and notes what it was sent. Items that a hub has stay there.
private final class RefusingRemote: Remote {
    let keepsSuccessors: Bool
    let listURL = "https://host.example/v1/questionnaires"
    private let kept: [KeptReceipt]
    private let state = Mutex<Set<TestID>>([])

    init(keepsSuccessors: Bool, kept: [KeptReceipt]) {
        self.keepsSuccessors = keepsSuccessors
        self.kept = kept
    }

    var attempted: Set<TestID> { state.withLock { $0 } }

    private func refuse(_ id: TestID) -> RemoteReply {
        state.withLock { _ = $0.insert(id) }
        return reply(500, [:] as [String: String])
    }

    private func reply(_ status: Int, _ value: some Encodable) -> RemoteReply {
        RemoteReply(
            status: status, fields: [.contentType: "application/json"], body: (try? DocumentCoding.encode(value)) ?? [],
            requestTime: ManualClock.start, responseTime: ManualClock.start)
    }

    func documentURL(id: String) -> String { listURL + "/" + id }
    func presence() -> Presence { .likely }

    func get(_ url: String, fields: HTTPFields, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "it only takes")
    }

    func current(of change: OutgoingChange, maximumBytes: Int) async throws(RemoteFailure) -> RemoteReply {
        throw RemoteFailure(.unreachable, "it only takes")
    }

    func put(_ test: TestID, bytes: [UInt8], digest: Digest) async throws(RemoteFailure) -> RemoteReply {
        refuse(test)
    }

    func send(_ delivery: ChangeDelivery) async throws(RemoteFailure) -> RemoteReply { refuse(delivery.change.id) }
    func upload(_ upload: MediaUpload) async throws(RemoteFailure) -> RemoteReply { refuse(upload.change.id) }

    private struct List: Encodable {
        var receipts: [Receipt] = []
        var kept: [KeptReceipt]
    }

    func receipts(of tests: [TestID]) async throws(RemoteFailure) -> RemoteReply {
        reply(200, List(kept: kept.filter { tests.contains($0.test) }))
    }
}

@Suite("A sweep, its preview and `why` agree about what may be sent")
struct SendingAgreementTests {
    private static let quiz = """
        {"title": "Quiz", "questions": [{"id": "q1", "text": "Is it so?", "options": ["A", "B"]},
          {"id": "q2", "text": "Why?", "kind": "text"}]}
        """

    @Test("in generated outboxes, towards a server, a hub and a folder", arguments: 0..<12 as Range<UInt64>)
    func agreement(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let isFolder = seed % 2 == 0
        let fixture = try await StoreFixture(address: isFolder ? "file:///stick" : FaultyRemote.origin)
        try await fill(fixture, &generator)
        let kept = try scatter(fixture.store, &generator)
        let remote = RefusingRemote(keepsSuccessors: isFolder, kept: kept)
        let (store, outbox) = (fixture.store, fixture.store.outbox)

        let waiting = try outbox.scan().items.filter(\.status.isWaiting)
        var ready: Set<TestID> = []
        for item in waiting {
            let standing =
                item.kind == .test
                ? try store.explainer.sendingOrder().standing(ofTestOf: try outbox.read(item).record.questionnaire.id)
                : try store.explainer.standing(of: try outbox.readChange(item).change)
            if standing == .ready { ready.insert(item.id) }
            // `why` names what lies before it, where no hub has it already.
            guard item.status == .done, try outbox.receipt(item)?.keptAt == nil else { continue }
            let obstacle = store.explainer.obstacle(standing, of: item.kind).map { [Explanation.Step.obstacle($0)] }
            let next = try store.explain(item).next
            #expect((next == obstacle) == (standing != .ready), "seed \(seed): \(item): \(next)")
        }

        // The preview counts attachments that go in the same sweep as what they belong to.
        let preview = Set(try store.sweeper(remote).dueNow(.init(ignoresNotBefore: true)).due.map(\.id))
        #expect(ready.isSubset(of: preview), "seed \(seed)")
        for item in waiting where preview.contains(item.id) && !ready.contains(item.id) {
            let change = try outbox.readChange(item).change
            guard item.kind == .media, case .waiting(let owner) = try store.explainer.standing(of: change) else {
                Issue.record("seed \(seed): \(item)")
                continue
            }
            #expect(preview.contains(owner.id), "seed \(seed): \(item)")
        }
        let blocked = try store.explainer.blockedItems(except: preview)
        #expect(
            Set(blocked.filter(\.status.isWaiting).map(\.id)) == Set(waiting.map(\.id)).subtracting(preview),
            "seed \(seed)")

        _ = try await store.sweeper(remote).sweep(.init(ignoresNotBefore: true))
        #expect(remote.attempted == ready, "seed \(seed)")
    }

    /// Makes questionnaires, changes, favourites, tests and files. No kind has more than four items, so that no row of
    /// failures ends the sweep.
    private func fill(_ fixture: StoreFixture, _ generator: inout SeededGenerator) async throws {
        let store = fixture.store
        let created = try store.create(Array(Self.quiz.utf8)).id
        func opened(_ id: String) async throws -> OpenedDocument {
            try await store.open(id: id, remote: nil, isOffline: true)
        }
        func spooled(_ name: String) throws -> SpooledMedia {
            var pieces = [Array("\(name) \(UInt32.random(in: 0...UInt32.max, using: &generator))".utf8)]
            return try store.outbox.media.spool(named: name) { pieces.popLast() ?? [] }
        }
        let places = ["capitals", created]
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let document = try await opened(places.randomElement(using: &generator) ?? created)
            let text = String(decoding: document.bytes, as: UTF8.self)
                .replacing("\"title\": \"", with: "\"title\": \"More of ")
            try store.edit(document, to: Array(text.utf8))
        }
        if Bool.random(using: &generator) {
            _ = try store.questionnaireAttachments.attach(
                try spooled("map.png"), to: try await opened(created), questionId: "q1", name: "map.png", mediaType: nil
            )
        }
        for place in places where Bool.random(using: &generator) {
            try store.setFavorite(place, title: place, true)
        }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            let document = try await opened(places.randomElement(using: &generator) ?? created)
            let answer = document.questionnaire.questions[0].options.first ?? "A"
            let test = try store.take(document, answers: ["q1": .one(answer)], isFinished: false).record.id
            if Bool.random(using: &generator) {
                _ = try store.testAttachments.attach(
                    try spooled("photo.jpg"), to: test, questionId: "q2", name: "photo.jpg", mediaType: nil)
            }
            if Int.random(in: 0..<4, using: &generator) > 0 { _ = try store.finish(test) }
        }
    }

    /// Moves some of what waits to the states that sweeps leave it in.
    ///
    /// - Returns: the items that a hub keeps from now on.
    private func scatter(_ store: QuireStore, _ generator: inout SeededGenerator) throws -> [KeptReceipt] {
        let outbox = store.outbox
        let lock = try #require(try outbox.queue.acquireSweepLock())
        defer { lock.release() }
        var kept: [KeptReceipt] = []
        for item in try outbox.scan().items(.done) {
            let statuses: [TestStatus?] = [nil, nil, nil, .done, .done, .sent, .conflict, .rejected]
            guard let status = statuses.randomElement(using: &generator) ?? nil else { continue }
            var (digest, action): (Digest, ChangeAction?) = (Digest(sha256Of: []), nil)
            if item.kind == .test {
                digest = try outbox.read(item).digest
            } else {
                let change = try outbox.readChange(item).change
                (digest, action) = (change.contentDigest, change.action)
            }
            var receipt = Receipt(test: item.id, digest: digest, status: status, action: action)
            switch status {
            case .done:
                receipt.status = nil
                receipt.keptAt = store.clock.now
                kept.append(KeptReceipt(test: item.id, action: action, digest: digest, keptAt: store.clock.now))
            case .sent:
                receipt.receivedAt = store.clock.now
                if item.kind == .questionnaire { receipt.published = Publication(id: "server", etag: "\"1\"") }
            default: break
            }
            let claimed = try outbox.queue.claim([item], lock)
            try outbox.queue.settle(
                claimed.map { OutboxSettlement(move: OutboxMove($0, to: status), receipt: receipt) }, lock)
        }
        return kept
    }
}
