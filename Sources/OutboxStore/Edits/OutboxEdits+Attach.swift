import Disk
import Model

/// The files of a draft's answers.
extension OutboxEdits {
    /// Attaches a file to an answer of a draft. When this returns, the file and its place in the test survive a crash.
    ///
    /// The same file under the same name at the same question is attached once.
    ///
    /// - Throws: `OutboxError.frozen` if the test is finished.
    package func attach(
        _ spooled: SpooledMedia, to test: TestID, questionId: String, name: String, mediaType: String
    ) throws -> (test: StoredTest, attachment: Attachment) {
        try outbox.media.consuming(spooled) {
            try outbox.editing {
                var attachment = Attachment(
                    id: outbox.makeID(), questionId: questionId, name: name, mediaType: mediaType,
                    sizeBytes: spooled.sizeBytes, digest: spooled.digest)
                let item = try draft(test)
                var record = try outbox.read(item).record
                // The bytes first: a test never names missing bytes.
                try outbox.media.place(spooled)
                if let known = record.attachments.first(where: {
                    $0.digest == attachment.digest && $0.questionId == questionId && $0.name == name
                }) {
                    attachment = known
                    try fileSystem.makeDurable(folder: OutboxLayout.folder(item.status))
                    return (try outbox.read(item), attachment)
                }
                guard record.attachments.count < Attachment.mostInTest else {
                    throw OutboxError.tooManyAttachments(test)
                }
                record.attachments.append(attachment)
                return (try save(record, of: item), attachment)
            }
        }
    }

    /// Removes an attachment from a draft. The next sweep moves its bytes to quarantine, unless something else needs
    /// them.
    ///
    /// - Parameter name: its name, or a prefix of its digest, eight digits or more, which distinguishes files of one
    ///   name.
    /// - Throws: `OutboxError.notAttached`, `.attachedTwice`.
    @discardableResult
    package func detach(_ name: String, questionId: String, from test: TestID) throws -> StoredTest {
        try update(test) { record in
            let question = QuestionInstance.written(questionId)
            let here = record.attachments.filter { QuestionInstance.written($0.questionId) == question }
            var meant = here.filter { $0.name == name }
            if meant.isEmpty, name.count >= Attachment.markDigits {
                meant = here.filter { $0.digest.hex.hasPrefix(name.lowercased()) }
            }
            guard let first = meant.first else {
                throw OutboxError.notAttached(test, questionId: questionId, name: name)
            }
            guard meant.count == 1 else { throw OutboxError.attachedTwice(test, questionId: questionId, meant) }
            record.attachments.removeAll { $0.id == first.id }
        }
    }

    /// The same for the one with this identity.
    @discardableResult
    package func detach(_ id: TestID, from test: TestID) throws -> StoredTest {
        try update(test) { record in record.attachments.removeAll { $0.id == id } }
    }
}
