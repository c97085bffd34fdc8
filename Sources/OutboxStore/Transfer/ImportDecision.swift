import Model

/// What becomes of a test that came from another machine: one value, computed from where it stood there and what lies
/// here under its id.
enum ImportDecision: Hashable {
    /// Nothing that it could disturb is here.
    case take
    /// The same bytes are here in a state that is less advanced.
    case advance(from: TestStatus)
    /// The same bytes are here, as advanced or further.
    case known(TestStatus)
    /// Other bytes are here, and what arrives is known to be made of them: it takes their place.
    case replace(TestStatus)
    /// Other bytes are here in a state that is less advanced: they go to `conflict`.
    case displace(TestStatus)
    /// Other bytes are here, as advanced or further: what came goes to `conflict`.
    case setAside

    /// A version that is here.
    struct Version: Hashable {
        var status: TestStatus
        var hasSameBytes: Bool
        /// What arrives is known to be made of it.
        var isOutdated = false
    }

    /// - Parameters:
    ///   - arriving: where it stood on the other machine; not `sending`.
    ///   - known: what is here beside `conflict`.
    ///   - conflict: whether the one in `conflict` has the same bytes; `nil` when there is none.
    static func decide(arriving: TestStatus, known: Version?, conflict: Bool?) -> ImportDecision {
        guard let known else {
            switch conflict {
            case nil: return .take
            case true?:
                return arriving.advancement > TestStatus.conflict.advancement
                    ? .advance(from: .conflict) : .known(.conflict)
            // What waits for a decision takes no other one's place.
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
