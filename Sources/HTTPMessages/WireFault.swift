/// Bytes that are not the message they should be, or one beyond the bounds (RFC 9112).
package struct WireFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status code that says so to a client.
    package var status: Int
    package var reason: String

    package init(_ status: Int = 400, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    package var description: String { reason }
}

/// Bounds on what is read.
package struct WireLimits: Hashable, Sendable {
    /// For the start line and the fields together.
    package var headBytes: Int
    package var startLineBytes: Int
    package var fields: Int
    /// For the extensions of one chunk, and of all chunks of a message.
    package var chunkExtensionBytes = 256
    package var allChunkExtensionBytes = 8 << 10
    package var trailerBytes = 8 << 10

    package static let request = WireLimits(headBytes: 32 << 10, startLineBytes: 16 << 10, fields: 200)
    package static let response = WireLimits(headBytes: 64 << 10, startLineBytes: 16 << 10, fields: 400)
}
