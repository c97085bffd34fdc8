import Model
import OutboxStore

extension Explanation {
    /// A fact about an item of the outbox.
    package enum Fact: Hashable, Sendable {
        /// Its file cannot be read.
        case unreadable(OutboxError)
        /// The receipt beside its file cannot be read.
        case unreadableReceipt(OutboxError)
        /// Another version with the same id has this status.
        case otherVersion(TestStatus)

        // MARK: What was done here

        case started(Timestamp, answers: Int)
        case finished(Timestamp)
        case attachment(QuireStore.AttachmentLine)
        /// It revises another test.
        case revision(RevisionChain)
        /// Another test revises it.
        case revised(by: TestID)
        /// The time that a test took, where it was limited; `nil` where it is only known to be too long.
        case timeTaken(TimeTaken?)
        case changed(ChangeAction, Timestamp)
        /// The server's version that was changed.
        case base(etag: String)
        /// The change that it continues.
        case after(TestID)
        /// The name, type and size of an attachment.
        case file(MediaChange)
        /// The question that an attachment belongs to.
        case owner(MediaChange)

        // MARK: The bytes of an attachment

        case bytes(path: String)
        /// The server has them.
        case bytesRemoved
        case bytesMissing
        /// The next sync resumes the upload.
        case partlyUploaded

        // MARK: On the way

        /// The last attempt failed.
        case tried(Receipt.Delivery)
        case kept(since: Timestamp, DeliveryMedium)
        /// It was changed after it was first sent.
        case changedAfterSending

        // MARK: From the server

        case stored(Timestamp)
        /// The questionnaire's id on the server.
        case renamed(String)
        /// The digest of the bytes that the server stored, and whether the file has them.
        case receipt(Digest, matches: Bool)
        /// The server acknowledged it and no longer has it.
        case missing
        /// The server does not know the version that it was taken with.
        case unknownVersion
        case score(Evaluation)
        /// The receipt has the rating and the one that it replaced.
        case ratingChanged(Receipt)
        case passed(Bool)
        /// The receipt has the teacher's comment.
        case returned(Receipt)
        case moreReleased(after: Timestamp)
    }
}
