import Model
import OutboxStore

/// The status of a test, its history, and its next step, from the files alone. Its words are in QuireWording.
public struct Explanation: Sendable, Hashable {
    public var id: TestID
    public var status: TestStatus
    public var questionnaire: String?
    public var title: String?
    package var state: State
    package var facts: [Fact]
    /// Empty where nothing is left to do.
    package var next: [Step]
    public var nextAttempt: Timestamp?
    public var evaluation: Evaluation?
    /// What is given out on questions while the score is not.
    package var review: [Evaluation.QuestionEvaluation]?
    /// When more of the result is given out.
    package var releasesAt: Timestamp?
    /// The rating that the current one replaced.
    package var former: Receipt.FormerRating?
    /// A teacher's request to correct it.
    package var returned: Receipt.Return?
    /// Whether the time limit was exceeded, according to the server; before its reply, according to this device.
    public var late: Bool?
    /// The file with this information.
    public var file: String
    /// The same for another version, if two exist under one id.
    public var otherVersions: [Explanation] = []

    /// The state that a person reads first.
    package enum State: Hashable, Sendable {
        /// The file says nothing.
        case unreadable
        /// Held on its way to the server.
        case kept(DeliveryMedium)
        /// With the attempts, which say why it was rejected.
        case status(TestStatus, Receipt.Delivery?)

        init(_ item: OutboxItem, _ receipt: Receipt?, _ medium: DeliveryMedium) {
            self =
                item.status == .done && receipt?.keptAt != nil
                ? .kept(medium) : .status(item.status, receipt?.delivery)
        }
    }

    /// A file of the outbox that says nothing.
    static func unreadable(_ item: OutboxItem, _ error: OutboxError, file: String) -> Explanation {
        Explanation(
            id: item.id, status: item.status, state: .unreadable, facts: [.unreadable(error)], next: [.repair],
            file: file)
    }
}
