import Model
import OutboxStore

/// A test to send now, with the content of its file when it was listed.
struct DueTest: Sendable {
    var item: OutboxItem
    var sequence: Int
    var sizeBytes: Int
    var digest: Digest
    var title: String
}

/// A change whose turn it is.
struct DueChange: Sendable {
    var stored: StoredChange
    var base: SendingOrder.Base
}

/// Finds the items of an outbox that may be sent now.
struct DueItems: Sendable {
    let outbox: Outbox
    let clock: any StoreClock
    /// Whether the remote keeps a change together with the one that it follows.
    let keepsSuccessors: Bool

    /// The tests to send now, in the order in which they were started.
    ///
    /// - Parameter forgotten: those that no hub has any more are due whatever their time.
    func tests(
        _ scan: OutboxScan, _ options: Sweeper.Options, _ report: inout Sweeper.Report, forgotten: Set<TestID> = []
    ) throws -> [DueTest] {
        let now = clock.now
        var due: [DueTest] = []
        report.nextTestDue = nil
        report.unreadable = []
        let order = try outbox.sendingOrder(scan, keepsSuccessors: keepsSuccessors)
        for item in waiting(scan, options) where item.kind == .test {
            do {
                let stored = try outbox.read(item)
                if item.status == .done, stored.record.attachments.contains(where: { scan.kind(of: $0.id) != .media }) {
                    try outbox.attachments.complete(of: item)
                }
                if order.standing(ofTestOf: stored.record.questionnaire.id) != .ready { continue }
                guard
                    options.ignoresNotBefore || forgotten.contains(item.id)
                        || isDue(stored.modified, now, next: &report.nextTestDue)
                else { continue }
                due.append(
                    DueTest(
                        item: item, sequence: stored.record.sequence, sizeBytes: stored.bytes.count,
                        digest: stored.digest, title: stored.record.questionnaire.title))
            } catch let error as OutboxError {
                // One bad file stops nothing; doctor names it.
                if case .unreadable = error { report.unreadable.append(error.description) }
            }
        }
        return due.sorted { ($0.sequence, $0.item.id) < ($1.sequence, $1.item.id) }
    }

    /// The changes that may go now: due, with everything delivered that they go on from.
    ///
    /// - Parameters:
    ///   - tried: those that had their turn in this sweep.
    ///   - forgotten: those that no hub has any more are due whatever their time.
    func changes(
        _ scan: OutboxScan, _ options: Sweeper.Options, except tried: Set<TestID>, _ report: inout Sweeper.Report,
        forgotten: Set<TestID> = []
    ) throws -> [DueChange] {
        let now = clock.now
        let changes = try readChanges(scan.items.filter(\.isWaitingInOrder), &report)
            .sorted { ($0.change.sequence, $0.item.id) < ($1.change.sequence, $1.item.id) }
        let order = SendingOrder(
            try .init(changes, [], scan, outbox), keepsSuccessors: keepsSuccessors,
            forgotten: forgotten.subtracting(tried))
        let waiting = Set(waiting(scan, options))
        var due: [DueChange] = []
        for stored in changes where waiting.contains(stored.item) && !tried.contains(stored.item.id) {
            guard order.standing(of: stored.change) == .ready else { continue }
            guard
                options.ignoresNotBefore || forgotten.contains(stored.item.id)
                    || isDue(stored.modified, now, next: &report.nextOtherDue)
            else { continue }
            var base = SendingOrder.Base()
            if case .questionnaire(let change) = stored.change { base = order.base(of: change) ?? base }
            due.append(DueChange(stored: stored, base: base))
        }
        return due
    }

    /// The attachments that may go now: due, with the test or the questionnaire that names them delivered.
    ///
    /// - Parameters:
    ///   - sent: what is taken to be delivered by then.
    ///   - forgotten: those that no hub has any more are due whatever their time.
    func media(
        _ scan: OutboxScan, _ options: Sweeper.Options, assuming sent: Set<TestID> = [], _ report: inout Sweeper.Report,
        forgotten: Set<TestID> = []
    ) throws -> [StoredChange] {
        let now = clock.now
        var due: [StoredChange] = []
        let media = try readChanges(waiting(scan, options).filter { $0.kind == .media }, &report)
        guard !media.isEmpty else { return [] }
        let order = try outbox.sendingOrder(
            scan, media: media.compactMap { if case .media(let media) = $0.change { media } else { nil } },
            keepsSuccessors: keepsSuccessors, assuming: sent)
        for stored in media {
            guard order.standing(of: stored.change) == .ready else { continue }
            guard
                options.ignoresNotBefore || forgotten.contains(stored.item.id)
                    || isDue(stored.modified, now, next: &report.nextOtherDue)
            else { continue }
            due.append(stored)
        }
        return due.sorted {
            ($0.change.sequence, $0.change.dateChanged, $0.item.id)
                < ($1.change.sequence, $1.change.dateChanged, $1.item.id)
        }
    }

    /// - Parameter next: the earliest time of those that are not due.
    private func isDue(_ notBefore: Timestamp, _ now: Timestamp, next: inout Timestamp?) -> Bool {
        let dueTime = DeliveryDecision.dueTime(notBefore, now: now)
        if dueTime <= now { return true }
        next = min(next ?? dueTime, dueTime)
        return false
    }

    /// The items to send, due or not.
    private func waiting(_ scan: OutboxScan, _ options: Sweeper.Options) -> [OutboxItem] {
        scan.items(.done) + (options.countsInterrupted ? scan.items(.sending) : [])
    }

    /// Reads what is no test. One bad file stops nothing; doctor names it.
    private func readChanges(
        _ items: some Sequence<OutboxItem>, _ report: inout Sweeper.Report
    ) throws -> [StoredChange] {
        var changes: [StoredChange] = []
        for item in items {
            do {
                changes.append(try outbox.readChange(item))
            } catch let error as OutboxError {
                guard case .unreadable = error, !report.unreadable.contains(error.description) else { continue }
                report.unreadable.append(error.description)
            }
        }
        return changes
    }
}
