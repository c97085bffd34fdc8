import Synchronization

/// Counts what an HTTP cache does.
final class CacheCounters: Sendable {
    private let values = Mutex(HTTPCache.Statistics())

    var statistics: HTTPCache.Statistics { values.withLock { $0 } }

    func count(_ change: (inout HTTPCache.Statistics) -> Void) { values.withLock { change(&$0) } }
}

extension HTTPCache {
    /// Counters since this value was made.
    package struct Statistics: Sendable, Hashable, Codable {
        package var requests = 0
        /// Answered without asking the origin.
        package var hits = 0
        /// Answered by the origin.
        package var misses = 0
        /// Answered from the cache after the origin had confirmed it.
        package var revalidated = 0
        /// The stale ones among those from the cache.
        package var staleServed = 0
        /// Requests that shared another one's answer.
        package var collapsed = 0
        /// Questions to the origin that failed.
        package var failures = 0
        /// Bytes of bodies from the cache.
        package var bytesFromCache: Int64 = 0
        /// Bytes of bodies from the origin.
        package var bytesFetched: Int64 = 0
        /// Stored bodies that newer ones replaced. Their files stay until a call of `CacheSpace.removeUnreferencedBlobs`: a
        /// reader may be in the middle of one.
        package var bytesReplaced: Int64 = 0
        package init() {}
    }
}
