import Disk
import Model
import OutboxStore

/// Sends tests: in batches, several at once.
struct TestDelivery: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal
    let items: ItemDelivery

    /// The total size of the tests in flight, which are held in memory; a longer one goes alone.
    static let parallelBytes = 2 << 20

    func deliver(_ due: [DueTest], _ round: inout SweepRound) async throws -> SweepStep {
        // The outcomes of a batch are recorded while the next one is in flight: neither the disk nor the remote waits
        // for the other.
        var settling: Task<Void, any Error>?
        var step = SweepStep.proceed
        let lock = round.lock
        do {
            var failuresInARow = 0
            for start in stride(from: 0, to: due.count, by: ItemDelivery.batchSize) {
                let begun = due[start..<min(start + ItemDelivery.batchSize, due.count)]
                let batch = begun.map(\.item)
                let listed = Dictionary(begun.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
                let claimed = try await offload { try outbox.queue.claim(batch, lock) }
                let results = await deliver(claimed, listed, failuresInARow: &failuresInARow)
                let outcome = outcome(of: results, claimed, &round.report)
                try await settling?.value
                settling = Task { try await settle(outcome, lock) }
                round.progress(begun.endIndex, due.count)
                step = outcome.step
                if step == .proceed, failuresInARow >= ItemDelivery.tolerableFailures {
                    step = .stop("\(failuresInARow) deliveries in a row failed")
                }
                if step != .proceed || Task.isCancelled { break }
            }
        } catch {
            // The sweep lock is released after this.
            _ = await settling?.result
            throw error
        }
        try await settling?.value
        return step
    }

    private struct Delivered: Sendable {
        var sent: ItemDelivery.Sent
        var title: String
    }

    /// Sends a batch with a limit on simultaneous requests; after a reason to stop, the rest is not started.
    private func deliver(
        _ items: [OutboxItem], _ listed: [TestID: DueTest], failuresInARow: inout Int
    ) async -> [Delivered] {
        var results: [Delivered] = []
        var next = 0
        var isStopped = false
        var underWay = 0
        var underWayBytes = 0
        await withTaskGroup(of: (Delivered?, sizeBytes: Int).self) { group in
            func begin() {
                while next < items.count, underWay < ItemDelivery.parallelDeliveries, !isStopped, !Task.isCancelled {
                    let item = items[next]
                    let due = listed[item.id]
                    let sizeBytes = due?.sizeBytes ?? 0
                    guard underWay == 0 || underWayBytes + sizeBytes <= Self.parallelBytes else { return }
                    next += 1
                    underWay += 1
                    underWayBytes += sizeBytes
                    group.addTask { (await deliverOne(item, due), sizeBytes) }
                }
            }
            begin()
            while let (result, sizeBytes) = await group.next() {
                underWay -= 1
                underWayBytes -= sizeBytes
                if let result {
                    results.append(result)
                    if case .retry(_, _, let pace) = result.sent.decision {
                        failuresInARow += 1
                        if pace == .stop || failuresInARow >= ItemDelivery.tolerableFailures { isStopped = true }
                    } else {
                        failuresInARow = 0
                    }
                }
                begin()
            }
        }
        return results
    }

    private func deliverOne(_ item: OutboxItem, _ listed: DueTest?) async -> Delivered? {
        // A file that became unreadable since it was listed stays where it is: recovery returns it to `done`.
        guard let bytes = try? outbox.bytes(of: item) else { return nil }
        let digest = Digest(sha256Of: bytes)
        // To read a test as one takes longer than all else that is done to it here: the same bytes need it once.
        let known = listed?.digest == digest ? listed?.title : nil
        guard let title = try? known ?? outbox.record(of: item, in: bytes).questionnaire.title else { return nil }
        let sent = await items.attempt(item, digest: digest) { () async throws(RemoteFailure) in
            try await remote.put(item.id, bytes: bytes, digest: digest)
        }
        return Delivered(sent: sent, title: title)
    }

    /// The outcome of a batch.
    private struct Outcome: Sendable {
        var settlements: [OutboxSettlement] = []
        var events: [JournalEvent] = []
        var contact: Contact?
        var step = SweepStep.proceed
    }

    private func outcome(of results: [Delivered], _ claimed: [OutboxItem], _ report: inout Sweeper.Report) -> Outcome {
        // The reason for the end of the round describes the state of the remote.
        let last =
            results.first { if case .retry(_, _, .stop) = $0.sent.decision { true } else { false } } ?? results.last
        var outcome = Outcome(contact: last?.sent.contact)
        let now = clock.now
        for result in results {
            let id = result.sent.item.id
            func event(_ name: String, _ detail: String? = nil) {
                outcome.events.append(
                    JournalEvent(at: now, event: name, test: id, title: result.title, detail: detail))
            }
            let settled = items.settle(result.sent, &report)
            outcome.settlements.append(settled.settlement)
            outcome.step = outcome.step.followed(by: settled.step)
            if let told = settled.event { event(told.name, told.detail) }
            if settled.settlement.move.to == .rated {
                report.rated.append(id)
                event("rated", settled.settlement.receipt?.evaluation?.summary)
            }
        }
        // Those that were claimed and not tried go back as they were.
        let tried = Set(results.map(\.sent.item.id))
        outcome.settlements += claimed.filter { !tried.contains($0.id) }.map {
            OutboxSettlement(move: OutboxMove($0, to: .done), receipt: nil)
        }
        return outcome
    }

    private func settle(_ outcome: Outcome, _ lock: SweepLock) async throws {
        try await offload { try outbox.queue.settle(outcome.settlements, lock) }
        journal.record(outcome.events)
        if let contact = outcome.contact { journal.note(contact) }
    }
}
