import Model
import OutboxStore

/// Why an item is not sent, regardless of its time.
package enum SendingObstacle: Hashable, Sendable {
    /// The questionnaire no longer shows the attachment.
    case unwanted
    /// The test or questionnaire that it belongs to goes first.
    case owner(OutboxItem)
    /// An earlier item of its kind goes first.
    case predecessor(OutboxItem)
    /// A person has to decide about an item that goes first.
    case undecided(OutboxItem, Receipt.Delivery?, SendingDecision)
}

/// The commands by which a person decides about an item that was rejected, or is in conflict.
package enum SendingDecision: Hashable, Sendable {
    /// To send it again or to discard it.
    case retry(TestID)
    /// To settle the conflict of a questionnaire.
    case resolve(TestID, [ConflictChoice])
}
