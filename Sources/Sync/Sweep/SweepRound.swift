import Model
import OutboxStore

/// The phases of a sweep, in their order.
enum SweepPhase: CaseIterable {
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
enum SweepStep: Hashable, Sendable {
    case proceed
    /// Ends the sweep.
    case stop(reason: String, isUnreachable: Bool)

    static func stop(_ reason: String) -> SweepStep { .stop(reason: reason, isUnreachable: false) }

    /// The first of the two that ends the sweep.
    func followed(by next: SweepStep) -> SweepStep { self == .proceed ? next : self }
}

/// The state of one sweep, which its phases share.
struct SweepRound {
    let lock: SweepLock
    let options: Sweeper.Options
    let progress: @Sendable (Int, Int) -> Void
    let mediaProgress: @Sendable (MediaProgress) -> Void
    var report = Sweeper.Report()
    /// The items that a hub or a folder keeps, as the sweep found them.
    var kept: [OutboxItem] = []
    /// The tests that are due.
    var due: [DueTest] = []
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
