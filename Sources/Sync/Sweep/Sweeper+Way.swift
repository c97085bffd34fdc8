/// What a sweep is told, and the way to the remote.
extension Sweeper {
    public struct Options: Sendable {
        /// Sends also what is not due yet.
        public var ignoresNotBefore: Bool
        /// Asks first whether it is the remote that answers.
        public var probes: Bool
        /// Asks also after what was rated lately: it may have been rated anew.
        public var asksAfterRated: Bool
        /// Asks after all that was delivered, however long ago: whether the server still has it.
        public var verifies: Bool
        /// Counts what lies in `sending` among what waits: where nothing is sent, nobody has put it back.
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
