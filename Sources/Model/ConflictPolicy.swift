/// What happens to a change whose base is no longer the server's version (RFC 9110 section 15.5.13).
///
/// No clock takes part in it: versions are compared by their entity tags alone.
public enum ConflictPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Both versions are kept side by side until the person decides.
    case ask
    /// What was changed on the device takes the place of the server's version.
    case client
    /// The server's version stays.
    case server
    /// The server's version stays, and what was changed becomes a questionnaire of its own.
    case duplicate
}
