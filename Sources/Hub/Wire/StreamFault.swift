/// Why a connection gives or takes no more bytes.
enum StreamFault: Error, Hashable, Sendable {
    /// The other side has ended it.
    case ended
    /// Nothing came, or nothing was taken, for too long.
    case silent
    /// Bytes come, but too few.
    case tooSlow
    /// There are too many connections, and this one is to end.
    case turnedAway
}
