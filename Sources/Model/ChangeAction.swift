/// What a person did to a questionnaire, as it is sent.
public enum ChangeAction: String, Hashable, Sendable, Codable, CaseIterable {
    case create
    case edit
    case delete
    /// It is one of the person's favourites.
    case favorite
    /// It is none any more.
    case unfavorite
    /// A file that belongs to an answer, or to a questionnaire.
    case attach
}

/// What a server did with a change that it was told to settle by a rule.
public enum ChangeOutcome: String, Hashable, Sendable, Codable {
    /// It took the place of a version that its author had not seen.
    case replaced
    /// The server's version stayed.
    case dropped
    /// It became a questionnaire of its own.
    case copied
}
