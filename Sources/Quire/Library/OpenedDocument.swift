import CacheStore
import Model

/// A questionnaire that was opened.
public struct OpenedDocument: Sendable {
    public var questionnaire: Questionnaire
    public var bytes: [UInt8]
    public var digest: Digest
    /// `nil` when the server forbids to keep it.
    package var entry: CacheEntry?
    /// The local change, if that is the opened version.
    package var local: LocalQuestionnaires.Local?
    /// The id by which this device knows it for ever.
    package var permanentID: String
    /// 0 when it is fresh.
    public var staleBySeconds: Int
    public var ageSeconds: Int

    package var reference: QuestionnaireReference {
        QuestionnaireReference(id: questionnaire.id, title: questionnaire.title, digest: digest)
    }
}
