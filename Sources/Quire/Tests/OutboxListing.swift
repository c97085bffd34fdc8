import Model
import OutboxStore

/// Lists and counts what is in the outbox.
package struct OutboxListing: Sendable {
    let outbox: Outbox

    /// See ``QuireStore/tests(status:)``.
    package func tests(status: TestStatus? = nil) throws -> [QuireStore.TestLine] {
        var lines: [QuireStore.TestLine] = []
        for item in try outbox.scan().tests where status == nil || item.status == status {
            do {
                let stored = try outbox.read(item)
                // A damaged receipt hides no test.
                lines.append(
                    QuireStore.TestLine(
                        item: item, record: stored.record, receipt: try? outbox.receipt(item),
                        modified: stored.modified))
            } catch OutboxError.notFound {
                continue
            } catch let error as OutboxError {
                lines.append(QuireStore.TestLine(item: item, record: nil, receipt: nil, fault: error.description))
            }
        }
        return lines.sorted {
            let (one, other) = ($0.record, $1.record)
            return (one?.dateStarted ?? .epoch, one?.sequence ?? 0, $0.item.id)
                < (other?.dateStarted ?? .epoch, other?.sequence ?? 0, $1.item.id)
        }
    }

    /// The number of waiting tests that a medium on the way holds.
    package func keptCount() throws -> Int { keptItems(try outbox.scan()).count }

    /// The waiting tests that a medium on the way holds.
    func keptItems(_ scan: OutboxScan) -> [OutboxItem] {
        let tried = Set(scan.receipts.filter { $0.status == .done }.map(\.id))
        return scan.items.filter { item in
            // A damaged record of attempts counts as none.
            item.status.isWaiting && tried.contains(item.id)
                && (try? outbox.receipt(item))?.keptAt != nil
        }
    }

    /// See ``QuireStore/outboxTallies()``.
    func tallies() throws -> QuireStore.OutboxTallies {
        let scan = try outbox.scan()
        let kept = Set(keptItems(scan).map(\.id))
        func tally(_ isCounted: (OutboxKind) -> Bool) -> QuireStore.OutboxTally {
            QuireStore.OutboxTally(scan.items.filter { isCounted($0.kind) }, kept: kept)
        }
        return QuireStore.OutboxTallies(
            all: tally { _ in true }, tests: tally { $0 == .test },
            changes: tally { $0 == .questionnaire || $0 == .favorite }, attachments: tally { $0 == .media })
    }
}
