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
    /// Other bytes are here that are known to be later: they stay, and the arriving ones are not needed.
    case newer(TestStatus)
    /// Other bytes are here, and the arriving ones are known to be made from them: they are replaced.
    case replace(TestStatus)
    /// Other bytes are here with a less advanced status: they go to `conflict`.
    case displace(TestStatus)
    /// Other bytes are here, equally or further advanced: the arriving ones go to `conflict`.
    case setAside

    /// Whether the arriving version is here from then on.
    var bringsHere: Bool {
        switch self {
        case .take, .advance, .replace, .displace: true
        case .known(let status): status != .conflict
        case .newer, .setAside: false
        }
    }

    /// Whether it changes what is here.
    var isNews: Bool {
        switch self {
        case .take, .advance, .replace, .displace, .setAside: true
        case .newer, .known: false
        }
    }

    /// A version that is here.
    struct Version: Hashable {
        var status: TestStatus
        var hasSameBytes: Bool
        /// The arriving version is known to be made from it.
        var isOutdated = false
        /// The arriving version comes before it: it was here. With the same bytes: under the status that it arrives with.
        var isLater = false
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
            if isFurther { return known.isLater ? .newer(known.status) : .advance(from: known.status) }
            // Reopened since then.
            return known.isOutdated && arriving.isDraft ? .replace(known.status) : .known(known.status)
        }
        // What this outbox itself did with the arriving version counts before what another one did.
        if known.isLater { return .newer(known.status) }
        if known.isOutdated, arriving != .conflict { return .replace(known.status) }
        if arriving == .conflict || !isFurther { return conflict == true ? .known(.conflict) : .setAside }
        return .displace(known.status)
    }
}
