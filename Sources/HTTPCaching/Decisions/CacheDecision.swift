import HTTPTypes
import Model

/// The decision about a GET for a device's cache (RFC 9111 section 4): `CacheLookup` for the single response that such
/// a cache keeps.
package enum CacheDecision: Hashable, Sendable {
    /// Answer from the cache. `staleBySeconds` is 0 when the response is fresh.
    case useStored(ageSeconds: Int, staleBySeconds: Int)
    /// Ask the origin whether the stored response is still valid, with these fields added to the request.
    case revalidate(conditions: HTTPFields)
    /// Ask the origin for the complete response.
    case fetch
    /// The network is needed but not allowed.
    case unsatisfiable(Reason)

    package enum Reason: Hashable, Sendable {
        /// Nothing is stored.
        case notStored
        /// A response is stored, and the server forbids its use without validation.
        case mustRevalidate
        /// The request says `only-if-cached`.
        case onlyIfCached
        /// A response is stored, and has been stale for longer than it may be served.
        case stale
    }

    /// Whether, and how, the network may be used.
    package enum Network: Hashable, Sendable {
        case available
        /// Nothing can be asked. Stale content is then better than none, unless its server forbids that (RFC 9111
        /// section 4.2.4).
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
