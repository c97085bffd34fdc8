/// Bytes that are not the message they should be, or one beyond the bounds (RFC 9112).
struct WireFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status code that says so to a client.
    var status: Int
    var reason: String

    init(_ status: Int = 400, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    var description: String { reason }
}

/// Bounds on what is read.
struct WireLimits: Hashable, Sendable {
    /// For the start line and the fields together.
    var headBytes: Int
    var startLineBytes: Int
    var fields: Int
    /// For the extensions of one chunk, and of all chunks of a message.
    var chunkExtensionBytes = 256
    var allChunkExtensionBytes = 8 << 10
    var trailerBytes = 8 << 10

    static let request = WireLimits(headBytes: 32 << 10, startLineBytes: 16 << 10, fields: 200)
    static let response = WireLimits(headBytes: 64 << 10, startLineBytes: 16 << 10, fields: 400)
}
