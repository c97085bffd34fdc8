import Disk
import Model
import OutboxStore

/// Moves the outbox to the remote: one round of sending what is due and asking after what was sent.
public struct Sweeper: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal
    /// What becomes of changes that meet another version.
    let conflicts: ConflictPolicy
    let deviceID: String
    /// Is called at the end of a round: copies of what was delivered may go now.
    let release: @Sendable () throws -> Void

    public init(
        outbox: Outbox, remote: any Remote, clock: any StoreClock, journal: Journal,
        conflicts: ConflictPolicy = .ask, deviceID: String = "", release: @escaping @Sendable () throws -> Void = {}
    ) {
        self.release = release
        self.conflicts = conflicts
        self.deviceID = deviceID
        self.outbox = outbox
        self.remote = remote
        self.clock = clock
        self.journal = journal
    }

    /// Tests that are claimed, and settled, together: they share their folder syncs.
    static let batchSize = 32
    /// Requests under way at once.
    static let parallelDeliveries = 8
    /// What the tests under way may have together; a single longer one goes alone. They are held in memory.
    static let parallelBytes = 2 << 20
    /// After so many failures in a row the remote is taken to be in trouble.
    static let tolerableFailures = 5
    /// Ids in one question for receipts.
    static let pollSize = 100

    public struct Report: Sendable, Equatable {
        /// Acknowledged in this round.
        public var sent: [TestID] = []
        public var rejected: [TestID] = []
        public var conflicts: [TestID] = []
        /// Found to be rated in this round, at once or by asking.
        public var rated: [TestID] = []
        /// Still to be sent after this round.
        public var waiting = 0
        /// Of those that wait, the ones that a hub has.
        public var kept = 0
        /// The moment at which the first of those that are not due becomes due; what was learned to be delivered meanwhile has
        /// none any more.
        public var nextDue: Timestamp? {
            waiting == 0 ? nil : [nextTestDue, nextOtherDue].compactMap(\.self).min()
        }
        /// Of the tests; they are looked through several times in a round, and the last look counts.
        var nextTestDue: Timestamp?
        var nextOtherDue: Timestamp?
        /// Why what was tried in this round, and is to be tried again, did not arrive; the latest reason.
        public var trouble: String?
        /// Files that could not be read as tests; they stopped nothing.
        public var unreadable: [String] = []
        /// Tests that the server acknowledged and was found in this round not to have any more.
        public var missing: Set<TestID> = []
        /// Why of some that the server has it could not be heard what became of them.
        public var unheard: String?
        /// Why the round ended early.
        public var stopped: String?
        /// Whether the remote could not be reached.
        public var isUnreachable = false
        /// Whether another process is sweeping.
        public var isBusy = false
        public init() {}
    }

    /// What is to be sent now, with what its file said when it was listed.
    private struct Due: Sendable {
        var item: OutboxItem
        var sequence: Int
        var sizeBytes: Int
        var digest: Digest
        var title: String
    }

    public func sweep(
        _ options: Options = Options(), progress: @Sendable (Int, Int) -> Void = { _, _ in },
        mediaProgress: @escaping @Sendable (MediaProgress) -> Void = { _ in }
    ) async throws -> Report {
        var report = Report()
        guard let lock = try await offload({ try outbox.acquireSweepLock() }) else {
            report.isBusy = true
            report.waiting = try waitingCount()
            return report
        }
        defer { lock.release() }
        try await offload {
            try outbox.recover(lock)
            try outbox.tidyMedia(lock)
            journal.removeAbandonedTemporaryFiles()
        }
        let scan = try outbox.scan()
        let kept = keptItems(scan)
        var due = try collectDue(scan, options, &report)
        let hasChanges = try !dueChanges(scan, options, except: [], &report).isEmpty
        let hasMedia = scan.items(.done).contains { $0.kind == .media }
        let hasRated = try !ratedLately(scan, options).isEmpty
        if !due.isEmpty || hasChanges || hasMedia || hasRated || !kept.isEmpty || scan.items.contains(where: isOpen) {
            if let reason = await obstacle(options) {
                report.isUnreachable = true
                report.stopped = reason
            } else {
                let forgotten = try await askAfter(kept, lock, &report)
                if !forgotten.isEmpty || !report.sent.isEmpty {
                    due = try collectDue(try outbox.scan(), options, &report, forgotten: forgotten)
                }
                if report.stopped == nil {
                    try await deliverChanges(lock, options, &report, of: .questionnaire, forgotten: forgotten)
                }
                if hasChanges || !forgotten.isEmpty {
                    due = try collectDue(try outbox.scan(), options, &report, forgotten: forgotten)
                }
                if report.stopped == nil { try await deliver(due, lock, &report, progress) }
                if report.stopped == nil {
                    try await deliverChanges(lock, options, &report, of: .favorite, forgotten: forgotten)
                }
                if report.stopped == nil {
                    try await deliverMedia(lock, options, &report, forgotten: forgotten, mediaProgress)
                }
                if report.stopped == nil {
                    // What the server has not got, whatever its folder says, goes in the same round.
                    let returned = try await poll(lock, options, &report)
                    if !returned.isEmpty, report.stopped == nil {
                        let again = try collectDue(try outbox.scan(), options, &report, forgotten: returned)
                        try await deliver(again.filter { returned.contains($0.item.id) }, lock, &report, progress)
                    }
                }
            }
        }
        if hasMedia { try await offload { try release() } }
        report.waiting = try waitingCount()
        report.kept = keptItems(try outbox.scan()).count
        if report.stopped == nil, Task.isCancelled { report.stopped = "stopped" }
        if report.stopped == nil {
            // With nothing to send nobody was asked: that is no contact.
            if let contact = journal.contact()
                ?? (due.isEmpty && !hasChanges && !hasMedia ? nil : Contact(at: clock.now, isReachable: true))
            {
                var done = contact
                done.lastSync = clock.now
                journal.note(done)
            }
        }
        return report
    }

    /// What a round would send.
    public func dueNow(_ options: Options = Options()) throws -> (due: [OutboxItem], report: Report) {
        var report = Report()
        var options = options
        options.countsInterrupted = true
        let scan = try outbox.scan()
        let due = try collectDue(scan, options, &report)
        let changes = try dueChanges(scan, options, except: [], &report)
        let sent = Set(due.map(\.item.id) + changes.map(\.stored.item.id))
        let media = try dueMedia(scan, options, assuming: sent, &report)
        report.waiting = try waitingCount()
        report.kept = keptItems(scan).count
        return (changes.map(\.stored.item) + due.map(\.item) + media.map(\.item), report)
    }

    /// What is to be sent, whenever.
    func waiting(_ scan: OutboxScan, _ options: Options) -> [OutboxItem] {
        scan.items(.done) + (options.countsInterrupted ? scan.items(.sending) : [])
    }

    private func waitingCount() throws -> Int {
        try outbox.scan().items.count { $0.status.isWaiting }
    }

    /// What is to be sent now, in the order in which it was begun.
    ///
    /// - Parameter forgotten: those that no hub has any more are due whatever their time.
    private func collectDue(
        _ scan: OutboxScan, _ options: Options, _ report: inout Report, forgotten: Set<TestID> = []
    ) throws -> [Due] {
        let now = clock.now
        var due: [Due] = []
        report.nextTestDue = nil
        report.unreadable = []
        let order = try outbox.sendingOrder(scan, keepsSuccessors: remote.keepsSuccessors)
        for item in waiting(scan, options) where item.kind == .test {
            do {
                let stored = try outbox.read(item)
                if item.status == .done, stored.record.attachments.contains(where: { scan.kind(of: $0.id) != .media }) {
                    try outbox.completeMedia(of: item)
                }
                if order.standing(ofTestOf: stored.record.questionnaire.id) != .ready { continue }
                let dueTime = DeliveryDecision.dueTime(stored.modified, now: now)
                if dueTime > now, !options.ignoresNotBefore, !forgotten.contains(item.id) {
                    report.nextTestDue = min(report.nextTestDue ?? dueTime, dueTime)
                    continue
                }
                due.append(
                    Due(
                        item: item, sequence: stored.record.sequence, sizeBytes: stored.bytes.count,
                        digest: stored.digest, title: stored.record.questionnaire.title))
            } catch let error as OutboxError {
                // One bad file stops nothing; doctor names it.
                if case .unreadable = error { report.unreadable.append(error.description) }
            }
        }
        return due.sorted { ($0.sequence, $0.item.id) < ($1.sequence, $1.item.id) }
    }

    // MARK: Sending

    private func deliver(
        _ due: [Due], _ lock: SweepLock, _ report: inout Report, _ progress: @Sendable (Int, Int) -> Void
    ) async throws {
        // What came of a batch is written down while the next one is under way: neither the disk nor the remote waits for
        // the other.
        var settling: Task<Void, any Error>?
        do {
            var failuresInARow = 0
            for start in stride(from: 0, to: due.count, by: Self.batchSize) {
                let begun = due[start..<min(start + Self.batchSize, due.count)]
                let batch = begun.map(\.item)
                let listed = Dictionary(begun.map { ($0.item.id, $0) }, uniquingKeysWith: { first, _ in first })
                let claimed = try await offload { try outbox.claim(batch, lock) }
                let results = await deliver(claimed, listed, failuresInARow: &failuresInARow)
                let outcome = outcome(of: results, claimed, &report)
                try await settling?.value
                settling = Task { try await settle(outcome, lock) }
                progress(begun.endIndex, due.count)
                if report.stopped == nil, failuresInARow >= Self.tolerableFailures {
                    report.stopped = "\(failuresInARow) deliveries in a row failed"
                }
                if report.stopped != nil || Task.isCancelled { break }
            }
        } catch {
            // The sweep lock is released after this.
            _ = await settling?.result
            throw error
        }
        try await settling?.value
    }

    private struct Delivered: Sendable {
        var sent: Sent
        var title: String
    }

    /// Sends a batch with a bound on the requests under way; after a reason to stop, the rest is not begun.
    private func deliver(
        _ items: [OutboxItem], _ listed: [TestID: Due], failuresInARow: inout Int
    ) async -> [Delivered] {
        var results: [Delivered] = []
        var next = 0
        var isStopped = false
        var underWay = 0
        var underWayBytes = 0
        await withTaskGroup(of: (Delivered?, sizeBytes: Int).self) { group in
            func begin() {
                while next < items.count, underWay < Self.parallelDeliveries, !isStopped, !Task.isCancelled {
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
                        if pace == .stop || failuresInARow >= Self.tolerableFailures { isStopped = true }
                    } else {
                        failuresInARow = 0
                    }
                }
                begin()
            }
        }
        return results
    }

    private func deliverOne(_ item: OutboxItem, _ listed: Due?) async -> Delivered? {
        // A file that became unreadable since it was listed stays where it is: recovery returns it to `done`.
        guard let bytes = try? outbox.bytes(of: item) else { return nil }
        let digest = Digest(sha256Of: bytes)
        // To read a test as one takes longer than all else that is done to it here: the same bytes need it once.
        let known = listed?.digest == digest ? listed?.title : nil
        guard let title = try? known ?? outbox.record(of: item, in: bytes).questionnaire.title else { return nil }
        let sent = await attempt(item, digest: digest) { () async throws(RemoteFailure) in
            try await remote.put(item.id, bytes: bytes, digest: digest)
        }
        return Delivered(sent: sent, title: title)
    }

    /// What becomes of a batch.
    private struct Outcome: Sendable {
        var settlements: [OutboxSettlement] = []
        var events: [JournalEvent] = []
        var contact: Contact?
    }

    private func outcome(of results: [Delivered], _ claimed: [OutboxItem], _ report: inout Report) -> Outcome {
        // What ended the round says how the remote is now.
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
            let (settlement, told) = settlement(of: result.sent, &report)
            outcome.settlements.append(settlement)
            if let told { event(told.name, told.detail) }
            if settlement.move.to == .rated {
                report.rated.append(id)
                event("rated", settlement.receipt?.evaluation?.summary)
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
        try await offload { try outbox.settle(outcome.settlements, lock) }
        journal.record(outcome.events)
        if let contact = outcome.contact { journal.note(contact) }
    }
}
