import Model
import OutboxStore

extension Explanation {
    /// The next step of an item of the outbox: by itself, or by a person.
    package indirect enum Step: Hashable, Sendable {
        /// To continue the draft, or to finish it.
        case take(TestID)
        /// It is sent with the next sync.
        case sync
        /// It is sent after this time, or by a person earlier.
        case retry(TestID, after: Timestamp)
        /// It is being sent, or that was interrupted.
        case sending
        case obstacle(SendingObstacle)
        /// The medium that holds it is asked whether the server has it.
        case askMedium(DeliveryMedium)
        /// The server is asked for the missing receipt of an item of this kind.
        case askReceipt(OutboxKind)
        case askRating
        /// To send again what the server lost.
        case sendAgain(TestID)
        /// To put back the bytes of an attachment.
        case restore(path: String)
        /// To repair the file.
        case repair
        case decide(SendingDecision, isDeletedThere: Bool)
        /// To make a new revision of a test, to discard it or, where no other version has its id, to send it again.
        case reopen(TestID, mayRetry: Bool)
        /// To correct a returned test.
        case correct(TestID)
        /// To continue the draft of a correction.
        case takeCorrection(TestID)
        /// The finished correction.
        case corrected(by: TestID)
        /// The next step of an attachment with this name.
        case attachment(String, Step)
    }
}
