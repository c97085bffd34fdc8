import Model
import OutboxStore

/// Lists and counts what is in the outbox.
package struct OutboxListing: Sendable {
    let outbox: Outbox

    /// See ``QuireStore/tests(status:)``.
    package func tests(status: TestStatus? = nil) throws -> [QuireStore.TestLine] {
        var lines: [QuireStore.TestLine] = []
        let items = try outbox.scan().tests
        for item in items where status == nil || item.status == status {
            guard let line = try outbox.whereItLies(item, line) else { continue }
            // One that moved is listed already where it is now, or is not asked for.
            guard line.item == item || status == nil && !items.contains(line.item) else { continue }
            lines.append(line)
        }
        return lines.sorted {
            let (one, other) = ($0.record, $1.record)
            return (one?.dateStarted ?? .epoch, one?.sequence ?? 0, $0.item.id)
                < (other?.dateStarted ?? .epoch, other?.sequence ?? 0, $1.item.id)
        }
    }

    /// One test, also while a sync moves it from folder to folder. If another version is in `conflict`, that is the one to
    /// decide about.
    ///
    /// - Throws: `OutboxError.notFound`.
    package func test(_ id: TestID) throws -> QuireStore.TestLine {
        let item = try outbox.undecided(id)
        guard item.kind == .test else { throw OutboxError.notFound(id.description) }
        return try test(item, again: outbox.undecided)
    }

    /// The same for one version of a test.
    package func test(
        _ item: OutboxItem, again look: ((TestID) throws -> OutboxItem?)? = nil
    ) throws -> QuireStore.TestLine {
        guard let line = try outbox.whereItLies(item, again: look, line) else {
            throw OutboxError.notFound(item.id.description)
        }
        return line
    }

    /// The record of the test that a line describes.
    ///
    /// - Throws: `OutboxError.unreadable` with the reason, where it is damaged.
    package func record(of line: QuireStore.TestLine) throws -> TestRecord {
        try line.record ?? outbox.read(line.item).record
    }

    /// - Throws: `OutboxError.notFound` if the test is no longer in that folder.
    private func line(_ item: OutboxItem) throws -> QuireStore.TestLine {
        do {
            let stored = try outbox.read(item)
            // A damaged receipt hides no test.
            let receipt = try outbox.receipt(readWith: item) { try? outbox.receipt($0) }
            return QuireStore.TestLine(
                item: item, record: stored.record, receipt: receipt, modified: stored.modified)
        } catch let error as OutboxError {
            if case .notFound = error { throw error }
            return QuireStore.TestLine(item: item, record: nil, receipt: nil, fault: error.description)
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
