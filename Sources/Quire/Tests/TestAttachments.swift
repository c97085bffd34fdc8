import Disk
import Model
import OutboxStore
import Sync
import SystemPackage

/// Attaches files to the answers of tests, and keeps their copies within the quota.
package struct TestAttachments: Sendable {
    let store: QuireStore

    private var outbox: Outbox { store.outbox }
    private var cache: Cache { store.cache }
    private var journal: Journal { store.journal }
    private var documents: QuestionnaireDocuments { store.documents }

    /// See ``QuireStore/attach(_:to:questionId:name:mediaType:)``.
    func attach(
        _ file: FilePath, to test: TestID, questionId: String, name: String? = nil, mediaType: String? = nil
    ) throws -> (test: StoredTest, attachment: Attachment) {
        let name = try AttachedFile.name(name, of: file)
        let content = try AttachedFile.open(file)
        let type = try AttachedFile.mediaType(name: name, mediaType: mediaType)
        let questionId = try attachableQuestion(test, questionId: questionId, name: name, mediaType: type)
        return try attach(
            try outbox.media.spool(named: name, from: content), to: test, questionId: questionId, name: name,
            mediaType: mediaType)
    }

    /// Whether something may be attached there: said before a long file is copied; the outbox looks again.
    ///
    /// - Throws: `OutboxError.frozen` for a test that is finished, `AnswerFault` for a question that the questionnaire
    ///   has not, and for a file that it does not take.
    package func checkAttachable(_ test: TestID, questionId: String, name: String, mediaType: String) throws {
        _ = try attachableQuestion(test, questionId: questionId, name: name, mediaType: mediaType)
    }

    /// The same.
    ///
    /// - Returns: the question's id in memory: of a repeated section people write `name[2]`.
    private func attachableQuestion(
        _ test: TestID, questionId: String, name: String, mediaType: String
    ) throws -> String {
        let record = try outbox.draft(test).record
        guard let questionnaire = try documents.questionnaire(of: record) else { return questionId }
        guard let question = questionnaire.question(writtenAs: questionId) else {
            throw AnswerFault(questionId: questionId, reason: .noQuestion(questionnaire: nil))
        }
        if let most = question.mostFiles, record.attachments(to: question.id).count >= most {
            throw AnswerFault(questionId: questionId, reason: .tooManyFiles(most: most))
        }
        if let accepted = question.acceptedFiles, !accepted.takes(name: name, mediaType: mediaType) {
            throw AnswerFault(
                questionId: questionId,
                reason: .otherFileType(name: name, mediaType: mediaType, accepted: accepted.entries))
        }
        return question.id
    }

    /// The same with received bytes.
    package func attach(
        _ spooled: SpooledMedia, to test: TestID, questionId: String, name: String, mediaType: String?
    ) throws -> (test: StoredTest, attachment: Attachment) {
        let type: String
        do {
            type = try AttachedFile.mediaType(name: name, mediaType: mediaType)
        } catch {
            outbox.media.giveUp(spooled)
            throw error
        }
        let made = try outbox.edits.attach(spooled, to: test, questionId: questionId, name: name, mediaType: type)
        let record = made.test.record
        journal.record(
            "attached", test: test, questionnaire: record.questionnaire.id, title: record.questionnaire.title,
            detail: name)
        return made
    }

    /// See ``QuireStore/attachments(of:)``.
    func lines(of record: TestRecord) throws -> [QuireStore.AttachmentLine] {
        try record.attachments.map { attachment in
            let item = try outbox.find(attachment.id)
            // A damaged one is named by doctor.
            let receipt = item.flatMap { item in try? outbox.receipt(item) }
            return QuireStore.AttachmentLine(
                attachment: attachment, status: item?.status, delivery: receipt?.delivery,
                medium: receipt?.keptAt.map { _ in store.medium }, isHere: try outbox.media.hasBytes(attachment.digest))
        }
    }

    /// The attachments whose bytes are not here, and that no server is known to have.
    package func lost(of record: TestRecord) throws -> [Attachment] {
        try record.attachments.filter { try isLost($0.digest) }
    }

    func isLost(_ digest: Digest) throws -> Bool {
        try !outbox.media.hasBytes(digest) && !outbox.media.isDelivered(digest)
    }

    /// Limits the copies of delivered attachments to the rest of the cache's quota, and removes the oldest beyond that.
    ///
    /// - Returns: how many bytes were given free.
    @discardableResult
    package func release() throws -> Int64 {
        guard let quota = cache.totalQuotaBytes else { return 0 }
        let used = try cache.space.briefStatistics()
        return try outbox.media.release(keepingBytes: max(0, quota - used.bytes - used.indexBytes))
    }
}
