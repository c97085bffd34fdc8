import Model

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
