import Disk
import Model
import OutboxStore

/// The phases of a sweep.
extension Sweeper {
    /// The phases of a sweep, in their order.
    enum Phase: CaseIterable {
        /// Looks whether the remote can be reached.
        case contact
        /// Asks what became of the items that a hub or a folder keeps.
        case kept
        case questionnaires
        case tests
        case favorites
        /// Says which tests are open here: attachments may take long.
        case progress
        case attachments
        /// Asks what became of the items that the server has.
        case receipts
    }

    /// The result of a phase, or of a part of one.
    enum Step: Hashable, Sendable {
        case proceed
        /// Ends the sweep.
        case stop(reason: String, isUnreachable: Bool)

        static func stop(_ reason: String) -> Step { .stop(reason: reason, isUnreachable: false) }

        /// The first of the two that ends the sweep.
        func followed(by next: Step) -> Step { self == .proceed ? next : self }
    }

    /// The state of one sweep, which its phases share.
    struct Round {
        let lock: SweepLock
        let options: Options
        let progress: @Sendable (Int, Int) -> Void
        let mediaProgress: @Sendable (MediaProgress) -> Void
        var report = Report()
        /// The items that a hub or a folder keeps, as the sweep found them.
        var kept: [OutboxItem] = []
        /// The tests that are due.
        var due: [Due] = []
        var hasChanges = false
        var hasMedia = false
        /// Whether the server is asked what became of something.
        var asks = false
        /// The kept items that the remote no longer has: they are sent again, whatever their time.
        var forgotten: Set<TestID> = []
        /// Whether it was said which tests are open here, or tried: once a round.
        var hasReported = false

        var sends: Bool { !due.isEmpty || hasChanges || hasMedia }
        var hasWork: Bool { sends || asks || !kept.isEmpty }
    }

    /// Looks through the outbox once for the work of a sweep.
    func survey(_ round: Round) throws -> Round {
        var round = round
        let scan = try outbox.scan()
        round.kept = keptItems(scan)
        round.due = try collectDue(scan, round.options, &round.report)
        round.hasChanges = try !dueChanges(scan, round.options, except: [], &round.report).isEmpty
        round.hasMedia = scan.items(.done).contains { $0.kind == .media }
        round.asks = try scan.items.contains(where: isOpen) || !ratedLately(scan, round.options).isEmpty
        return round
    }

    func run(_ phase: Phase, _ round: inout Round) async throws -> Step {
        switch phase {
        case .contact:
            return await obstacle(round.options).map { .stop(reason: $0, isUnreachable: true) } ?? .proceed
        case .kept:
            let step = try await askAfterKept(&round)
            if !round.forgotten.isEmpty || !round.report.sent.isEmpty { try collectDue(&round) }
            return step
        case .questionnaires:
            let step = try await deliverChanges(of: .questionnaire, &round)
            if round.hasChanges || !round.forgotten.isEmpty { try collectDue(&round) }
            return step
        case .tests: return try await deliver(round.due, &round)
        case .favorites: return try await deliverChanges(of: .favorite, &round)
        case .progress:
            await reportProgress(&round)
            return .proceed
        case .attachments: return try await deliverMedia(&round)
        case .receipts:
            let (step, returned) = try await poll(&round)
            guard step == .proceed, !returned.isEmpty else { return step }
            // Tests that the server turned out not to have are sent in the same sweep.
            let again = try collectDue(try outbox.scan(), round.options, &round.report, forgotten: returned)
            return try await deliver(again.filter { returned.contains($0.item.id) }, &round)
        }
    }

    private func collectDue(_ round: inout Round) throws {
        round.due = try collectDue(try outbox.scan(), round.options, &round.report, forgotten: round.forgotten)
    }

    /// Completes the report, and notes the contact with the remote.
    func finish(_ round: Round) async throws -> Report {
        var report = round.report
        if round.hasMedia { try await offload { try release() } }
        report.waiting = try waitingCount()
        report.kept = keptItems(try outbox.scan()).count
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
}
