import Model
import OutboxStore
import Sync

/// Takes tests: starts them, records their answers, and finishes them.
package struct TestTaking: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var journal: Journal { store.journal }
    private var clock: any StoreClock { store.clock }
    private var settings: StoreSettings { store.settings }
    private var reservedVersions: ReservedVersions { store.reservedVersions }
    private var people: People { store.people }
    private var attempts: Attempts { store.attempts }
    private var documents: QuestionnaireDocuments { store.documents }
    private var testAttachments: TestAttachments { store.testAttachments }
    private var shownMedia: ShownMedia { store.shownMedia }
    private var revisions: Revisions { store.revisions }

    /// See ``QuireStore/begin(_:)``.
    func begin(_ document: OpenedDocument) throws -> StoredTest {
        try attempts.checkBeginning(document.questionnaire)
        return try reservedVersions.keeping(document.reference.digest) {
            try documents.keepVersion(of: document)
            let person = try people.current()
            let reference = shownMedia.reference(of: document)
            let stored = try outbox.edits.create(reference, deviceID: settings.deviceId, as: .empty) {
                $0.person = person
                $0.noteShown(of: document.questionnaire)
            }
            documents.keepVersionOnceMore(of: document)
            return stored
        }
    }

    /// As ``QuireStore/take(_:answers:isFinished:)``, with the answers of repeated sections.
    package func take(_ document: OpenedDocument, given: GivenAnswers, isFinished: Bool) throws -> StoredTest {
        let questionnaire = document.questionnaire
        try attempts.checkBeginning(questionnaire)
        // Answers that cannot be given make no test.
        var probe = TestRecord(
            id: .random(), questionnaire: shownMedia.reference(of: document), dateStarted: clock.now, deviceId: "",
            sequence: 0)
        let made = try Self.checked(given, &probe, questionnaire).filter { !$0.isBlank }
        let status: TestStatus = isFinished ? .done : made.isEmpty ? .empty : .inProgress
        let person = try people.current()
        let stored = try reservedVersions.keeping(document.reference.digest) {
            if !isFinished { try documents.keepVersion(of: document) }
            let reference = shownMedia.reference(of: document)
            let stored = try outbox.edits.create(reference, deviceID: settings.deviceId, as: status) { record in
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
            documents.keepVersionOnceMore(of: document)
            return stored
        }
        if isFinished { noteFinished(stored) }
        return stored
    }

    /// As ``QuireStore/answer(_:_:_:)``, with the answers of repeated sections.
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

    /// See ``QuireStore/edit(_:activeSeconds:_:)``.
    @discardableResult
    func edit(
        _ id: TestID, activeSeconds: Double = 0, _ change: (inout TestRecord) throws -> Void
    ) throws -> StoredTest {
        try outbox.edits.update(id) { record in
            try change(&record)
            noteTiming(activeSeconds, in: &record)
        }
    }

    /// The active time, and the time of the server where it was heard since the test was started.
    func noteTiming(_ activeSeconds: Double, in record: inout TestRecord) {
        var timing = record.timing ?? TestTiming()
        timing.add(activeSeconds: activeSeconds)
        if let heard = journal.contact()?.serverTime {
            timing.note(serverTime: heard.time, heardAt: heard.moment, startedAt: record.dateStarted)
        }
        record.timing = timing == TestTiming() ? nil : timing
    }

    /// How long a test took so far, where its time is limited and its version is here.
    package func timeTaken(by record: TestRecord) throws -> TimeTaken? {
        try documents.questionnaire(of: record)?.timeTaken(by: record, now: clock.now)
    }

    /// See ``QuireStore/finish(_:activeSeconds:confirm:)``.
    func finish(
        _ id: TestID, activeSeconds: Double = 0, confirm: (TestRecord) throws -> Void = { _ in }
    ) throws -> StoredTest {
        var begun: Questionnaire?
        // Any other is refused below.
        if let found = try outbox.test(id), found.status.isDraft {
            let record = found.record
            // A host rejects it; in a draft, it can be answered again.
            if let id = record.questionAnsweredTwice {
                throw AnswerFault(questionId: id, reason: .answeredTwice)
            }
            // A test can still be sent without its questionnaire: that must not lose it.
            if let questionnaire = try documents.questionnaire(of: record) {
                try Self.checkComplete(questionnaire.unanswered(in: record))
                let hidden = questionnaire.hiddenQuestions(by: record.answers, record.attachments)
                try Self.checkAnswers(record.answers.filter { !hidden.contains($0.questionId) }, questionnaire)
                for question in questionnaire.questions where !hidden.contains(question.id) {
                    try Self.checkFiles(record.attachments(to: question.id).count, of: question)
                }
                begun = questionnaire
            }
            // In a draft, they can still be attached again.
            let lost = try testAttachments.lost(of: record)
            if !lost.isEmpty { throw StoreError.missingFiles(id, lost) }
        }
        let stored = try outbox.edits.finish(id) { record in
            try confirm(record)
            if let begun {
                record.leaveOutHidden(in: begun)
                record.settleAnswers(in: begun)
            }
            record.flagged = []
            noteTiming(activeSeconds, in: &record)
            record.parent = try revisions.finishedParent(of: record)
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
        throw AnswerFault(questionId: question.id, reason: .problem(problem, question))
    }

    private static func checkComplete(_ unanswered: [Question]) throws {
        let missing = unanswered.filter(\.required).map { QuestionInstance.written($0.id) }
        if !missing.isEmpty { throw StoreError.missingAnswers(missing) }
    }
}
