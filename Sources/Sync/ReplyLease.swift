import Model
import Synchronization

/// For how long a reply from the cache answers the very same request: until the second is over whose Age it tells, or
/// something is changed that the cache holds of its URL.
///
/// Who serves many like requests may so keep a reply as it went out. What others change on the disk is seen when the
/// second is over.
public struct ReplyLease: Sendable {
    let second: Int64
    let version: UInt64
    let changes: URLVersions.Counter

    public func holds(at now: Timestamp) -> Bool {
        now.secondsSinceEpoch == second && changes.value.load(ordering: .acquiring) == version
    }
}

/// Counts the changes of what is stored, by URL; URLs may share a counter.
final class URLVersions: Sendable {
    final class Counter: Sendable {
        let value = Atomic<UInt64>(0)
    }

    private let counters: [Counter]

    init() { counters = (0..<256).map { _ in Counter() } }

    func of(_ url: String) -> Counter { counters[Int(UInt(bitPattern: url.hashValue) % UInt(counters.count))] }

    /// What is stored for this URL is another from now on.
    func noteChange(_ url: String) { of(url).value.add(1, ordering: .releasing) }
}
