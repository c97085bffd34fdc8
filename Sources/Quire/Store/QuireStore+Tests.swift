import CacheStore
import Model
import OutboxStore
import Sync

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
        var lines: [TestLine] = []
        for item in try outbox.scan().tests where status == nil || item.status == status {
            do {
                let stored = try outbox.read(item)
                // A damaged receipt hides no test.
                lines.append(
                    TestLine(
                        item: item, record: stored.record, receipt: try? outbox.receipt(item),
                        modified: stored.modified))
            } catch OutboxError.notFound {
                continue
            } catch let error as OutboxError {
                lines.append(TestLine(item: item, record: nil, receipt: nil, fault: error.description))
            }
        }
        return lines.sorted {
            let (one, other) = ($0.record, $1.record)
            return (one?.dateStarted ?? .epoch, one?.sequence ?? 0, $0.item.id)
                < (other?.dateStarted ?? .epoch, other?.sequence ?? 0, $1.item.id)
        }
    }

    /// The number of waiting tests that a medium on the way holds.
    package func keptCount() throws -> Int { keptItems(try outbox.scan()).count }

    /// The waiting tests that a medium on the way holds.
    func keptItems(_ scan: OutboxScan) -> [OutboxItem] {
        let tried = Set(scan.receipts.filter { $0.status == .done }.map(\.id))
        return scan.items.filter { item in
            // A damaged record of attempts counts as none.
            item.status.isWaiting && tried.contains(item.id)
                && (try? outbox.receipt(item))?.keptAt != nil
        }
    }

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
        let scan = try outbox.scan()
        let kept = Set(keptItems(scan).map(\.id))
        func tally(_ isCounted: (OutboxKind) -> Bool) -> OutboxTally {
            OutboxTally(scan.items.filter { isCounted($0.kind) }, kept: kept)
        }
        return OutboxTallies(
            all: tally { _ in true }, tests: tally { $0 == .test },
            changes: tally { $0 == .questionnaire || $0 == .favorite }, attachments: tally { $0 == .media })
    }

    /// The current person's draft of a questionnaire that was last worked on.
    public func draft(ofQuestionnaire id: String) throws -> StoredTest? {
        let drafts = try outbox.scan().items.filter(\.status.isDraft)
        // Most commands ask, and mostly there is none: the changes need not be read for that.
        if drafts.isEmpty { return nil }
        var latest: StoredTest?
        let shown = try people.shown()
        let local = try localQuestionnaires()
        let permanent = local.permanentID(id)
        for item in drafts {
            guard let stored = outbox.listed(item), local.permanentID(stored.record.questionnaire.id) == permanent,
                shown.includes(stored.record)
            else { continue }
            if latest.map({ $0.modified < stored.modified }) ?? true { latest = stored }
        }
        return latest
    }

    /// The shortest beginning of a test's id that ``testDraft(named:)`` takes for one.
    static let shortestPrefix = 4

    /// The draft with a test's id or id prefix. A questionnaire of that name takes precedence over a prefix.
    ///
    /// - Returns: `nil` where no test has such an id.
    /// - Throws: `OutboxError.frozen` for a test that is finished, `.ambiguous` for the beginning of several ids,
    ///   `OtherPersonsTest`.
    package func testDraft(named name: String) throws -> StoredTest? {
        if let id = TestID(name) { return try outbox.find(id).flatMap { $0.kind == .test ? try draft($0) : nil } }
        guard name.count >= Self.shortestPrefix else { return nil }
        let item: OutboxItem
        do {
            item = try outbox.find(prefix: name)
        } catch OutboxError.notFound {
            return nil
        } catch OutboxError.ambiguous where (try? hasQuestionnaire(name)) == true {
            return nil
        }
        guard item.kind == .test, try !hasQuestionnaire(name) else { return nil }
        return try draft(item)
    }

    /// The draft that a name means: by its own id, as ``testDraft(named:)``, or the last one of a questionnaire.
    public func draft(named name: String) throws -> StoredTest? {
        try testDraft(named: name) ?? draft(ofQuestionnaire: name)
    }

    private func draft(_ item: OutboxItem) throws -> StoredTest {
        guard item.status.isDraft else { throw OutboxError.frozen(item.id, item.status) }
        let stored = try outbox.read(item)
        try people.checkShown(stored.record)
        return stored
    }

    /// Begins a test of a questionnaire that was opened, for the current person.
    ///
    /// - Throws: `BeginRefusal` where the questionnaire does not allow it now.
    public func begin(_ document: OpenedDocument) throws -> StoredTest {
        try attempts.checkBeginning(document.questionnaire)
        return try reservedVersions.keeping(document.reference.digest) {
            try keepVersion(of: document)
            let person = try people.current()
            let stored = try outbox.create(reference(of: document), deviceID: settings.deviceId, as: .empty) {
                $0.person = person
                $0.noteShown(of: document.questionnaire)
            }
            keepVersionOnceMore(of: document)
            return stored
        }
    }

    /// Makes a test from answers that a script gives, in one durable step.
    ///
    /// - Parameter isFinished: freezes it at once; every required question must then have an answer.
    /// - Throws: `AnswerFault` for an answer that does not fit, `StoreError.missingAnswers`.
    public func take(
        _ document: OpenedDocument, answers: [String: Answer.Value], isFinished: Bool
    ) throws -> StoredTest {
        try take(document, given: GivenAnswers(answers), isFinished: isFinished)
    }

    /// The same with the answers of repeated sections.
    package func take(_ document: OpenedDocument, given: GivenAnswers, isFinished: Bool) throws -> StoredTest {
        let questionnaire = document.questionnaire
        try attempts.checkBeginning(questionnaire)
        // Answers that cannot be given make no test.
        var probe = TestRecord(
            id: .random(), questionnaire: reference(of: document), dateStarted: clock.now, deviceId: "", sequence: 0)
        let made = try Self.checked(given, &probe, questionnaire).filter { !$0.isBlank }
        let status: TestStatus = isFinished ? .done : made.isEmpty ? .empty : .inProgress
        let person = try people.current()
        let stored = try reservedVersions.keeping(document.reference.digest) {
            if !isFinished { try keepVersion(of: document) }
            let stored = try outbox.edits.create(reference(of: document), deviceID: settings.deviceId, as: status) {
                record in
                record.person = person
                record.answers = made
                record.instances = probe.instances
                let arranged = questionnaire.arranged(for: record)
                record.resume = ResumePosition(question: arranged.questions.last?.id)
                record.noteShown(of: questionnaire)
                guard isFinished else { return }
                record.leaveOutHidden(in: arranged)
                let finished = questionnaire.arranged(for: record)
                try Self.checkComplete(finished.unanswered(in: record))
                try Self.checkAnswers(record.answers, finished)
            }
            // A finished test shows its questions, too; it is not rejected if there is no room for them.
            keepVersionOnceMore(of: document)
            return stored
        }
        if isFinished { noteFinished(stored) }
        return stored
    }

    /// Gives a draft answers of a script, in one durable step; its other answers stay.
    ///
    /// - Parameter questionnaire: the version that the draft was started with.
    /// - Throws: `AnswerFault` for an answer that does not fit.
    public func answer(
        _ draft: TestID, _ answers: [String: Answer.Value], _ questionnaire: Questionnaire
    ) throws -> StoredTest {
        try answer(draft, given: GivenAnswers(answers), questionnaire)
    }

    /// The same with the answers of repeated sections.
    package func answer(
        _ draft: TestID, given: GivenAnswers, _ questionnaire: Questionnaire
    ) throws -> StoredTest {
        try edit(draft) { record in
            let made = try Self.checked(given, &record, questionnaire)
            for answer in made { record.record(answer) }
            if let last = made.last { record.resume = ResumePosition(question: last.questionId) }
        }
    }

    /// In the questions' order.
    private static func checked(
        _ given: GivenAnswers, _ record: inout TestRecord, _ questionnaire: Questionnaire
    ) throws(AnswerFault) -> [Answer] {
        let answers = try given.placed(in: &record, of: questionnaire)
        var made: [Answer] = []
        // A questionnaire that is arranged already has the questions drawn alone; else those of the document.
        for question in questionnaire.repeated(for: record).questions {
            if let value = answers[question.id] {
                made.append(try question.answer(value, localOffset: SystemClock.localOffset))
            }
        }
        return made
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
        guard let item = try outbox.find(id) else { throw OutboxError.notFound(id.description) }
        var begun: Questionnaire?
        if item.status.isDraft {
            let record = try outbox.read(item).record
            // A host rejects it; in a draft, it can be answered again.
            if let id = record.questionAnsweredTwice {
                throw AnswerFault(questionId: id, reason: "there are two answers to it: answer it again, then finish")
            }
            // A test can still be sent without its questionnaire: that must not lose it.
            if let questionnaire = try questionnaire(of: record) {
                try Self.checkComplete(questionnaire.unanswered(in: record))
                let hidden = questionnaire.hiddenQuestions(by: record.answers, record.attachments)
                try Self.checkAnswers(record.answers.filter { !hidden.contains($0.questionId) }, questionnaire)
                for question in questionnaire.questions where !hidden.contains(question.id) {
                    try Self.checkFiles(record.attachments(to: question.id).count, of: question)
                }
                begun = questionnaire
            }
            // In a draft, they can still be attached again.
            let lost = try lostAttachments(of: record)
            if !lost.isEmpty { throw StoreError.missingFiles(id, lost) }
        }
        let stored = try outbox.edits.finish(id) { record in
            try confirm(record)
            if let begun { record.leaveOutHidden(in: begun) }
            record.flagged = []
            noteTiming(activeSeconds, in: &record)
            record.parent = try finishedParent(of: record)
        }
        noteFinished(stored)
        return stored
    }

    func noteFinished(_ stored: StoredTest) {
        journal.record(
            "finished", test: stored.record.id, questionnaire: stored.record.questionnaire.id,
            title: stored.record.questionnaire.title)
    }

    /// A draft may hold an answer that was not typed to its end, or that violates a constraint.
    private static func checkAnswers(_ answers: [Answer], _ questionnaire: Questionnaire) throws(AnswerFault) {
        for answer in answers { try questionnaire.question(answer.questionId)?.check(answer) }
    }

    private static func checkFiles(_ count: Int, of question: Question) throws(AnswerFault) {
        guard let problem = question.problem(withFiles: count) else { return }
        throw AnswerFault(questionId: question.id, reason: question.words(for: problem, .english))
    }

    private static func checkComplete(_ unanswered: [Question]) throws {
        let missing = unanswered.filter(\.required).map { QuestionInstance.written($0.id) }
        if !missing.isEmpty { throw StoreError.missingAnswers(missing) }
    }

    /// A draft keeps the version that it was started with. If that was removed since it was opened, or edited in place,
    /// it is restored from memory before the draft is created.
    func keepVersion(of document: OpenedDocument) throws {
        // Local changes are in the outbox; documents that must not be stored are not.
        if document.local != nil || document.entry == nil { return }
        try cache.restore(document.bytes)
    }

    /// From now on the draft protects its version. Another process may have removed it in the moment before.
    func keepVersionOnceMore(of document: OpenedDocument) {
        // Without it, an open draft can still be answered and sent: the draft exists, and that is what counts.
        do { try keepVersion(of: document) } catch {}
    }

    /// Whether the questionnaire on this device differs from the version that a test was started with.
    package func hasNewerVersion(_ record: TestRecord) throws -> Bool {
        let current = try currentDigest(ofQuestionnaire: record.questionnaire.id)
        return current.map { $0 != record.questionnaire.digest } ?? false
    }

    /// The digest of the version for a new test; `nil` if there is none on this device.
    func currentDigest(ofQuestionnaire id: String) throws -> Digest? {
        let local = try localQuestionnaires()
        let serverID = local.serverID(id)
        let cached = try cache.catalog.records().first { $0.documentID == serverID }
        if let change = local.local(id), change.counts(beside: cached.flatMap { $0.isEdited ? nil : $0.digest }) {
            return change.isDeletion ? nil : change.change.contentDigest
        }
        return cached?.digest
    }
}
