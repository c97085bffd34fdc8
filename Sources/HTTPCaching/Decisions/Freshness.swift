import HTTPTypes
import Model

/// How long a stored response is fresh and how old it is, in whole seconds (RFC 9111 section 4.2).
package struct Freshness: Hashable, Sendable {
    package var lifetimeSeconds: Int
    package var ageSeconds: Int
    /// Whether the lifetime is estimated from Last-Modified, since the server stated none.
    package var isHeuristic: Bool

    package var isFresh: Bool { lifetimeSeconds > ageSeconds }

    package init(of stored: StoredResponse, now: Timestamp, isShared: Bool = false) {
        let variant = StoredVariant(stored, policy: CachePolicy(isShared: isShared))
        lifetimeSeconds = variant.lifetimeSeconds
        isHeuristic = variant.isHeuristic
        ageSeconds = variant.ageSeconds(now: now)
    }

    /// The first moment at which the response is stale.
    package static func freshUntil(_ stored: StoredResponse, isShared: Bool = false) -> Timestamp {
        StoredVariant(stored, policy: CachePolicy(isShared: isShared)).freshUntil
    }

    /// Section 4.2.1: s-maxage (in a shared cache), else max-age, else Expires minus Date, else a heuristic.
    static func lifetime(
        of stored: StoredResponse, rules: ResponseControl, policy: CachePolicy
    ) -> (seconds: Int, isHeuristic: Bool) {
        if policy.isShared, let seconds = rules.control.sharedMaxAge { return (seconds, false) }
        if let seconds = rules.control.maxAge { return (seconds, false) }
        if rules.usesExpires, stored.fields.contains(.expires) {
            // Of several the first counts; an invalid one is in the past (section 5.3).
            guard let value = stored.fields[values: .expires].first,
                let end = HTTPDate.parse(value, now: stored.responseTime)
            else { return (0, false) }
            let begin = stored.date ?? stored.responseTime
            return (limited(end.secondsSinceEpoch - begin.secondsSinceEpoch), false)
        }
        return (heuristicLifetime(of: stored, control: rules.control, policy: policy), true)
    }

    /// Section 4.2.2: a share of the time since the last change, for statuses that are heuristically cacheable (RFC
    /// 9110 section 15.1) or explicitly public.
    private static func heuristicLifetime(
        of stored: StoredResponse, control: CacheControl, policy: CachePolicy
    ) -> Int {
        guard heuristicallyCacheable.contains(stored.status) || control.isPublic,
            let modified = stored.lastModified
        else { return 0 }
        let since = limited((stored.date ?? stored.responseTime).secondsSinceEpoch - modified.secondsSinceEpoch)
        return max(0, min(since * policy.heuristicPercent / 100, policy.heuristicLimitSeconds))
    }

    private static func limited(_ seconds: Int64) -> Int {
        Int(max(0, min(seconds, Int64(CacheControl.maximumSeconds))))
    }

    /// RFC 9110 section 15.1.
    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Section 4.2.3, `corrected_initial_age`. The origin's clock may differ from ours: the apparent age is never
    /// negative, and the transit time counts in full.
    static func initialAge(of stored: StoredResponse) -> Int {
        let date = stored.date ?? stored.responseTime
        let apparentAge = limited(stored.responseTime.secondsSinceEpoch - date.secondsSinceEpoch)
        let delay = limited(stored.responseTime.secondsSinceEpoch - stored.requestTime.secondsSinceEpoch)
        return max(apparentAge, statedAge(stored.fields) + delay)
    }

    /// Section 5.1: of several values, in one line or in more, the first counts; an invalid one is ignored.
    private static func statedAge(_ fields: HTTPFields) -> Int {
        guard fields.contains(.age),
            let first = ListReader(fields[values: .age].joined(separator: ",")).first(where: { _ in true })
        else { return 0 }
        return CacheControl.Argument.text(String(first)).seconds ?? 0
    }
}
