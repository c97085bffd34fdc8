/// Decides how the server treats a change whose base is no longer its current version (RFC 9110 section 15.5.13).
///
/// Versions are compared by their entity tags alone, never by clocks.
public enum ConflictPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Both versions are kept until the person decides.
    case ask
    /// The device's version replaces the server's.
    case client
    /// The server's version stays.
    case server
    /// The server's version stays, and the device's becomes a new questionnaire.
    case duplicate
}
