import Model
import OutboxStore
import Quire
import Sync

/// The hub's report about itself: `/_hub/status` as JSON.
struct HubReport: Sendable, Encodable {
    struct Way: Sendable, Encodable {
        var url: String
        /// Absent before the first attempt.
        var isReachable: Bool?
        var since: Timestamp
        var reason: String?
    }

    /// Submissions from devices, of one kind.
    struct Writes: Sendable, Encodable {
        /// Kept here and not forwarded yet.
        var waiting: Int
        var delivered: Int
        /// Rejected by the upstream, or in conflict: a test waits for a person, a change until its device is informed.
        var rejected: Int
        var conflicts: Int
        /// Why the last attempt to forward failed on this machine.
        var fault: String?

        init(_ items: [OutboxItem], fault: String? = nil) {
            func count(_ statuses: TestStatus...) -> Int { items.count { statuses.contains($0.status) } }
            waiting = count(.done, .sending)
            delivered = items.count { $0.status.isDelivered }
            rejected = count(.rejected)
            conflicts = count(.conflict)
            self.fault = fault
        }
    }

    struct Storage: Sendable, Encodable {
        var bytes: Int64
        var entries: Int
        var quotaBytes: Int64?
    }

    struct Keeping: Sendable, Encodable {
        /// The URLs kept fresh for times without the upstream.
        var urls: Int
        /// Those that the last round could not fetch.
        var missing: Int
        var lastRound: Timestamp?
    }

    var name = HubProblem.cacheName
    var now: Timestamp
    var startedAt: Timestamp
    var upstream: Way
    var tests: Writes
    /// Those that were created, edited and deleted on devices.
    var questionnaires: Writes
    var favorites: Writes
    /// Files that belong to tests.
    var attachments: Writes
    var cache: HTTPCache.Statistics
    var storage: Storage
    var keeping: Keeping
    /// Who has handed in what.
    var handedIn: HubStandings.Report
    /// What phones handed over, encrypted.
    var drafts: DraftReport
    var activeRequests: Int
}

/// Gathers the report from the hub's parts.
struct HubReporter: Sendable {
    let store: QuireStore
    let upstream: Upstream
    let cache: HTTPCache
    let queue: ForwardingQueue
    let prefetcher: Prefetcher
    let drafts: DraftStore
    let startedAt: Timestamp
    /// Whether the room sees the class list.
    var showsPeople = false
    private let tests = HubTestIndex()

    /// Blocks on the disk.
    func report(activeRequests: Int) throws -> HubReport {
        let items = try store.outbox.scan().items
        let knowledge = upstream.presence.knowledge
        let people = try HubStandings.keptPeople(store)
        let storage = try store.cache.space.briefStatistics()
        return HubReport(
            now: store.clock.now, startedAt: startedAt,
            upstream: .init(
                url: upstream.address.base, isReachable: knowledge.isReachable, since: knowledge.since,
                reason: knowledge.reason),
            tests: .init(items.filter { $0.kind == .test }, fault: queue.lastFault),
            questionnaires: .init(items.filter { $0.kind == .questionnaire }),
            favorites: .init(items.filter { $0.kind == .favorite }),
            attachments: .init(items.filter { $0.kind == .media }),
            cache: cache.statistics,
            storage: .init(
                bytes: storage.bytes + storage.indexBytes, entries: storage.entries,
                quotaBytes: store.cache.totalQuotaBytes),
            keeping: prefetcher.state,
            handedIn: .init(
                HubStandings(people, try tests.tests(of: store)), withNames: showsPeople),
            drafts: DraftReport(drafts.summary, names: showsPeople ? people : nil),
            activeRequests: activeRequests)
    }
}
