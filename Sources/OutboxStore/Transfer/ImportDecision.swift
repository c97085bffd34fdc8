import Model

/// Decides what to do with a test from another machine: one value, computed from its status there and the versions here
/// under its id.
enum ImportDecision: Hashable {
    /// Nothing here conflicts with it.
    case take
    /// The same bytes are here with a less advanced status.
    case advance(from: TestStatus)
    /// The same bytes are here, equally or further advanced.
    case known(TestStatus)
    /// Other bytes are here, and the arriving ones are known to be made from them: they are replaced.
    case replace(TestStatus)
    /// Other bytes are here with a less advanced status: they go to `conflict`.
    case displace(TestStatus)
    /// Other bytes are here, equally or further advanced: the arriving ones go to `conflict`.
    case setAside

    /// A version that is here.
    struct Version: Hashable {
        var status: TestStatus
        var hasSameBytes: Bool
        /// The arriving version is known to be made from it.
        var isOutdated = false
    }

    /// - Parameters:
    ///   - arriving: its status on the other machine; not `sending`.
    ///   - known: the version here, other than one in `conflict`.
    ///   - conflict: whether the one in `conflict` has the same bytes; `nil` without one.
    static func decide(arriving: TestStatus, known: Version?, conflict: Bool?) -> ImportDecision {
        guard let known else {
            switch conflict {
            case nil: return .take
            case true?:
                return arriving.advancement > TestStatus.conflict.advancement
                    ? .advance(from: .conflict) : .known(.conflict)
            // A version that waits for a decision replaces no other.
            case false?: return arriving == .conflict ? .setAside : .take
            }
        }
        let isFurther = arriving.advancement > known.status.advancement
        if known.hasSameBytes {
            if isFurther { return .advance(from: known.status) }
            // Reopened since then.
            return known.isOutdated && arriving.isDraft ? .replace(known.status) : .known(known.status)
        }
        if known.isOutdated, arriving != .conflict { return .replace(known.status) }
        if arriving == .conflict || !isFurther { return conflict == true ? .known(.conflict) : .setAside }
        return .displace(known.status)
    }
}
