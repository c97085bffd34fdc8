import Model

/// How often a call is repeated, and after which pauses: full jitter, so that many who failed together do not come back
/// together.
struct S3Retry: Sendable {
    var attempts = 6
    var firstPause = Duration.milliseconds(200)
    var longestPause = Duration.seconds(20)
    /// What the store asks for is waited for, up to this.
    var longestRequestedPause = Duration.seconds(60)

    /// The pause before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: from 1 for the first repetition.
    ///   - requested: the store's Retry-After.
    ///   - random: from 0 to 1.
    /// - Returns: `nil` when it is not repeated any more.
    func pause(before attempt: Int, requested: Duration?, random: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let bound = min(longestPause, firstPause * (1 << min(attempt - 1, 20)))
        let jittered = bound * random
        guard let requested else { return jittered }
        guard requested <= longestRequestedPause else { return nil }
        return requested + jittered
    }

    /// Whether a reply of this status is worth another attempt. 409 is a race of conditional writes, which a repetition settles.
    static func mayRepeat(status: Int, code: String) -> Bool {
        switch status {
        case 408, 429, 500, 502, 503, 504: true
        case 409: code == "ConditionalRequestConflict" || code == "OperationAborted"
        case 400: code == "RequestTimeout"
        default: false
        }
    }
}
