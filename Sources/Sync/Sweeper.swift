import Disk
import HTTPCaching
import HTTPTypes
import Model
import OutboxStore

/// Moves the outbox to the remote: one round of sending what is due and asking after what was sent.
public struct Sweeper: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal

    public init(outbox: Outbox, remote: any Remote, clock: any StoreClock, journal: Journal) {
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

    public struct Options: Sendable {
        /// Sends also what is not due yet.
        public var ignoresNotBefore: Bool
        public init(ignoresNotBefore: Bool = false) { self.ignoresNotBefore = ignoresNotBefore }
    }

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
        /// The moment at which the first of those that are not due becomes due.
        public var nextDue: Timestamp?
        /// Files that could not be read as tests; they stopped nothing.
        public var unreadable: [String] = []
        /// Why the round ended early.
        public var stopped: String?
        /// Whether the remote could not be reached.
        public var isUnreachable = false
        /// Whether another process is sweeping.
        public var isBusy = false
        public init() {}
    }

    private struct Due {
        var item: OutboxItem
        var sequence: Int
        var sizeBytes: Int
    }

    public func sweep(
        _ options: Options = Options(), progress: @Sendable (Int, Int) -> Void = { _, _ in }
    ) async throws -> Report {
        var report = Report()
        guard let right = try await offload({ try outbox.becomeSweeper() }) else {
            report.isBusy = true
            report.waiting = try waitingCount()
            return report
        }
        defer { right.release() }
        try await offload {
            try outbox.recover(right)
            journal.removeAbandonedTemporaryFiles()
        }
        let scan = try outbox.scan()
        let kept = keptTests(scan)
        var due = try collectDue(scan, options, &report)
        if !due.isEmpty || !kept.isEmpty || scan.items.contains(where: isOpen) {
            if case .away(let reason) = remote.presence() {
                report.isUnreachable = true
                report.stopped = reason
                journal.note(Contact(at: clock.now, isReachable: false, reason: reason))
            } else {
                let forgotten = try await askAfter(kept, right, &report)
                if !forgotten.isEmpty || !report.sent.isEmpty {
                    due = try collectDue(try outbox.scan(), options, &report, forgotten: forgotten)
                }
                if report.stopped == nil { try await deliver(due, right, &report, progress) }
                if report.stopped == nil { try await poll(right, &report) }
            }
        }
        report.waiting = try waitingCount()
        report.kept = keptTests(try outbox.scan()).count
        if report.stopped == nil {
            // With nothing to send nobody was asked: that is no contact.
            if let contact = journal.contact() ?? (due.isEmpty ? nil : Contact(at: clock.now, isReachable: true)) {
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
        let due = try collectDue(try outbox.scan(), options, &report)
        report.waiting = try waitingCount()
        report.kept = keptTests(try outbox.scan()).count
        return (due.map(\.item), report)
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
        report.nextDue = nil
        report.unreadable = []
        for item in scan.items(.done) {
            do {
                let stored = try outbox.read(item)
                if stored.modified > now, !options.ignoresNotBefore, !forgotten.contains(item.id) {
                    report.nextDue = min(report.nextDue ?? stored.modified, stored.modified)
                    continue
                }
                due.append(
                    Due(item: item, sequence: stored.record.sequence, sizeBytes: stored.bytes.count))
            } catch let error as OutboxError {
                // One bad file stops nothing; doctor names it.
                if case .unreadable = error { report.unreadable.append(error.description) }
            }
        }
        return due.sorted { ($0.sequence, $0.item.id) < ($1.sequence, $1.item.id) }
    }

    // MARK: Sending

    private func deliver(
        _ due: [Due], _ right: SweeperRight, _ report: inout Report, _ progress: @Sendable (Int, Int) -> Void
    ) async throws {
        var failuresInARow = 0
        var done = 0
        for start in stride(from: 0, to: due.count, by: Self.batchSize) {
            let begun = due[start..<min(start + Self.batchSize, due.count)]
            let batch = begun.map(\.item)
            let sizes = Dictionary(begun.map { ($0.item.id, $0.sizeBytes) }, uniquingKeysWith: max)
            let claimed = try await offload { try outbox.claim(batch, right) }
            let results = await deliver(claimed, sizes: sizes, failuresInARow: &failuresInARow)
            try await settle(results, claimed, right, &report)
            done += batch.count
            progress(done, due.count)
            if report.stopped == nil, failuresInARow >= Self.tolerableFailures {
                report.stopped = "\(failuresInARow) deliveries in a row failed"
            }
            if report.stopped != nil || Task.isCancelled { return }
        }
    }

    private struct Delivered: Sendable {
        var item: OutboxItem
        var title: String
        var digest: Digest
        /// When a hub said that it keeps it.
        var keptAt: Timestamp?
        var decision: DeliveryDecision
        var contact: Contact
    }

    /// Sends a batch with a bound on the requests under way; after a reason to stop, the rest is not begun.
    private func deliver(
        _ items: [OutboxItem], sizes: [TestID: Int], failuresInARow: inout Int
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
                    let sizeBytes = sizes[item.id] ?? 0
                    guard underWay == 0 || underWayBytes + sizeBytes <= Self.parallelBytes else { return }
                    next += 1
                    underWay += 1
                    underWayBytes += sizeBytes
                    group.addTask { (await deliverOne(item), sizeBytes) }
                }
            }
            begin()
            while let (result, sizeBytes) = await group.next() {
                underWay -= 1
                underWayBytes -= sizeBytes
                if let result {
                    results.append(result)
                    if case .retry(_, _, let pace) = result.decision {
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

    private func deliverOne(_ item: OutboxItem) async -> Delivered? {
        // A file that became unreadable since it was listed stays where it is: recovery returns it to `done`.
        guard let stored = try? outbox.read(item) else { return nil }
        let digest = stored.digest
        let former = try? outbox.receipt(item)
        let history = former?.delivery
        let outcome: Result<RemoteReply, RemoteFailure>
        do throws(RemoteFailure) {
            outcome = .success(try await remote.put(item.id, bytes: stored.bytes, digest: digest))
        } catch {
            outcome = .failure(error)
        }
        let decision = DeliveryDecision.decide(
            .init(
                test: item.id, digest: digest, outcome: outcome, history: history, now: clock.now,
                jitter: Double.random(in: 0..<1)))
        return Delivered(
            item: item, title: stored.record.questionnaire.title, digest: digest,
            keptAt: former?.digest == digest ? former?.keptAt : nil, decision: decision,
            contact: Contact(after: outcome, now: clock.now))
    }

    private func settle(
        _ results: [Delivered], _ claimed: [OutboxItem], _ right: SweeperRight, _ report: inout Report
    ) async throws {
        var settlements: [OutboxSettlement] = []
        var events: [JournalEvent] = []
        let now = clock.now
        for result in results {
            let item = result.item
            func event(_ name: String, _ detail: String? = nil) {
                events.append(JournalEvent(at: now, event: name, test: item.id, title: result.title, detail: detail))
            }
            switch result.decision {
            case .acknowledged(let receipt):
                let status = receipt.status ?? .sent
                settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                report.sent.append(item.id)
                event("sent")
                if status == .rated {
                    report.rated.append(item.id)
                    event("rated", receipt.evaluation?.summary)
                }
            case .kept(let delivery, let keptAt, let notBefore):
                settlements.append(
                    .init(
                        move: OutboxMove(item, to: .done),
                        receipt: Receipt(test: item.id, digest: result.digest, keptAt: keptAt, delivery: delivery),
                        notBefore: notBefore))
                if result.keptAt == nil { event("kept") }
            case .retry(let delivery, let notBefore, let pace):
                settlements.append(
                    .init(
                        move: OutboxMove(item, to: .done),
                        receipt: Receipt(
                            test: item.id, digest: result.digest, keptAt: result.keptAt, delivery: delivery),
                        notBefore: notBefore))
                if notBefore > now { report.nextDue = min(report.nextDue ?? notBefore, notBefore) }
                if pace == .stop, report.stopped == nil {
                    report.stopped = delivery.reason
                    report.isUnreachable = delivery.httpStatus == nil
                }
                event("retry", delivery.reason)
            case .rejected(let delivery):
                settlements.append(
                    .init(
                        move: OutboxMove(item, to: .rejected),
                        receipt: Receipt(test: item.id, digest: result.digest, delivery: delivery)))
                report.rejected.append(item.id)
                event("rejected", delivery.reason)
            case .conflict(let delivery):
                settlements.append(
                    .init(
                        move: OutboxMove(item, to: .conflict),
                        receipt: Receipt(test: item.id, digest: result.digest, delivery: delivery)))
                report.conflicts.append(item.id)
                event("conflict", delivery.reason)
            }
        }
        // Those that were claimed and not tried go back as they were.
        let tried = Set(results.map(\.item.id))
        settlements += claimed.filter { !tried.contains($0.id) }.map {
            OutboxSettlement(move: OutboxMove($0, to: .done), receipt: nil)
        }
        let all = settlements
        try await offload { try outbox.settle(all, right) }
        journal.record(events)
        if let last = results.last { journal.note(last.contact) }
    }

    // MARK: Asking

    /// Asks what became of the tests that the server has, and moves those that got further.
    private func poll(_ right: SweeperRight, _ report: inout Report) async throws {
        let open = try outbox.scan().items.filter(isOpen)
        for start in stride(from: 0, to: open.count, by: Self.pollSize) {
            let items = open[start..<min(start + Self.pollSize, open.count)]
            let receipts: [Receipt]
            do throws(RemoteFailure) {
                let reply = try await remote.receipts(of: items.map(\.id))
                journal.note(Contact(after: .success(reply), now: clock.now))
                guard reply.status == 200,
                    let list = try? DocumentCoding.decode(ReceiptList.self, from: reply.body)
                else { return }
                receipts = list.receipts
            } catch {
                journal.note(Contact(after: .failure(error), now: clock.now))
                report.stopped = error.reason
                report.isUnreachable = true
                return
            }
            let known = Dictionary(receipts.map { ($0.test, $0) }, uniquingKeysWith: { first, _ in first })
            var settlements: [OutboxSettlement] = []
            for item in items {
                guard let receipt = known[item.id], let status = receipt.status,
                    let stored = try? outbox.read(item), receipt.digest == stored.digest
                else { continue }
                if item.status.legalMoves.contains(status) {
                    settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                    if status == .rated {
                        report.rated.append(item.id)
                        journal.record(
                            "rated", test: item.id, title: stored.record.questionnaire.title,
                            detail: receipt.evaluation?.summary)
                    }
                } else if status == item.status, !hasReceipt(item) {
                    // The proof of delivery was lost or damaged: the server gives it again.
                    settlements.append(.init(move: OutboxMove(item, to: status), receipt: receipt))
                }
            }
            let all = settlements
            try await offload { try outbox.settle(all, right) }
        }
    }

    /// Whether the server has something to tell about a test: its rating, or a receipt that is missing here.
    private func isOpen(_ item: OutboxItem) -> Bool {
        switch item.status {
        case .sent, .checking: true
        case .rated: !hasReceipt(item)
        default: false
        }
    }

    private func hasReceipt(_ item: OutboxItem) -> Bool {
        // A damaged one is as good as none: it is asked for again.
        (try? outbox.receipt(item))?.digest != nil
    }

    private struct ReceiptList: Decodable { var receipts: [Receipt] }
}

extension Contact {
    /// What a request told about the way to the remote and about its clock.
    init(after outcome: Result<RemoteReply, RemoteFailure>, now: Timestamp) {
        switch outcome {
        case .success(let reply):
            let date = reply.fields[.date].flatMap { HTTPDate.parse($0, now: now) }
            self.init(at: now, isReachable: true, skewSeconds: date.map { $0.seconds(since: reply.responseTime) })
        case .failure(let failure):
            self.init(at: now, isReachable: failure.kind == .invalidReply, reason: failure.reason)
        }
    }
}

extension Evaluation {
    /// `8 of 10`.
    public var summary: String {
        func plain(_ value: Double) -> String {
            value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
        }
        return "\(plain(score)) of \(plain(maximum))"
    }
}
