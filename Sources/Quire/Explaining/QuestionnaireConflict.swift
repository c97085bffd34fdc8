import Model
import OutboxStore

/// A questionnaire that was changed here and on the server, as a person decides about it.
public struct QuestionnaireConflict: Sendable, Encodable {
    /// The change's id, by which it is settled.
    public var id: TestID
    /// The questionnaire's permanent id.
    public var questionnaire: String
    public var title: String
    /// The local action.
    public var action: ChangeAction
    /// Whether the server deleted it meanwhile.
    public var isDeletedThere: Bool
    /// When it was changed, each by its own clock: for information, not for the decision.
    public var changedHere: Timestamp
    public var changedThere: Timestamp?
    public var mine: JSONValue?
    public var theirs: JSONValue?
    public var differences: [DocumentDifference]
    public var reason: String?
    /// The available choices.
    public var choices: [ConflictChoice]

    /// Members that the server sets.
    static let ownMembers: Set<String> = ["id", "localId", "updatedAt", "key", "answerKey", "multiAnswerKey"]

    init(_ conflict: OutboxConflict) {
        let mine = conflict.mine
        choices = conflict.choices
        id = conflict.stored.item.id
        questionnaire = mine.questionnaire
        title = mine.title
        action = mine.action
        isDeletedThere = conflict.published?.deleted == true
        changedHere = mine.dateChanged
        changedThere = conflict.published?.updatedAt
        self.mine = mine.document.flatMap(Self.value)
        theirs = conflict.theirs.flatMap(Self.value)
        differences =
            self.mine == nil || theirs == nil
            ? [] : DocumentDifference.between(self.mine, theirs, ignoring: Self.ownMembers)
        reason = conflict.receipt?.delivery?.reason
    }

    private static func value(_ bytes: [UInt8]) -> JSONValue? {
        try? DocumentCoding.decode(JSONValue.self, from: bytes)
    }
}
