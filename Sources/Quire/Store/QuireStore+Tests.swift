import Model
import OutboxStore
import SystemPackage

/// Taking tests.
extension QuireStore {
    /// A test as a list shows it.
    public struct TestLine: Sendable, Hashable {
        public var item: OutboxItem
        /// `nil` when the file cannot be read as a test.
        public var record: TestRecord?
        public var receipt: Receipt?
        public var fault: String?
        /// When its file was last changed. For a waiting test it is its due time, so only a draft's is its person's
        /// doing.
        public var modified: Timestamp?

        /// A line as a list gives it; also for previews and tests.
        public init(
            item: OutboxItem, record: TestRecord?, receipt: Receipt? = nil, fault: String? = nil,
            modified: Timestamp? = nil
        ) {
            self.item = item
            self.record = record
            self.receipt = receipt
            self.fault = fault
            self.modified = modified
        }

        /// When the person last changed it.
        public var changed: Timestamp? {
            item.status.isDraft ? modified ?? record?.dateStarted : record?.dateFinished ?? record?.dateStarted
        }

        /// Since when a hub has it and has not forwarded it yet.
        public var keptAt: Timestamp? { item.status.isWaiting ? receipt?.keptAt : nil }
    }

    /// All tests, or those of one status, in the order in which they were started.
    public func tests(status: TestStatus? = nil) throws -> [TestLine] {
        try outboxListing.tests(status: status)
    }

    /// The current person's draft of a questionnaire that was last worked on.
    public func draft(ofQuestionnaire id: String) throws -> StoredTest? {
        try draftLookup.draft(ofQuestionnaire: id)
    }

    /// The draft that a name means: by a test's id or its beginning, or the last one of a questionnaire.
    public func draft(named name: String) throws -> StoredTest? {
        try draftLookup.draft(named: name)
    }

    // MARK: Taking

    /// Begins a test of a questionnaire that was opened, for the current person.
    ///
    /// - Throws: `BeginRefusal` where the questionnaire does not allow it now.
    public func begin(_ document: OpenedDocument) throws -> StoredTest {
        try taking.begin(document)
    }

    /// Makes a test from answers that a script gives, in one durable step.
    ///
    /// - Parameter isFinished: freezes it at once; every required question must then have an answer.
    /// - Throws: `AnswerFault` for an answer that does not fit, `StoreError.missingAnswers`.
    public func take(
        _ document: OpenedDocument, answers: [String: Answer.Value], isFinished: Bool
    ) throws -> StoredTest {
        try taking.take(document, given: GivenAnswers(answers), isFinished: isFinished)
    }

    /// Gives a draft answers of a script, in one durable step; its other answers stay.
    ///
    /// - Parameter questionnaire: the version that the draft was started with.
    /// - Throws: `AnswerFault` for an answer that does not fit.
    public func answer(
        _ draft: TestID, _ answers: [String: Answer.Value], _ questionnaire: Questionnaire
    ) throws -> StoredTest {
        try taking.answer(draft, given: GivenAnswers(answers), questionnaire)
    }

    /// Changes the current draft on disk, durably, and notes how long the person worked on it.
    ///
    /// - Parameter activeSeconds: how long the test was open since that was last noted, by a monotonic clock.
    /// - Throws: as ``OutboxEdits/update(_:_:)``.
    @discardableResult
    public func edit(
        _ id: TestID, activeSeconds: Double = 0, _ change: (inout TestRecord) throws -> Void
    ) throws -> StoredTest {
        try taking.edit(id, activeSeconds: activeSeconds, change)
    }

    /// Freezes a draft.
    ///
    /// - Parameters:
    ///   - activeSeconds: how long the test was open since that was last noted, by a monotonic clock.
    ///   - confirm: gets the final record under the lock; an error leaves a draft.
    /// - Throws: `StoreError.missingAnswers` when a required question has none, `.missingFiles` when an attachment has lost
    ///   its bytes, `AnswerFault` for an answer that does not fit or is one of two.
    public func finish(
        _ id: TestID, activeSeconds: Double = 0, confirm: (TestRecord) throws -> Void = { _ in }
    ) throws -> StoredTest {
        try taking.finish(id, activeSeconds: activeSeconds, confirm: confirm)
    }

    // MARK: Files

    /// An attachment of a test, and its state.
    public struct AttachmentLine: Sendable, Hashable {
        public var attachment: Attachment
        /// `nil` while the test is a draft: then it goes with the test.
        public var status: TestStatus?
        /// Attempts that did not end in an acknowledgement.
        package var delivery: Receipt.Delivery?
        /// Where it is kept on its way; `nil` where it is not.
        package var medium: DeliveryMedium?
        /// Whether its bytes are here: those of a delivered one may have been removed.
        public var isHere: Bool
    }

    /// Attaches a file to an answer of a draft. When this returns, the file and its place in the test survive a crash.
    ///
    /// - Parameters:
    ///   - name: its name; the file's own name if `nil`.
    ///   - mediaType: derived from the name if `nil`.
    /// - Throws: `OutboxError.unfit` for a file that cannot be attached, `.frozen` for a finished test, `AnswerFault`
    ///   for a question that the questionnaire does not have.
    public func attach(
        _ file: FilePath, to test: TestID, questionId: String, name: String? = nil, mediaType: String? = nil
    ) throws -> (test: StoredTest, attachment: Attachment) {
        try testAttachments.attach(
            file, to: test, questionId: questionId, name: name, mediaType: mediaType)
    }

    /// The attachments of a test, in the order in which they were attached.
    public func attachments(of record: TestRecord) throws -> [AttachmentLine] {
        try testAttachments.lines(of: record)
    }

    // MARK: Newer versions

    /// The effect of a newer version on a draft; `nil` if the draft has the newest one.
    ///
    /// - Throws: `StoreError.versionIsGone` where the draft's own version is not on this device any more.
    public func versionUpdate(of record: TestRecord, to newest: OpenedDocument) throws -> VersionUpdate? {
        try versionUpdates.versionUpdate(of: record, to: newest)
    }

    /// Moves a draft to the newer version: makes a new draft with the answers and files that fit, according to
    /// ``AnswerTransfer``, and with the time spent. The old draft stays unchanged, with all its answers, until it is
    /// discarded.
    ///
    /// Killed in between, it is done again and finds the draft that it made.
    public func carryOver(_ draft: StoredTest, to newest: OpenedDocument) throws -> StoredTest {
        try versionUpdates.carryOver(draft, to: newest)
    }

    /// The current person's drafts that keep an older version than the newest on this device.
    public func outdatedDrafts() throws -> [StoredTest] {
        try versionUpdates.outdatedDrafts()
    }
}
