import Model
import OutboxStore
import Sync

/// Compares drafts with newer versions of their questionnaires, and moves them there.
package struct VersionUpdates: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var journal: Journal { store.journal }
    private var settings: StoreSettings { store.settings }
    private var reservedVersions: ReservedVersions { store.reservedVersions }
    private var people: People { store.people }
    private var documents: QuestionnaireDocuments { store.documents }
    private var shownMedia: ShownMedia { store.shownMedia }

    /// See ``QuireStore/versionUpdate(of:to:)``.
    func versionUpdate(of record: TestRecord, to newest: OpenedDocument) throws -> VersionUpdate? {
        guard newest.digest != record.questionnaire.digest else { return nil }
        guard let begun = try documents.document(of: record) else {
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

    /// See ``QuireStore/carryOver(_:to:)``.
    func carryOver(_ draft: StoredTest, to newest: OpenedDocument) throws -> StoredTest {
        guard let begun = try documents.document(of: draft.record) else {
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
            try documents.keepVersion(of: newest)
            return try outbox.edits.create(shownMedia.reference(of: newest), deviceID: settings.deviceId, as: status) {
                record in
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
        documents.keepVersionOnceMore(of: newest)
        journal.record(
            "carried-over", test: made.record.id, questionnaire: newest.permanentID,
            title: newest.questionnaire.title, detail: "from \(draft.record.id)")
        return made
    }

    /// See ``QuireStore/outdatedDrafts()``.
    func outdatedDrafts() throws -> [StoredTest] {
        var found: [StoredTest] = []
        var newest: [String: Digest?] = [:]
        // Answers that were continued in a newer version need no further notice.
        var goneOn: Set<TestID> = []
        let shown = try people.shown()
        for item in try outbox.scan().tests where item.status.isDraft {
            guard let stored = outbox.listed(item), shown.includes(stored.record) else { continue }
            if let parent = stored.record.parent { goneOn.insert(parent) }
            let id = stored.record.questionnaire.id
            let digest = try newest[id] ?? documents.currentDigest(ofQuestionnaire: id)
            newest[id] = digest
            if let digest, digest != stored.record.questionnaire.digest { found.append(stored) }
        }
        return found.filter { !goneOn.contains($0.record.id) }
    }

    /// The answers that were not carried over from a draft's former draft, as long as that one exists.
    package func leftBehind(_ record: TestRecord, _ questionnaire: Questionnaire) throws -> [AnswerTransfer.Left] {
        guard let parent = record.parent, let item = try outbox.find(parent), item.kind == .test, item.status.isDraft,
            let former = outbox.listed(item)?.record,
            former.questionnaire.digest != record.questionnaire.digest,
            let old = try documents.questionnaire(of: former)
        else { return [] }
        // Answers that the person has given since then are settled.
        return AnswerTransfer(former.answers, from: old, to: questionnaire).left.filter {
            !record.isAnswered($0.answer.questionId)
        }
    }
}
