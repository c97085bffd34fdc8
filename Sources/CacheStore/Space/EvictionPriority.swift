import Model
import Synchronization

/// Which content is evicted last or never. The owner of the cache decides.
package final class EvictionPriority: Sendable {
    /// Called before each eviction.
    let ownersProtection: @Sendable () throws -> Protection
    /// Content that is evicted last, in this order; called when it matters.
    let retained: @Sendable () throws -> [Digest]
    private let spared = Mutex<Set<String>>([])
    private let favoured = Mutex<(@Sendable (String) -> Bool)?>(nil)

    init(
        protection: @escaping @Sendable () throws -> Protection, retained: @escaping @Sendable () throws -> [Digest]
    ) {
        ownersProtection = protection
        self.retained = retained
    }

    /// Protects these URLs from eviction for other content, as long as this value lives: content that a hub keeps for
    /// the hours without its upstream. They replace the URLs of the previous call.
    package func spare(urls: Set<String>) { spared.withLock { $0 = urls } }

    /// The priority of content when there is no more room.
    package enum Standing: Sendable {
        /// Nothing is favoured: only the time of last use counts.
        case equal
        /// Evicted after all passing content, and only for other favoured content.
        case favoured
        /// Anyone may have requested it: it is evicted for everything, and never replaces favoured content.
        case passing
    }

    /// Favours the URLs for which this holds, as long as this value lives; all others are passing.
    package func favour(_ isFavoured: @escaping @Sendable (String) -> Bool) { favoured.withLock { $0 = isFavoured } }

    package func standing(of url: String) -> Standing {
        guard let isFavoured = favoured.withLock({ $0 }) else { return .equal }
        return isFavoured(url) ? .favoured : .passing
    }

    func protection() throws -> Protection {
        var protection = try ownersProtection()
        protection.urls.formUnion(spared.withLock { $0 })
        return protection
    }

    /// All content that is referenced from outside the cache.
    func keptContent() throws -> Set<Digest> { try protection().allContent.union(try retained()) }
}
