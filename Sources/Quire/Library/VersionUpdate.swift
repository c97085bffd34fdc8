import Model
import OutboxStore

/// A newer version of a questionnaire, compared with a draft of an older one.
public struct VersionUpdate: Sendable, Encodable {
    public var test: TestID
    public var questionnaire: String
    public var title: String
    /// The version of the draft, and the one for a new test.
    public var keeps: Digest
    public var newest: Digest
    /// Their differences, field by field: `mine` is the draft's version, `theirs` the newer one.
    public var differences: [DocumentDifference]
    /// Questions whose answers are carried over.
    public var carried: [String]
    /// Differences around answers that are carried over: a spelling, an option's words.
    package var changes: [AnswerTransfer.Change]
    /// Answers that fit no question of the newer version: they stay in the draft of the old version.
    public var left: [Answer]
    /// Why they stay, by the ids of their questions.
    package var reasons: [String: AnswerTransfer.Reason]
    /// The texts of their questions, by id.
    public var questions: [String: String]
}

extension QuireStore {
    /// The effect of a newer version on a draft; `nil` if the draft has the newest one.
    ///
    /// - Throws: `StoreError.versionIsGone` where the draft's own version is not on this device any more.
    public func versionUpdate(of record: TestRecord, to newest: OpenedDocument) throws -> VersionUpdate? {
        guard newest.digest != record.questionnaire.digest else { return nil }
        guard let begun = try document(of: record) else {
            throw StoreError.versionIsGone(id: record.questionnaire.id, draft: record.id)
        }
        let old = try Questionnaire(json: begun)
        let transfer = AnswerTransfer(record.answers, from: old, to: newest.questionnaire)
        return VersionUpdate(
            test: record.id, questionnaire: newest.permanentID, title: newest.questionnaire.title,
            keeps: record.questionnaire.digest, newest: newest.digest,
            differences: DocumentDifference.between(
                try DocumentCoding.decode(JSONValue.self, from: begun),
                try DocumentCoding.decode(JSONValue.self, from: newest.bytes),
                ignoring: QuestionnaireConflict.ownMembers),
            carried: transfer.carried.map { QuestionInstance.written($0.questionId) }, changes: transfer.changes,
            left: transfer.left.map(\.answer),
            reasons: Dictionary(
                transfer.left.map { (QuestionInstance.written($0.answer.questionId), $0.reason) },
                uniquingKeysWith: { $1 }),
            questions: Dictionary(
                transfer.left.map { (QuestionInstance.written($0.answer.questionId), $0.question) },
                uniquingKeysWith: { $1 }))
    }

    /// Moves a draft to the newer version: makes a new draft with the answers and files that fit, according to
    /// ``AnswerTransfer``, and with the time spent. The old draft stays unchanged, with all its answers, until it is
    /// discarded.
    ///
    /// Killed in between, it is done again and finds the draft that it made.
    public func carryOver(_ draft: StoredTest, to newest: OpenedDocument) throws -> StoredTest {
        guard let begun = try document(of: draft.record) else {
            throw StoreError.versionIsGone(id: draft.record.questionnaire.id, draft: draft.record.id)
        }
        for item in try outbox.scan().tests where item.status.isDraft {
            guard let known = outbox.listed(item), known.record.parent == draft.record.id,
                known.record.questionnaire.digest == newest.digest
            else { continue }
            return known
        }
        let answers = AnswerTransfer(
            draft.record.answers, from: try Questionnaire(json: begun), to: newest.questionnaire
        ).carried
        let files = draft.record.attachments.filter { newest.questionnaire.question($0.questionId) != nil }
        let status: TestStatus = answers.isEmpty && files.isEmpty ? .empty : .inProgress
        let made = try reservedVersions.keeping(newest.reference.digest) {
            try keepVersion(of: newest)
            return try outbox.edits.create(reference(of: newest), deviceID: settings.deviceId, as: status) { record in
                record.answers = answers
                record.attachments = files.map(outbox.attachments.renewed)
                record.instances = draft.record.instances.filter { newest.questionnaire.repeatedSection($0.key) != nil }
                // It is the same attempt: its time limit does not start again.
                record.dateStarted = draft.record.dateStarted
                record.timing = draft.record.timing
                record.parent = draft.record.id
                if newest.questionnaire.isArranged {
                    record.orderOf = draft.record.orderID
                    record.noteShown(of: newest.questionnaire)
                }
                record.person = draft.record.person
                record.language = draft.record.language
                record.flagged = draft.record.flagged.filter { newest.questionnaire.question($0) != nil }
                let place = draft.record.resume?.question
                record.resume = newest.questionnaire.question(place ?? "") == nil ? nil : draft.record.resume
            }
        }
        keepVersionOnceMore(of: newest)
        journal.record(
            "carried-over", test: made.record.id, questionnaire: newest.permanentID,
            title: newest.questionnaire.title, detail: "from \(draft.record.id)")
        return made
    }

    /// The current person's drafts that keep an older version than the newest on this device.
    public func outdatedDrafts() throws -> [StoredTest] {
        var found: [StoredTest] = []
        var newest: [String: Digest?] = [:]
        // Answers that were continued in a newer version need no further notice.
        var goneOn: Set<TestID> = []
        let shown = try people.shown()
        for item in try outbox.scan().tests where item.status.isDraft {
            guard let stored = outbox.listed(item), shown.includes(stored.record) else { continue }
            if let parent = stored.record.parent { goneOn.insert(parent) }
            let id = stored.record.questionnaire.id
            let digest = try newest[id] ?? currentDigest(ofQuestionnaire: id)
            newest[id] = digest
            if let digest, digest != stored.record.questionnaire.digest { found.append(stored) }
        }
        return found.filter { !goneOn.contains($0.record.id) }
    }

    /// The answers that were not carried over from a draft's former draft, as long as that one exists.
    package func leftBehind(_ record: TestRecord, _ questionnaire: Questionnaire) throws -> [AnswerTransfer.Left] {
        guard let parent = record.parent, let item = try outbox.find(parent), item.kind == .test, item.status.isDraft,
            let former = outbox.listed(item)?.record,
            former.questionnaire.digest != record.questionnaire.digest, let old = try self.questionnaire(of: former)
        else { return [] }
        // Answers that the person has given since then are settled.
        return AnswerTransfer(former.answers, from: old, to: questionnaire).left.filter {
            !record.isAnswered($0.answer.questionId)
        }
    }

    /// The bytes of the exact version that a test was started with; `nil` if it is no longer here.
    func document(of record: TestRecord) throws -> [UInt8]? { try document(digest: record.questionnaire.digest) }

    /// A version of a questionnaire, from the cache or as it was changed here.
    package func document(digest: Digest) throws -> [UInt8]? {
        if let bytes = try cache.content(digest: digest) { return bytes }
        for stored in try outbox.changes(.questionnaire) where stored.change.contentDigest == digest {
            if case .questionnaire(let change) = stored.change, let document = change.document { return document }
        }
        return nil
    }
}
