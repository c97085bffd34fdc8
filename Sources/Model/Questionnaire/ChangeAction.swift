/// A person's change to a questionnaire, as it is sent.
public enum ChangeAction: String, Hashable, Sendable, Codable, CaseIterable {
    case create
    case edit
    case delete
    /// Marks it as a favourite.
    case favorite
    /// Removes it from the favourites.
    case unfavorite
    /// Adds a file that belongs to an answer or a questionnaire.
    case attach
}

/// The result of a change that the server settled by a conflict policy.
package enum ChangeOutcome: String, Hashable, Sendable, Codable {
    /// It replaced a version that its author had not seen.
    case replaced
    /// The server kept its own version.
    case dropped
    /// It became a new questionnaire.
    case copied
}
