/// Whether a client that is sending a request or receiving a response makes progress: a value that is told what happens on
/// one connection, with the time in seconds of any clock that only moves forward.
///
/// Progress is `ConnectionBounds.progressBytes` in either direction, the end of a request's head, of its content, and of a
/// response. A byte now and then is none.
package struct ConnectionProgress: Hashable, Sendable {
    /// The last time there was progress.
    package private(set) var progressedAt: Double
    private var unanswered = 0
    private var isReceivingContent = false
    /// Whether the client had not received everything at the last look.
    private var isSending = false
    private var receivedBytes = 0
    private var writtenBytes = 0
    private var deliveredBytes = 0

    package init(now: Double) { progressedAt = now }

    /// Whether the next move is the server's: it has a request, and the client waits.
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

    /// Looks at the connection from time to time.
    ///
    /// - Parameters:
    ///   - waitingBytes: what was written and the client has not received yet.
    ///   - isReading: whether the server waits for the client's bytes; one that does not read holds nobody responsible.
    /// - Returns: whether the client has had its time.
    package mutating func isStalled(waitingBytes: Int, isReading: Bool, seconds: Double, now: Double) -> Bool {
        isSending = waitingBytes > 0
        let delivered = max(deliveredBytes, writtenBytes - waitingBytes)
        if delivered - deliveredBytes >= ConnectionBounds.progressBytes {
            deliveredBytes = delivered
            progress(now)
        }
        let isReceiving = isReceivingContent && isReading
        guard isReceiving || waitingBytes > 0 else {
            // The server is at work, or nothing was asked: an idle connection has a time of its own.
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
