import HTTPTypes
import Model

/// What to do about a GET for which a device's cache may have something (RFC 9111 section 4): `CacheLookup` for the one
/// response that such a cache keeps.
package enum CacheDecision: Hashable, Sendable {
    /// Answer from the cache. `staleBySeconds` is 0 when the response is fresh.
    case useStored(ageSeconds: Int, staleBySeconds: Int)
    /// Ask the origin whether what is stored still holds, with these fields added to the request.
    case revalidate(conditions: HTTPFields)
    /// Ask the origin for everything.
    case fetch
    /// The network is needed and may not be used.
    case unsatisfiable(Reason)

    package enum Reason: Hashable, Sendable {
        /// Nothing is stored.
        case notStored
        /// It is stored, and the server forbids to use it without asking again.
        case mustRevalidate
        /// The request says `only-if-cached`.
        case onlyIfCached
        /// It is stored, and stale for longer than it may be served.
        case stale
    }

    /// Whether, and how, the network may be used.
    package enum Network: Hashable, Sendable {
        case available
        /// Nothing can be asked. Stale content is then better than none, unless its server forbids that
        /// (RFC 9111 section 4.2.4).
        case away
    }

    package static func decide(
        now: Timestamp, request: HTTPFields, stored: StoredResponse?, network: Network, isShared: Bool = false
    ) -> CacheDecision {
        let policy = CachePolicy(isShared: isShared)
        let lookup = CacheLookup.decide(
            now: now, request: CacheRequest(fields: request),
            variants: stored.map { [StoredVariant($0, policy: policy)] } ?? [], policy: policy, network: network)
        switch lookup {
        case .use(let use): return .useStored(ageSeconds: use.ageSeconds, staleBySeconds: use.staleBySeconds)
        case .ask(let question) where question.index != nil: return .revalidate(conditions: question.conditions)
        case .ask: return .fetch
        case .unsatisfiable(let reason): return .unsatisfiable(reason)
        }
    }
}
