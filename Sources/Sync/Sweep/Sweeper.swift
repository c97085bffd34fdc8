import Disk
import Model
import OutboxStore

/// Moves the outbox to the remote: one round of sending what is due and asking after what was sent.
public struct Sweeper: Sendable {
    private let outbox: Outbox
    private let remote: any Remote
    private let clock: any StoreClock
    private let journal: Journal
    /// How to settle changes that conflict with another version.
    private let conflicts: ConflictPolicy
    private let deviceID: String
    /// Is called at the end of a round: copies of what was delivered may go now.
    private let release: @Sendable () throws -> Void
    /// What is said of open tests; `nil` where nothing is.
    private let progress: ProgressSource?

    package init(
        outbox: Outbox, remote: any Remote, clock: any StoreClock, journal: Journal,
        conflicts: ConflictPolicy = .ask, deviceID: String = "", progress: ProgressSource? = nil,
        release: @escaping @Sendable () throws -> Void = {}
    ) {
        self.release = release
        self.progress = progress
        self.conflicts = conflicts
        self.deviceID = deviceID
        self.outbox = outbox
        self.remote = remote
        self.clock = clock
        self.journal = journal
    }

    public struct Options: Sendable {
        /// Sends also what is not due yet.
        public var ignoresNotBefore: Bool
        /// Asks first whether it is the remote that answers.
        public var probes: Bool
        /// Also asks for recently rated tests: a rating may have changed.
        public var asksAfterRated: Bool
        /// Asks after all that was delivered, however long ago: whether the server still has it.
        public var verifies: Bool
        /// Counts tests in `sending` as waiting: without a sweep, they were not moved back.
        var countsInterrupted = false
        public init(
            ignoresNotBefore: Bool = false, probes: Bool = false, asksAfterRated: Bool = false, verifies: Bool = false
        ) {
            self.verifies = verifies
            self.ignoresNotBefore = ignoresNotBefore
            self.probes = probes
            self.asksAfterRated = asksAfterRated
        }
    }

    public struct Report: Sendable, Equatable {
        /// Acknowledged in this round.
        public var sent: [TestID] = []
        public var rejected: [TestID] = []
        public var conflicts: [TestID] = []
        /// Found to be rated in this round, at once or by asking.
        public var rated: [TestID] = []
        /// Sent back by a teacher to be corrected, as asking found out.
        package var returned: [TestID] = []
        /// Still to be sent after this round.
        public var waiting = 0
        /// The waiting ones that a hub has.
        public var kept = 0
        /// The earliest due time of the items that are not due; items found to be delivered meanwhile have none.
        public var nextDue: Timestamp? {
            waiting == 0 ? nil : [nextTestDue, nextOtherDue].compactMap(\.self).min()
        }
        /// For tests; they are scanned several times in a round, and the last scan counts.
        var nextTestDue: Timestamp?
        var nextOtherDue: Timestamp?
        /// Why what was tried in this round, and is to be tried again, did not arrive; the latest reason.
        public var trouble: String?
        /// Files that could not be read as tests; they stopped nothing.
        public var unreadable: [String] = []
        /// Tests that the server acknowledged and was found in this round not to have any more.
        package var missing: Set<TestID> = []
        /// Why of some that the server has it could not be heard what became of them.
        package var unheard: String?
        /// Why the round ended early.
        public var stopped: String?
        /// Whether the remote could not be reached.
        public var isUnreachable = false
        /// Whether another process is sweeping.
        public var isBusy = false
        package init() {}
    }

    public func sweep(
        _ options: Options = Options(), progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in },
        mediaProgress: @escaping @Sendable (MediaProgress) -> Void = { _ in }
    ) async throws -> Report {
        guard let lock = try await offload({ try outbox.queue.acquireSweepLock() }) else {
            var report = Report()
            report.isBusy = true
            report.waiting = try outbox.scan().waitingCount
            return report
        }
        defer { lock.release() }
        try await offload {
            try outbox.queue.recover(lock)
            try outbox.attachments.tidy(lock)
            journal.removeAbandonedTemporaryFiles()
        }
        var round = try survey(
            SweepRound(lock: lock, options: options, progress: progress, mediaProgress: mediaProgress))
        if round.hasWork {
            for phase in SweepPhase.allCases {
                guard case .stop(let reason, let isUnreachable) = try await run(phase, &round) else { continue }
                (round.report.stopped, round.report.isUnreachable) = (reason, isUnreachable)
                break
            }
        }
        // It refuses tests now, and may still hear that they wait; or there is nothing else to say.
        if !round.hasReported, !round.report.isUnreachable { await report(&round) }
        return try await finish(round)
    }

    /// The items that a round would send.
    package func dueNow(_ options: Options = Options()) throws -> (due: [OutboxItem], report: Report) {
        var report = Report()
        var options = options
        options.countsInterrupted = true
        let scan = try outbox.scan()
        let tests = try due.tests(scan, options, &report)
        let changes = try due.changes(scan, options, except: [], &report)
        let sent = Set(tests.map(\.item.id) + changes.map(\.stored.item.id))
        let media = try due.media(scan, options, assuming: sent, &report)
        // A test's attachments that were missing wait by now, too.
        report.waiting = try outbox.scan().waitingCount
        report.kept = kept.items(in: scan).count
        return (changes.map(\.stored.item) + tests.map(\.item) + media.map(\.item), report)
    }

    /// Whether the remote has yet to hear something of the open tests here. Blocks on the disk.
    package func hasUnheardProgress() throws -> Bool { try reporting.unheard() != nil }

    private func report(_ round: inout SweepRound) async {
        round.hasReported = true
        await reporting.report()
    }

    /// Why nothing can be sent now; `nil` when it is worth trying.
    private func obstacle(_ options: Options) async -> String? {
        if case .away(let reason) = remote.presence() {
            journal.note(Contact(at: clock.now, isReachable: false, reason: reason))
            return reason
        }
        guard options.probes, let failure = await remote.probe() else { return nil }
        query.note(.failure(failure))
        return failure.reason
    }

    // MARK: Phases

    /// Looks through the outbox once for the work of a sweep.
    private func survey(_ round: SweepRound) throws -> SweepRound {
        var round = round
        let scan = try outbox.scan()
        round.kept = kept.items(in: scan)
        round.due = try due.tests(scan, round.options, &round.report)
        round.hasChanges = try !due.changes(scan, round.options, except: [], &round.report).isEmpty
        round.hasMedia = scan.items(.done).contains { $0.kind == .media }
        round.asks = try scan.items.contains { poll.isOpen($0) } || !poll.ratedLately(scan, round.options).isEmpty
        return round
    }

    private func run(_ phase: SweepPhase, _ round: inout SweepRound) async throws -> SweepStep {
        switch phase {
        case .contact:
            return await obstacle(round.options).map { .stop(reason: $0, isUnreachable: true) } ?? .proceed
        case .kept:
            let step = try await kept.ask(&round)
            if !round.forgotten.isEmpty || !round.report.sent.isEmpty { try collectDue(&round) }
            return step
        case .questionnaires:
            let step = try await edits.deliver(.questionnaire, &round)
            if round.hasChanges || !round.forgotten.isEmpty { try collectDue(&round) }
            return step
        case .tests: return try await tests.deliver(round.due, &round)
        case .favorites: return try await edits.deliver(.favorite, &round)
        case .progress:
            await report(&round)
            return .proceed
        case .attachments: return try await attachments.deliver(&round)
        case .receipts:
            let (step, returned) = try await poll.ask(&round)
            guard step == .proceed, !returned.isEmpty else { return step }
            // Tests that the server turned out not to have are sent in the same sweep.
            let again = try due.tests(try outbox.scan(), round.options, &round.report, forgotten: returned)
            return try await tests.deliver(again.filter { returned.contains($0.item.id) }, &round)
        }
    }

    private func collectDue(_ round: inout SweepRound) throws {
        round.due = try due.tests(try outbox.scan(), round.options, &round.report, forgotten: round.forgotten)
    }

    /// Completes the report, and notes the contact with the remote.
    private func finish(_ round: SweepRound) async throws -> Report {
        var report = round.report
        if round.hasMedia { try await offload { try release() } }
        let scan = try outbox.scan()
        report.waiting = scan.waitingCount
        report.kept = kept.items(in: scan).count
        if report.stopped == nil, Task.isCancelled { report.stopped = "stopped" }
        guard report.stopped == nil else { return report }
        // Without anything to send there was no contact.
        if let contact = journal.contact() ?? (round.sends ? Contact(at: clock.now, isReachable: true) : nil) {
            var done = contact
            done.lastSync = clock.now
            journal.note(done)
        }
        return report
    }

    private var due: DueItems { DueItems(outbox: outbox, clock: clock, keepsSuccessors: remote.keepsSuccessors) }
    private var items: ItemDelivery { ItemDelivery(outbox: outbox, clock: clock) }
    private var query: ReceiptQuery { ReceiptQuery(remote: remote, clock: clock, journal: journal) }
    private var kept: KeptItems { KeptItems(outbox: outbox, journal: journal, query: query) }
    private var poll: ReceiptPoll { ReceiptPoll(outbox: outbox, clock: clock, journal: journal, query: query) }
    private var tests: TestDelivery {
        TestDelivery(outbox: outbox, remote: remote, clock: clock, journal: journal, items: items)
    }
    private var edits: EditDelivery {
        EditDelivery(
            outbox: outbox, remote: remote, clock: clock, journal: journal, items: items, dueItems: due,
            conflicts: conflicts, deviceID: deviceID)
    }
    private var attachments: AttachmentDelivery {
        AttachmentDelivery(outbox: outbox, remote: remote, journal: journal, items: items, dueItems: due)
    }
    private var reporting: ProgressReporting {
        ProgressReporting(remote: remote, clock: clock, journal: journal, source: progress)
    }
}
