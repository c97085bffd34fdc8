import Disk
import Model
import OutboxStore

/// Moves the outbox to the remote: one round of sending what is due and asking after what was sent.
public struct Sweeper: Sendable {
    let outbox: Outbox
    let remote: any Remote
    let clock: any StoreClock
    let journal: Journal
    /// How to settle changes that conflict with another version.
    let conflicts: ConflictPolicy
    let deviceID: String
    /// Is called at the end of a round: copies of what was delivered may go now.
    let release: @Sendable () throws -> Void
    /// What is said of open tests; `nil` where nothing is.
    let progress: ProgressSource?

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

    /// Tests that are claimed, and settled, together: they share their folder syncs.
    static let batchSize = 32
    /// Requests under way at once.
    static let parallelDeliveries = 8
    /// The total size of the tests in flight, which are held in memory; a longer one goes alone.
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
            report.waiting = try waitingCount()
            return report
        }
        defer { lock.release() }
        try await offload {
            try outbox.queue.recover(lock)
            try outbox.attachments.tidy(lock)
            journal.removeAbandonedTemporaryFiles()
        }
        var round = try survey(
            Round(lock: lock, options: options, progress: progress, mediaProgress: mediaProgress))
        if round.hasWork {
            for phase in Phase.allCases {
                guard case .stop(let reason, let isUnreachable) = try await run(phase, &round) else { continue }
                (round.report.stopped, round.report.isUnreachable) = (reason, isUnreachable)
                break
            }
        }
        // It refuses tests now, and may still hear that they wait; or there is nothing else to say.
        if !round.hasReported, !round.report.isUnreachable { await reportProgress(&round) }
        return try await finish(round)
    }

    /// The items that a round would send.
    package func dueNow(_ options: Options = Options()) throws -> (due: [OutboxItem], report: Report) {
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

    /// The items to send, due or not.
    func waiting(_ scan: OutboxScan, _ options: Options) -> [OutboxItem] {
        scan.items(.done) + (options.countsInterrupted ? scan.items(.sending) : [])
    }

    func waitingCount() throws -> Int {
        try outbox.scan().items.count { $0.status.isWaiting }
    }
}
