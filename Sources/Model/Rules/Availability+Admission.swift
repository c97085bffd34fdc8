/// Whether a host accepts a test, and whether it is late.
extension Availability {
    package enum Admission: Hashable, Sendable {
        /// - Parameter late: `nil` for a test that was in time; else whether that is proven.
        case accepted(late: Receipt.ReasonCode?)
        case notOpen(until: Timestamp)
        case closed(since: Timestamp)
        case noAttemptLeft(of: Int)
    }

    /// Decides by the server's times and what it has received; the device's clock has no say.
    ///
    /// A test that arrives after the end may have been finished before it, on a device without a network: it is refused only where
    /// the server's own times show that it was finished later.
    ///
    /// - Parameters:
    ///   - attempt: the number of this test among those of its person; `nil` for a test without a person.
    ///   - receivedAt: when the host received the test.
    package func admission(attempt: Int?, timing: TestTiming?, receivedAt: Timestamp) -> Admission {
        if let attempts, let attempt, !allows(attempt: attempt) { return .noAttemptLeft(of: attempts) }
        if let opensAt, receivedAt < opensAt { return .notOpen(until: opensAt) }
        guard let closesAt, late != .accept else { return .accepted(late: nil) }
        switch lateness(timing: timing, limitSeconds: nil, receivedAt: receivedAt) {
        case .onTime: return .accepted(late: nil)
        case .unproven: return .accepted(late: .lateUnproven)
        case .late: return late == .refuse ? .closed(since: closesAt) : .accepted(late: .late)
        }
    }
}
