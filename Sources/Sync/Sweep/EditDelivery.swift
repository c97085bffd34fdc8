import Disk
import HTTPTypes
import Model
import OutboxStore

/// Sends questionnaires that were created, edited and deleted here, and favourites; settles conflicts by the rule that is set.
struct EditDelivery: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal
    let items: ItemDelivery
    let dueItems: DueItems
    /// How to settle changes that conflict with another version.
    let conflicts: ConflictPolicy
    let deviceID: String

    /// The most attempts to settle a questionnaire in one sweep if others change it at the same moment.
    static let mostSettlements = 3

    /// Sends what is due of one kind, until nothing more gets its turn.
    func deliver(_ kind: OutboxKind, _ round: inout SweepRound) async throws -> SweepStep {
        var tried: Set<TestID> = []
        var settlements: [String: Int] = [:]
        var failuresInARow = 0
        var step = SweepStep.proceed
        let lock = round.lock
        while step == .proceed, !Task.isCancelled {
            let scan = try outbox.scan()
            let due = try dueItems.changes(
                scan, round.options, except: tried, &round.report, forgotten: round.forgotten
            )
            .filter { $0.stored.item.kind == kind }.prefix(ItemDelivery.batchSize)
            if due.isEmpty { break }
            tried.formUnion(due.map(\.stored.item.id))
            let claimed = Set(try await offload { try outbox.queue.claim(due.map(\.stored.item), lock) }.map(\.id))
            let results = await send(due.filter { claimed.contains($0.stored.item.id) })
            step = try await settle(results, &round, &settlements)
            for result in results {
                if case .retry = result.sent.decision { failuresInARow += 1 } else { failuresInARow = 0 }
            }
            if step == .proceed, failuresInARow >= ItemDelivery.tolerableFailures {
                step = .stop("\(failuresInARow) deliveries in a row failed")
            }
        }
        return step
    }

    private struct SentChange: Sendable {
        var change: OutgoingChange
        var sent: ItemDelivery.Sent
        /// In a conflict: what the server has.
        var theirDocument: [UInt8]?
    }

    private func send(_ due: [DueChange]) async -> [SentChange] {
        await withTaskGroup(of: SentChange.self) { group in
            var rest = due[...]
            var results: [SentChange] = []
            for _ in 0..<ItemDelivery.parallelDeliveries {
                if let next = rest.popFirst() { group.addTask { await send(next) } }
            }
            while let result = await group.next() {
                results.append(result)
                if let next = rest.popFirst() { group.addTask { await send(next) } }
            }
            return results
        }
    }

    private func send(_ due: DueChange) async -> SentChange {
        let change = due.stored.change
        let item = OutboxItem(id: change.id, kind: change.kind, status: .sending)
        let sent = await items.attempt(item, digest: change.contentDigest, action: change.action) {
            () async throws(RemoteFailure) in
            try await remote.send(
                .init(change: change, etag: due.base.etag, after: due.base.after, file: due.stored.bytes))
        }
        var result = SentChange(change: change, sent: sent)
        if case .conflict = sent.decision { await look(&result) }
        return result
    }

    /// Fetches the server's version, so that both lie side by side. Where that fails, the change is sent again later,
    /// and the conflict is found again.
    private func look(_ result: inout SentChange) async {
        let change = result.change
        do throws(RemoteFailure) {
            let reply = try await remote.current(of: change, maximumBytes: Questionnaire.maximumBytes)
            if reply.isFromStranger { throw RemoteFailure(.notTheServer, reply.strangerReason) }
            switch reply.status {
            case 200:
                guard let questionnaire = try? Questionnaire(json: reply.body), let etag = reply.fields[.eTag] else {
                    let url = remote.documentURL(id: change.questionnaire)
                    throw RemoteFailure(.invalidReply, "\(url) is not a questionnaire with an entity tag")
                }
                result.theirDocument = reply.body
                result.sent.theirs = Publication(
                    id: questionnaire.id, localId: questionnaire.localId, etag: etag,
                    digest: Digest(sha256Of: reply.body), updatedAt: questionnaire.updatedAt)
            case 404, 410: result.sent.theirs = Publication(id: change.questionnaire, deleted: true)
            default: throw RemoteFailure(.interrupted, "the server has another version, and answers \(reply.status)")
            }
        } catch {
            result.sent.attempt.outcome = .failure(error)
            result.sent.decision = DeliveryDecision.decide(result.sent.attempt)
        }
    }

    private func settle(
        _ results: [SentChange], _ round: inout SweepRound, _ resolved: inout [String: Int]
    ) async throws -> SweepStep {
        var step = SweepStep.proceed
        let lock = round.lock
        var settlements: [OutboxSettlement] = []
        var events: [JournalEvent] = []
        let now = clock.now
        for result in results {
            let (change, item) = (result.change, result.sent.item)
            if case .conflict = result.sent.decision, let document = result.theirDocument {
                // Before the change is moved: a reader that sees it finds both.
                try await offload { try outbox.queue.keepTheirs(item.id, document, lock) }
            }
            let settled = items.settle(result.sent, detail: change.action.rawValue, &round.report)
            settlements.append(settled.settlement)
            step = step.followed(by: settled.step)
            if let told = settled.event {
                events.append(
                    JournalEvent(
                        at: now, event: told.name, change: change.id, questionnaire: change.questionnaire,
                        title: change.title, detail: told.detail))
            }
        }
        let all = settlements
        try await offload { try outbox.queue.settle(all, lock) }
        journal.record(events)
        if let contact = results.last?.sent.contact { journal.note(contact) }
        try await settleByRule(results, &round.report, &resolved)
        return step
    }

    /// Does with conflicts what the settings say.
    private func settleByRule(
        _ results: [SentChange], _ report: inout Sweeper.Report, _ settled: inout [String: Int]
    ) async throws {
        guard let choice = ConflictChoice(conflicts) else { return }
        for result in results {
            let change = result.change
            guard case .conflict = result.sent.decision, case .questionnaire = change else { continue }
            settled[change.questionnaire, default: 0] += 1
            if settled[change.questionnaire, default: 0] > Self.mostSettlements { continue }
            _ = try await offload { try outbox.conflicts.resolve(change.id, choice, deviceID: deviceID) }
            report.conflicts.removeAll { $0 == change.id }
            journal.record(
                "resolved", change: change.id, questionnaire: change.questionnaire, title: change.title,
                detail: conflicts.rawValue)
        }
    }
}
