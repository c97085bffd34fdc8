/// What a sweep is told, and the way to the remote.
extension Sweeper {
    public struct Options: Sendable {
        /// Sends also what is not due yet.
        public var ignoresNotBefore: Bool
        /// Asks first whether it is the remote that answers.
        public var probes: Bool
        public init(ignoresNotBefore: Bool = false, probes: Bool = false) {
            (self.ignoresNotBefore, self.probes) = (ignoresNotBefore, probes)
        }
    }

    /// Why nothing can be sent now; `nil` when it is worth trying.
    func obstacle(_ options: Options) async -> String? {
        if case .away(let reason) = remote.presence() {
            journal.note(Contact(at: clock.now, isReachable: false, reason: reason))
            return reason
        }
        guard options.probes, let failure = await remote.probe() else { return nil }
        journal.note(Contact(at: clock.now, isReachable: false, reason: failure.reason))
        return failure.reason
    }
}
