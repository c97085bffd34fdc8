import Model
import OutboxStore
import Quire
import Sync

/// The state that every open page shows changing without a reload.
struct LiveState: Sendable, Equatable {
    var isOnline = false
    var reason: String?
    var way = DeliveryWay.byItself
    var isSending = false
    var isPulling = false
    var lastSync: Timestamp?
    var lastPull: Timestamp?
    /// The failure of the last contact.
    var trouble: Contact.Trouble?
    /// Tests that the server was found not to have any more.
    var missing = 0
    /// The people who share the device.
    var people = People.State()
    /// Of the tests in the outbox and of those that are missing, those of people who are not there.
    var hidden: Set<TestID> = []
    /// Tests that are not drafts, by their statuses.
    var statuses: [TestID: TestStatus] = [:]
    /// Changes of questionnaires and favourites that no server has acknowledged, by their statuses.
    var changes: [TestID: TestStatus] = [:]
    var drafts = 0
    /// Drafts and their times, the cache's size: the other content of lists.
    var traces: [String] = []
    /// The next time at which a waiting item becomes due; in the past if one is due.
    var nextDue: Timestamp?

    var waiting: Int { [statuses, changes].reduce(0) { $0 + $1.values.count { $0.isWaiting } } }
    var needingDecision: Int {
        [statuses, changes].reduce(0) { $0 + $1.values.count { $0 == .conflict || $0 == .rejected } }
    }
    /// What the outbox shows to the current person, without drafts.
    var shownInOutbox: Int { max(0, waiting + needingDecision + missing - hidden.count) }
    var isBeingSent: Bool { [statuses, changes].contains { $0.values.contains(.sending) } }
    var awaitingRating: Int { statuses.values.count { $0.awaitsRating } }

    /// Changes with the content of lists; equal for equal states, also after a restart.
    var version: String {
        var text = "\(isOnline) \(way) \(reason ?? "") \(lastSync?.millisecondsSinceEpoch ?? 0)\n"
        text += "\(trouble?.rawValue ?? "") \(missing)\n"
        for (id, status) in statuses.merging(changes, uniquingKeysWith: { $1 }).sorted(by: { $0.key < $1.key }) {
            text += "\(id) \(status.rawValue)\n"
        }
        text += people.people.map { "\($0.id) \($0.fullName) \($0.id == people.current?.id)\n" }.joined()
        text += traces.joined(separator: "\n")
        return String(Digest(sha256Of: Array(text.utf8)).hex.prefix(16))
    }

    /// More drafts than this are watched by their names alone.
    private static let mostReadDrafts = 64

    /// Looks at the store. Blocks on the disk.
    static func look(at storeContext: StoreContext) throws -> LiveState {
        let store = storeContext.store
        var state = LiveState()
        (state.isOnline, state.reason) = storeContext.connection
        state.way = storeContext.way
        let contact = store.journal.contact()
        state.lastSync = contact?.lastSync
        state.lastPull = contact?.lastPull
        state.trouble = contact?.trouble
        let items = try store.outbox.scan().items
        let lost = Set(store.journal.missing()?.tests ?? [])
        state.missing = items.count { $0.status.isDelivered && lost.contains($0.id) }
        state.people = try store.people.state()
        let shown = ShownTests(state.people)
        for item in items where shown.isShared && item.kind == .test && !item.status.isDraft {
            guard !item.status.isDelivered || lost.contains(item.id) else { continue }
            if let record = store.outbox.listed(item)?.record, !shown.includes(record) {
                state.hidden.insert(item.id)
            }
        }
        for item in items {
            if item.kind != .test {
                state.changes[item.id] = item.status.isDelivered ? nil : item.status
            } else if item.status.isDraft {
                state.drafts += 1
            } else {
                state.statuses[item.id] = item.status
            }
        }
        for item in items where item.status.isDraft && state.drafts <= mostReadDrafts || item.status == .done {
            // Gone in this moment, or no test: the next look sees it.
            guard let modified = try? modified(item, store.outbox) else { continue }
            if item.status == .done {
                let due = DeliveryDecision.dueTime(modified, now: store.clock.now)
                state.nextDue = min(state.nextDue ?? due, due)
            }
            state.traces.append("\(item.id) \(modified.millisecondsSinceEpoch)")
        }
        let cache = try store.cache.space.briefStatistics()
        state.traces.append("\(cache.entries) \(cache.bytes)")
        return state
    }

    private static func modified(_ item: OutboxItem, _ outbox: Outbox) throws -> Timestamp {
        item.kind == .test ? try outbox.read(item).modified : try outbox.readChange(item).modified
    }
}

/// An event without a person's action that is worth a notice.
struct LiveNotice: Sendable, Hashable {
    var test: TestID
    var status: TestStatus
}
