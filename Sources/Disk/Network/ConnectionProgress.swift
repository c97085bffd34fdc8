/// Decides whether a client that is sending a request or receiving a response makes progress. A value that receives the
/// events of one connection, with the seconds of any monotonic clock.
///
/// Progress is `ConnectionBounds.progressBytes` in either direction, and the end of a request's head, of its content,
/// and of a response. Single bytes are not progress.
package struct ConnectionProgress: Hashable, Sendable {
    /// The time of the last progress.
    package private(set) var progressedAt: Double
    private var unanswered = 0
    private var isReceivingContent = false
    /// Whether the client still had data to receive at the last check.
    package private(set) var isSending = false
    private var receivedBytes = 0
    private var writtenBytes = 0
    private var deliveredBytes = 0

    package init(now: Double) { progressedAt = now }

    /// Whether the client waits for the server's response.
    package var isServersTurn: Bool { unanswered > 0 && !isReceivingContent && !isSending }

    package mutating func receivedHead(now: Double) {
        unanswered += 1
        isReceivingContent = true
        progress(now)
    }

    package mutating func receivedContent(_ count: Int, now: Double) {
        receivedBytes += count
        if receivedBytes >= ConnectionBounds.progressBytes { progress(now) }
    }

    package mutating func receivedEnd(now: Double) {
        isReceivingContent = false
        progress(now)
    }

    package mutating func wrote(_ count: Int) { writtenBytes += count }

    package mutating func answered(now: Double) {
        unanswered = max(0, unanswered - 1)
        progress(now)
    }

    /// Checks the connection; called periodically.
    ///
    /// - Parameters:
    ///   - waitingBytes: written bytes that the client has not received yet.
    ///   - isReading: whether the server waits for the client's bytes; if it does not read, the client is not
    ///     responsible.
    /// - Returns: whether the client's time is over.
    package mutating func isStalled(waitingBytes: Int, isReading: Bool, seconds: Double, now: Double) -> Bool {
        isSending = waitingBytes > 0
        let delivered = max(deliveredBytes, writtenBytes - waitingBytes)
        if delivered - deliveredBytes >= ConnectionBounds.progressBytes {
            deliveredBytes = delivered
            progress(now)
        }
        let isReceiving = isReceivingContent && isReading
        guard isReceiving || waitingBytes > 0 else {
            // The server is working, or the connection is idle, which has a limit of its own.
            if unanswered > 0 { progressedAt = now }
            return false
        }
        return now - progressedAt >= seconds
    }

    private mutating func progress(_ now: Double) {
        receivedBytes = 0
        progressedAt = now
    }
}
