import Model
import OutboxStore
import Sync

/// The status of a test, its history, and its next step, from the files alone.
public struct Explanation: Sendable, Codable, Hashable {
    public var id: TestID
    public var status: TestStatus
    public var questionnaire: String?
    public var title: String?
    public var state: String
    public var facts: [String]
    public var next: String
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
}

extension Explanation {
    static func nothingMore(_ language: Language) -> String {
        language.text("Nothing more to do.")
    }

    /// A file of the outbox that says nothing.
    static func unreadable(
        _ item: OutboxItem, _ error: OutboxError, file: String, _ language: Language
    ) -> Explanation {
        func say(_ text: LocalizedText) -> String { language.text(text) }
        return Explanation(
            id: item.id, status: item.status, state: say("Unreadable"), facts: [error.description],
            next: say("Nothing is sent. Repair the file, or run “quire doctor --repair” to move it to quarantine."),
            file: file)
    }
}
