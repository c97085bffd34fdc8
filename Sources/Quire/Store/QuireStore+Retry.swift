import Model
import OutboxStore
import WireFormat

/// Sending again, when a person asks for it.
extension QuireStore {
    /// The items that can be sent again now, and those that were left out.
    public struct RetryReport: Sendable, Hashable {
        /// They go with the next sync.
        public var retried: [TestID] = []
        /// The server itself has refused them, or has another version: each waits for a decision of its own.
        public var undecided: [TestID] = []
        /// Names of attachments whose bytes are not on this device any more.
        public var absentFiles: [String] = []

        package init() {}
    }

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

    /// Makes an item due now that waits for its time, was rejected, or is missing on the server.
    @discardableResult
    public func retry(_ id: TestID) throws -> RetryReport {
        var report = RetryReport()
        if let item = try outbox.find(id), isMissing(item) {
            report.absentFiles = try resend(id)
        } else {
            try outbox.edits.retry(id)
        }
        report.retried = [id]
        return report
    }

    /// Makes all items due now that wait for their time, or that another page in place of the server rejected in an
    /// earlier version.
    public func retryAll() throws -> RetryReport {
        var report = RetryReport()
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
    package func resendMissing() throws -> RetryReport {
        var report = RetryReport()
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
