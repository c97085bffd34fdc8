/// Whether a host accepts a test, and whether it is late.
extension Availability {
    package enum Admission: Hashable, Sendable {
        /// - Parameter late: `nil` for a test that was in time; else whether that is proven.
        case accepted(late: Receipt.ReasonCode?)
        case notOpen(until: Timestamp)
        case closed(since: Timestamp)
        case noAttemptLeft(of: Int)
        case overTimeLimit(of: Int)
    }

    /// Decides by the server's times, the active time and what the server has received; the device's clock has no say.
    ///
    /// A test that arrives after the end may have been finished before it, on a device without a network: it is refused only where
    /// the server's own times show that it was finished later. One that took a few seconds more than the limit is late, and not
    /// refused: a program needs them to save and to hand in.
    ///
    /// - Parameters:
    ///   - attempt: the number of this test among those of its person; `nil` for a test without a person.
    ///   - limitSeconds: the time limit of the version that was taken.
    ///   - receivedAt: when the host received the test.
    package func admission(
        attempt: Int?, timing: TestTiming?, limitSeconds: Int?, receivedAt: Timestamp
    ) -> Admission {
        if let attempts, let attempt, !allows(attempt: attempt) { return .noAttemptLeft(of: attempts) }
        if let opensAt, receivedAt < opensAt { return .notOpen(until: opensAt) }
        guard late != .accept else { return .accepted(late: nil) }
        switch lateness(timing: timing, limitSeconds: limitSeconds, receivedAt: receivedAt) {
        case .onTime: return .accepted(late: nil)
        case .unproven: return .accepted(late: .lateUnproven)
        case .late(_, let isAfterClosing):
            guard late == .refuse else { return .accepted(late: .late) }
            if let closesAt, isAfterClosing { return .closed(since: closesAt) }
            let most = limitSeconds.map { Int(bounded: Double($0) + TimeLimitEnd.graceSeconds) }
            guard let limitSeconds,
                case .late(true, _) = lateness(timing: timing, limitSeconds: most, receivedAt: receivedAt)
            else { return .accepted(late: .late) }
            return .overTimeLimit(of: limitSeconds)
        }
    }
}
