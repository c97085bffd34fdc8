/// The options of a sweep, and the way to the remote.
extension Sweeper {
    public struct Options: Sendable {
        /// Sends also what is not due yet.
        public var ignoresNotBefore: Bool
        /// Asks first whether it is the remote that answers.
        public var probes: Bool
        /// Also asks for recently rated tests: a rating may have changed.
        public var asksAfterRated: Bool
        /// Asks after all that was delivered, however long ago: whether the server still has it.
        public var verifies: Bool
        /// Counts tests in `sending` as waiting: without a sweep, they were not moved back.
        var countsInterrupted = false
        public init(
            ignoresNotBefore: Bool = false, probes: Bool = false, asksAfterRated: Bool = false, verifies: Bool = false
        ) {
            self.verifies = verifies
            self.ignoresNotBefore = ignoresNotBefore
            self.probes = probes
            self.asksAfterRated = asksAfterRated
        }
    }

    /// Why nothing can be sent now; `nil` when it is worth trying.
    func obstacle(_ options: Options) async -> String? {
        if case .away(let reason) = remote.presence() {
            journal.note(Contact(at: clock.now, isReachable: false, reason: reason))
            return reason
        }
        guard options.probes, let failure = await remote.probe() else { return nil }
        note(.failure(failure))
        return failure.reason
    }
}
