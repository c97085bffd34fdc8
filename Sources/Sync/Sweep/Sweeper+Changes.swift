import Disk
import HTTPTypes
import Model
import OutboxStore

/// Questionnaires that were created, edited and deleted here, and favourites.
extension Sweeper {
    /// A change whose turn it is.
    struct DueChange: Sendable {
        var stored: StoredChange
        var base: SendingOrder.Base
    }

    /// The most attempts to settle a questionnaire in one sweep if others change it at the same moment.
    static let mostSettlements = 3

    /// The changes that may go now: due, with everything delivered that they go on from.
    ///
    /// - Parameters:
    ///   - tried: those that had their turn in this sweep.
    ///   - forgotten: those that no hub has any more are due whatever their time.
    func dueChanges(
        _ scan: OutboxScan, _ options: Options, except tried: Set<TestID>, _ report: inout Report,
        forgotten: Set<TestID> = []
    ) throws -> [DueChange] {
        let now = clock.now
        let changes = try readChanges(scan.items.filter(\.isWaitingInOrder), &report)
            .sorted { ($0.change.sequence, $0.item.id) < ($1.change.sequence, $1.item.id) }
        let order = SendingOrder(
            try .init(changes, [], scan, outbox), keepsSuccessors: remote.keepsSuccessors,
            forgotten: forgotten.subtracting(tried))
        let waiting = Set(waiting(scan, options))
        var due: [DueChange] = []
        for stored in changes where waiting.contains(stored.item) && !tried.contains(stored.item.id) {
            guard order.standing(of: stored.change) == .ready else { continue }
            let dueTime = DeliveryDecision.dueTime(stored.modified, now: now)
            if dueTime > now, !options.ignoresNotBefore, !forgotten.contains(stored.item.id) {
                report.nextOtherDue = min(report.nextOtherDue ?? dueTime, dueTime)
                continue
            }
            var base = SendingOrder.Base()
            if case .questionnaire(let change) = stored.change { base = order.base(of: change) ?? base }
            due.append(DueChange(stored: stored, base: base))
        }
        return due
    }

    /// Sends what is due of one kind, until nothing more gets its turn.
    func deliverChanges(of kind: OutboxKind, _ round: inout Round) async throws -> Step {
        var tried: Set<TestID> = []
        var settlements: [String: Int] = [:]
        var failuresInARow = 0
        var step = Step.proceed
        let lock = round.lock
        while step == .proceed, !Task.isCancelled {
            let scan = try outbox.scan()
            let due = try dueChanges(
                scan, round.options, except: tried, &round.report, forgotten: round.forgotten
            )
            .filter { $0.stored.item.kind == kind }.prefix(Self.batchSize)
            if due.isEmpty { break }
            tried.formUnion(due.map(\.stored.item.id))
            let claimed = Set(try await offload { try outbox.queue.claim(due.map(\.stored.item), lock) }.map(\.id))
            let results = await send(due.filter { claimed.contains($0.stored.item.id) })
            step = try await settle(results, &round, &settlements)
            for result in results {
                if case .retry = result.sent.decision { failuresInARow += 1 } else { failuresInARow = 0 }
            }
            if step == .proceed, failuresInARow >= Self.tolerableFailures {
                step = .stop("\(failuresInARow) deliveries in a row failed")
            }
        }
        return step
    }

    private struct SentChange: Sendable {
        var change: OutgoingChange
        var sent: Sent
        /// In a conflict: what the server has.
        var theirDocument: [UInt8]?
    }

    private func send(_ due: [DueChange]) async -> [SentChange] {
        await withTaskGroup(of: SentChange.self) { group in
            var rest = due[...]
            var results: [SentChange] = []
            for _ in 0..<Self.parallelDeliveries {
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
        let sent = await attempt(item, digest: change.contentDigest, action: change.action) {
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
        _ results: [SentChange], _ round: inout Round, _ resolved: inout [String: Int]
    ) async throws -> Step {
        var step = Step.proceed
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
            let settled = settle(result.sent, detail: change.action.rawValue, &round.report)
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
        _ results: [SentChange], _ report: inout Report, _ settled: inout [String: Int]
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
