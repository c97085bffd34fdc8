import Model
import OutboxStore
import Quire
import Sync

/// What the hub tells about itself: `/_hub/status` as JSON.
struct HubReport: Sendable, Encodable {
    struct Way: Sendable, Encodable {
        var url: String
        /// Absent before the first attempt.
        var isReachable: Bool?
        var since: Timestamp
        var reason: String?
    }

    struct Tests: Sendable, Encodable {
        /// Kept here and not yet handed on.
        var waiting: Int
        var delivered: Int
        /// Refused by the upstream, or other bytes are there: they wait for a person.
        var rejected: Int
        var conflicts: Int
        /// Why the last attempt to hand on failed on this machine.
        var fault: String?
    }

    struct Storage: Sendable, Encodable {
        var bytes: Int64
        var entries: Int
        var quotaBytes: Int64?
    }

    struct Keeping: Sendable, Encodable {
        /// What is kept fresh for times without the upstream.
        var urls: Int
        /// Those that could not be brought the last time.
        var missing: Int
        var lastRound: Timestamp?
    }

    var name = HubProblem.cacheName
    var now: Timestamp
    var startedAt: Timestamp
    var upstream: Way
    var tests: Tests
    var cache: HTTPCache.Statistics
    var storage: Storage
    var keeping: Keeping
    var activeRequests: Int
}

/// Gathers the report from the hub's parts.
struct HubReporter: Sendable {
    let store: QuireStore
    let upstream: Upstream
    let cache: HTTPCache
    let queue: ForwardingQueue
    let keeper: OfflineKeeper
    let startedAt: Timestamp

    /// Blocks on the disk.
    func report(activeRequests: Int) throws -> HubReport {
        let counts = try store.outbox.counts()
        func count(_ statuses: TestStatus...) -> Int { statuses.reduce(0) { $0 + counts[$1, default: 0] } }
        let knowledge = upstream.presence.knowledge
        let storage = try store.cache.briefStatistics()
        return HubReport(
            now: store.clock.now, startedAt: startedAt,
            upstream: .init(
                url: upstream.address.base, isReachable: knowledge.isReachable, since: knowledge.since,
                reason: knowledge.reason),
            tests: .init(
                waiting: count(.done, .sending), delivered: count(.sent, .checking, .rated),
                rejected: count(.rejected), conflicts: count(.conflict), fault: queue.lastFault),
            cache: cache.statistics,
            storage: .init(bytes: storage.bytes, entries: storage.entries, quotaBytes: store.cache.quotaBytes),
            keeping: keeper.state, activeRequests: activeRequests)
    }
}
