import HTTPTypes
import Model

/// The decision about a request for which the cache may hold several responses: one value, computed from the time, the
/// request and the stored responses (RFC 9111 section 4).
package enum CacheLookup: Hashable, Sendable {
    /// Answer from the cache.
    case use(StoredUse)
    /// Ask the origin.
    case ask(OriginQuestion)
    /// The network is needed but not allowed: 504.
    case unsatisfiable(CacheDecision.Reason)

    package static func decide(
        now: Timestamp, request: CacheRequest, variants: [StoredVariant], policy: CachePolicy,
        network: CacheDecision.Network = .available
    ) -> CacheLookup {
        guard request.isCacheable else {
            return network == .away ? .unsatisfiable(.notStored) : .ask(OriginQuestion(reason: .method))
        }
        guard let index = select(variants, for: request.fields) else {
            if network == .away { return .unsatisfiable(.notStored) }
            if request.control.onlyIfCached { return .unsatisfiable(.onlyIfCached) }
            return .ask(.forAnother(of: variants, request: request))
        }
        let evaluation = CacheEvaluation(
            now: now, request: request, variant: variants[index], index: index, policy: policy)
        if network == .away { return evaluation.withoutNetwork() }
        if let use = evaluation.use() { return .use(use) }
        if request.control.onlyIfCached { return .unsatisfiable(.onlyIfCached) }
        return .ask(evaluation.question())
    }

    /// The stored response to serve although the origin was unreachable or answered with an error (RFC 9111 section
    /// 4.2.4, RFC 5861 section 4).
    ///
    /// - Parameter status: the origin's status; `nil` without an answer.
    /// - Returns: `nil` if the client gets the origin's answer, or a 504 without one.
    package static func afterFailure(
        now: Timestamp, request: CacheRequest, variants: [StoredVariant], policy: CachePolicy, status: Int?
    ) -> StoredUse? {
        if let status, !errors.contains(status) { return nil }
        guard request.isCacheable, let index = select(variants, for: request.fields) else { return nil }
        // An old failure is no better than a new one.
        if status != nil, errors.contains(variants[index].response.status) { return nil }
        let evaluation = CacheEvaluation(
            now: now, request: request, variant: variants[index], index: index, policy: policy)
        guard case .use(let use) = evaluation.withoutNetwork(isAnswered: status != nil) else { return nil }
        return use
    }

    /// Whether the server or the client allows a stored response in place of an error (RFC 5861 section 4).
    package static func coversErrors(
        now: Timestamp, request: CacheRequest, variants: [StoredVariant], policy: CachePolicy
    ) -> Bool {
        guard request.isCacheable, let index = select(variants, for: request.fields) else { return false }
        return CacheEvaluation(now: now, request: request, variant: variants[index], index: index, policy: policy)
            .coversErrors
    }

    /// RFC 5861 section 4.
    package static let errors: Set<Int> = [500, 502, 503, 504]

    /// Selects, among the responses whose Vary matches, the most recent by Date (RFC 9111 section 4). Where several are
    /// stored, one without Vary comes after those with it: its server omitted the field (section 4.1).
    ///
    /// A response to a request like this one precedes one that only has the preferred language.
    static func select(_ variants: [StoredVariant], for request: HTTPFields) -> Int? {
        best(of: variants) { $0.matchesExactly(request) } ?? best(of: variants) { $0.matches(request) }
    }

    private static func best(of variants: [StoredVariant], where fits: (StoredVariant) -> Bool) -> Int? {
        var best: Int?
        for (index, variant) in variants.enumerated() where fits(variant) {
            if let chosen = best, !isBetter(variant, than: variants[chosen]) { continue }
            best = index
        }
        return best
    }

    private static func isBetter(_ one: StoredVariant, than other: StoredVariant) -> Bool {
        if one.hasVary != other.hasVary { return one.hasVary }
        if one.date != other.date { return one.date > other.date }
        return one.response.responseTime > other.response.responseTime
    }
}

/// An answer from the cache.
package struct StoredUse: Hashable, Sendable {
    /// The index of the stored response.
    package var index: Int
    package var plan: StoredAnswer.Plan
    /// For the Age field (RFC 9111 section 5.1).
    package var ageSeconds: Int
    /// The remaining freshness; 0 or less if stale. For Cache-Status' `ttl`.
    package var remainingSeconds: Int
    /// 0 if it is fresh.
    package var staleBySeconds: Int { max(0, 1 - remainingSeconds) }
    /// The question with which to refresh a stale response in the background (RFC 5861 section 3).
    package var refresh: OriginQuestion?
}

/// Evaluates one stored response for one request at one time.
private struct CacheEvaluation {
    let request: CacheRequest
    let variant: StoredVariant
    let index: Int
    let policy: CachePolicy
    let age: Int
    let remaining: Int
    let isFresh: Bool
    let plan: StoredAnswer.Plan

    init(now: Timestamp, request: CacheRequest, variant: StoredVariant, index: Int, policy: CachePolicy) {
        self.request = request
        self.variant = variant
        self.index = index
        self.policy = policy
        age = variant.ageSeconds(now: now)
        remaining = variant.lifetimeSeconds - age
        isFresh = remaining > 0 && !variant.response.isInvalidated
        plan = StoredAnswer.Plan(request, variant)
    }

    /// Seconds since it became stale.
    private var staleness: Int { -remaining }

    private var used: StoredUse { StoredUse(index: index, plan: plan, ageSeconds: age, remainingSeconds: remaining) }

    /// Whether the origin forbids its use without validation (sections 5.2.2.2, 5.2.2.4, 5.2.2.8 and 5.2.2.10).
    private var mustAsk: Bool {
        variant.control.noCache || variant.response.isInvalidated || !isFresh && variant.isStrict
    }

    /// The use with the network available.
    func use() -> StoredUse? {
        guard plan.isPossible, !mustAsk, wishesAllow else { return nil }
        if isFresh { return used }
        if let window = variant.control.staleWhileRevalidate, staleness < window {
            var use = used
            use.refresh = question(inBackground: true)
            return use
        }
        // Section 5.2.1.2: stale by at most this many seconds.
        if let limit = request.control.maxStale, staleness <= limit { return used }
        return nil
    }

    /// The decision without the network: the request's directives are advice (section 5.2.1), and a stale response is
    /// better than none.
    ///
    /// - Parameter isAnswered: the origin answers with an error: its own limit for stale responses then applies (RFC
    ///   5861 section 4).
    func withoutNetwork(isAnswered: Bool = false) -> CacheLookup {
        guard plan.isPossible else { return .unsatisfiable(.notStored) }
        if mustAsk { return .unsatisfiable(.mustRevalidate) }
        let isLimited = isAnswered && (variant.control.staleIfError ?? request.control.staleIfError) != nil
        if isFresh || policy.servesStaleOffline && !isLimited { return .use(used) }
        let windows = [
            variant.control.staleIfError, variant.control.staleWhileRevalidate, request.control.staleIfError,
        ]
        if windows.contains(where: { $0.map { staleness < $0 } ?? false }) { return .use(used) }
        if let limit = request.control.maxStale, staleness <= limit { return .use(used) }
        return .unsatisfiable(.stale)
    }

    var coversErrors: Bool {
        let windows = [variant.control.staleIfError, request.control.staleIfError]
        return plan.isPossible && !mustAsk && windows.contains { $0.map { staleness < $0 } ?? false }
    }

    /// Section 5.2.1: the age that the request demands.
    private var wishesAllow: Bool {
        let wish = request.control
        if wish.noCache { return false }
        // RFC 8246 section 2: reloading an immutable response sends no request while it is fresh. An age of 0 means
        // less than a second, not zero: with 0 the origin is asked.
        if let maximum = wish.maxAge, age > maximum || maximum == 0, !(isFresh && variant.control.isImmutable) {
            return false
        }
        if let minimum = wish.minFresh, remaining < minimum { return false }
        return true
    }

    func question(inBackground: Bool = false) -> OriginQuestion {
        switch plan {
        case .otherwise: return OriginQuestion(reason: .request)
        case .missing(let gaps):
            if inBackground || request.hasValidationConditions || request.fields.contains(.range)
                || request.method == .head
            {
                return OriginQuestion(reason: .partial)
            }
            return .forTheRest(of: variant, index: index, gaps: gaps)
        default:
            var question = OriginQuestion(reason: isFresh && !mustAsk ? .request : .stale)
            let conditions = Validators.conditions(for: variant.response)
            if !conditions.isEmpty {
                question.index = index
                question.conditions = conditions
            }
            question.isInBackground = inBackground
            return question
        }
    }
}
