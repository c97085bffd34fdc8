import Disk
import Model
import OutboxStore

/// Tests and changes that a hub has: they wait here until the server's own receipt comes through it.
struct KeptItems: Sendable {
    let outbox: Outbox
    let journal: Journal
    let query: ReceiptQuery

    /// Those in `done` of which a hub said that it keeps these very bytes.
    func items(in scan: OutboxScan) -> [OutboxItem] {
        let withReceipt = Set(scan.receipts.filter { $0.status == .done }.map(\.id))
        return scan.items(.done).filter { item in
            // A damaged record of what was tried says no more than none.
            withReceipt.contains(item.id) && (try? outbox.receipt(item))?.keptAt != nil
        }
    }

    /// Asks what became of them, and moves those that were delivered.
    ///
    /// Those that the remote does not know are forgotten: another hub, or none, is in between now. They are sent again.
    func ask(_ round: inout SweepRound) async throws -> SweepStep {
        let lock = round.lock
        var forgotten: Set<TestID> = []
        let step = try await query.ask(about: round.kept, as: KeptList.self, &round.report) { items, answer, report in
            let receipts = Dictionary(answer.receipts.map { ($0.test, $0) }, uniquingKeysWith: { first, _ in first })
            let stillKept = Dictionary(
                (answer.kept ?? []).map { ($0.test, $0.digest) }, uniquingKeysWith: { first, _ in first })
            var delivered: [OutboxItem: Receipt] = [:]
            for item in items {
                if let receipt = receipts[item.id], let status = receipt.status, status.isDelivered,
                    receipt.receivedAt != nil, let digest = contentDigest(item), receipt.digest == digest
                {
                    delivered[item] = receipt
                } else if receipts[item.id] != nil || stillKept[item.id] == nil
                    || stillKept[item.id] != contentDigest(item)
                {
                    // Or what is there is half a file, as a stick makes it that is pulled out too soon.
                    forgotten.insert(item.id)
                }
            }
            try await settle(delivered, lock, &report)
        }
        round.forgotten = forgotten
        return step
    }

    private func settle(
        _ delivered: [OutboxItem: Receipt], _ lock: SweepLock, _ report: inout Sweeper.Report
    ) async throws {
        guard !delivered.isEmpty else { return }
        let claimed = try await offload { try outbox.queue.claim(Array(delivered.keys), lock) }
        var settlements: [OutboxSettlement] = []
        for item in claimed {
            guard let receipt = delivered[OutboxItem(id: item.id, kind: item.kind, status: .done)],
                let status = receipt.status
            else { continue }
            settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
            report.sent.append(item.id)
            if item.kind != .test {
                let change = try? outbox.readChange(item).change
                journal.record(
                    "sent", change: item.id, questionnaire: change?.questionnaire, title: change?.title,
                    detail: change?.action.rawValue)
                continue
            }
            let title = (try? outbox.read(item))?.record.questionnaire.title
            journal.record("sent", test: item.id, title: title)
            if status == .rated {
                report.rated.append(item.id)
                journal.record("rated", test: item.id, title: title, detail: receipt.evaluation?.summary)
            }
        }
        let all = settlements
        try await offload { try outbox.queue.settle(all, lock) }
    }

    /// SHA-256 of what is sent; `nil` where the file cannot be read any more.
    private func contentDigest(_ item: OutboxItem) -> Digest? {
        item.kind == .test ? try? outbox.read(item).digest : try? outbox.readChange(item).change.contentDigest
    }

    /// The known tests and changes: receipts of the server, and the hub's statement for those that it has not
    /// forwarded.
    private struct KeptList: Decodable {
        var receipts: [Receipt]
        var kept: [KeptReceipt]?
    }
}
