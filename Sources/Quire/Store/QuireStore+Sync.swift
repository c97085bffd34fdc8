import Model
import OutboxStore
import Sync

/// Fetching and sending, and what waits for it.
extension QuireStore {
    package func fetcher(_ remote: any Remote) -> Fetcher {
        Fetcher(cache: cache, remote: remote, clock: clock, overrides: settings.cacheControl)
    }

    /// Fetches what is new on the server, or on another remote.
    public func puller(_ remote: any Remote) -> Puller { puller(remote, observer: nil) }

    /// - Parameter observer: gets the events as they are recorded in the journal.
    package func puller(_ remote: any Remote, observer: (@Sendable ([JournalEvent]) -> Void)?) -> Puller {
        Puller(
            fetcher: fetcher(remote), journal: observer.map(journal.observed) ?? journal,
            protection: protection)
    }

    /// Sends what waits.
    ///
    /// - Parameter conflicts: what to do with changes that conflict with the server's; `nil` as the settings say.
    public func sweeper(_ remote: any Remote, conflicts: ConflictPolicy? = nil) -> Sweeper {
        sweeper(remote, conflicts: conflicts, observer: nil)
    }

    /// - Parameter observer: gets the events as they are recorded in the journal.
    package func sweeper(
        _ remote: any Remote, conflicts: ConflictPolicy? = nil, observer: (@Sendable ([JournalEvent]) -> Void)?
    ) -> Sweeper {
        sweeper(remote, conflicts: conflicts, observer: observer, progress: .openDrafts(of: self, for: remote))
    }

    /// - Parameter progress: what the remote hears of open tests.
    package func sweeper(
        _ remote: any Remote, conflicts: ConflictPolicy? = nil,
        observer: (@Sendable ([JournalEvent]) -> Void)? = nil, progress: ProgressSource
    ) -> Sweeper {
        Sweeper(
            outbox: outbox, remote: remote, clock: clock, journal: observer.map(journal.observed) ?? journal,
            conflicts: conflicts ?? settings.conflicts ?? .ask, deviceID: settings.deviceId, progress: progress,
            release: { [self] in _ = try testAttachments.release() })
    }

    // MARK: What waits

    /// The number of items of one kind in the outbox.
    public struct OutboxTally: Sendable, Hashable, Codable {
        public var waiting = 0
        /// The waiting ones that a medium on the way holds.
        public var kept = 0
        public var drafts = 0
        public var delivered = 0
        public var rejected = 0
        public var conflicts = 0

        /// Whether there is nothing of this kind.
        public var isEmpty: Bool { waiting + drafts + delivered + rejected + conflicts == 0 }

        init(_ items: [OutboxItem], kept: Set<TestID>) {
            for item in items {
                if item.status.isWaiting { waiting += 1 }
                if item.status.isDraft { drafts += 1 }
                if item.status.isDelivered { delivered += 1 }
                if item.status == .rejected { rejected += 1 }
                if item.status == .conflict { conflicts += 1 }
                if kept.contains(item.id) { self.kept += 1 }
            }
        }
    }

    /// The numbers of items of each kind, by status.
    public struct OutboxTallies: Sendable, Hashable {
        public var all, tests: OutboxTally
        /// Of questionnaires, and favourites.
        public var changes: OutboxTally
        public var attachments: OutboxTally
    }

    public func outboxTallies() throws -> OutboxTallies {
        try outboxListing.tallies()
    }

    /// Finds out where an item of the outbox stands, what is known about it, and what is next, from the files alone.
    ///
    /// QuireWording has the words.
    public func explain(_ item: OutboxItem) throws -> Explanation {
        try explainer.explain(item)
    }

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

    /// Makes an item due now that waits for its time, was rejected, or is missing on the server.
    @discardableResult
    public func retry(_ id: TestID) throws -> RetryReport {
        try resending.retry(id)
    }

    /// Makes all items due now that wait for their time, or that another page in place of the server rejected in an
    /// earlier version.
    public func retryAll() throws -> RetryReport {
        try resending.retryAll()
    }

    /// Whether the remote is likely to be reachable, determined without traffic: from the machine's network state, and
    /// the last contact.
    public func isOnline(_ remote: (any Remote)?) -> (isOnline: Bool, reason: String?) {
        Connectivity(journal: journal, clock: clock).isOnline(remote)
    }
}
