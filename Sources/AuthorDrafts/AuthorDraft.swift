import Model

/// A saved state of a questionnaire that an author works on. It need not be right yet, and takers never get it.
package struct AuthorDraft: Hashable, Sendable, Codable {
    package var id: TestID
    /// The number of this state: each save has the next one.
    package var version: Int
    /// The host's id of the published questionnaire that it was made from; `nil` for a new one.
    package var questionnaire: String?
    /// The digest of the published file that it was made from, the key included.
    package var base: Digest?
    /// The id of the change that publishes it: repeated after a crash, it is carried out once.
    package var change: TestID
    package var savedAt: Timestamp
    package var savedBy: String?
    /// The state that undoing returns to.
    package var previous: Int?
    /// The document with its key.
    package var document: JSONValue

    /// A first state, which is not saved yet.
    package init(of document: JSONValue, id: TestID, questionnaire: String? = nil, base: Digest? = nil) {
        self.id = id
        version = 0
        self.questionnaire = questionnaire
        self.base = base
        change = .random()
        savedAt = .epoch
        self.document = document
    }

    /// The state after this one.
    package func next(_ document: JSONValue) -> AuthorDraft {
        var draft = self
        draft.version += 1
        draft.previous = version > 0 ? version : nil
        draft.document = document
        return draft
    }

    /// The state that undoes this one, with an earlier document.
    package func undoing(to earlier: AuthorDraft) -> AuthorDraft {
        var draft = self
        draft.version += 1
        draft.previous = earlier.previous
        draft.document = earlier.document
        return draft
    }
}
