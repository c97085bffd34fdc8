import Model
import OutboxStore
import Sync
import WireFormat

/// Sends again what a person asks for: what waits, was refused, or is missing on the server.
package struct Resending: Sendable {
    let outbox: Outbox
    let journal: Journal
    let clock: any StoreClock

    /// The delivered tests that the server was found not to have any more.
    package func missingTests() throws -> [OutboxItem] {
        guard let missing = journal.missing() else { return [] }
        let ids = Set(missing.tests)
        return try outbox.scan().tests.filter { $0.status.isDelivered && ids.contains($0.id) }
    }

    /// Whether the server was found not to have a delivered test any more.
    package func isMissing(_ item: OutboxItem) -> Bool {
        item.status.isDelivered && journal.missing()?.tests.contains(item.id) == true
    }

    /// See ``QuireStore/retry(_:)``.
    @discardableResult
    func retry(_ id: TestID) throws -> QuireStore.RetryReport {
        var report = QuireStore.RetryReport()
        if let item = try outbox.find(id), isMissing(item) {
            report.absentFiles = try resend(id)
        } else {
            try outbox.edits.retry(id)
        }
        report.retried = [id]
        return report
    }

    /// See ``QuireStore/retryAll()``.
    func retryAll() throws -> QuireStore.RetryReport {
        var report = QuireStore.RetryReport()
        let now = clock.now
        for item in try outbox.scan().items {
            switch item.status {
            case .done where try outbox.modified(item).map({ $0 > now }) == true: break
            case .rejected, .conflict:
                guard isRefusedByStranger(item) else {
                    report.undecided.append(item.id)
                    continue
                }
            default: continue
            }
            do {
                try outbox.edits.retry(item.id)
                report.retried.append(item.id)
            } catch OutboxError.notFound, OutboxError.illegalMove {
                // It moved on in this moment.
            } catch OutboxError.unfinished, OutboxError.otherVersion {
                report.undecided.append(item.id)
            }
        }
        return report
    }

    /// Sends again all tests that the server was found not to have any more.
    package func resendMissing() throws -> QuireStore.RetryReport {
        var report = QuireStore.RetryReport()
        for item in try missingTests() {
            do {
                report.absentFiles += try resend(item.id)
                report.retried.append(item.id)
            } catch OutboxError.notFound, OutboxError.illegalMove {
                // It moved on in this moment.
            } catch OutboxError.unreadable {
                report.undecided.append(item.id)
            }
        }
        return report
    }

    private func resend(_ id: TestID) throws -> [String] {
        let absent = try outbox.queue.resend(id)
        journal.noteMissing([], there: [id], now: clock.now)
        return absent
    }

    /// Whether another page rejected it: versions before the protocol's marks treated any 4xx as the server's.
    package func isRefusedByStranger(_ item: OutboxItem) -> Bool {
        guard item.status == .rejected || item.status == .conflict, let delivery = try? outbox.receipt(item)?.delivery,
            let status = delivery.httpStatus
        else { return false }
        return !ProtocolMarks.areIn(delivery.problem, status: status)
    }
}
