import Model
import OutboxStore
import Sync

/// The items that a sync would not send now, and why.
extension Explainer {
    /// Lists the finished and undelivered items that a sync would not send now, except those in `due` that nothing blocks.
    package func blockedItems(except due: Set<TestID>) throws -> [BlockedItem] {
        let scan = try outbox.scan()
        let media = scan.items.filter { $0.kind == .media && $0.status.isWaiting }.compactMap { item in
            if case .media(let media)? = (try? outbox.readChange(item))?.change { media } else { nil }
        }
        let order = try sendingOrder(scan, media: media)
        // A test in `sending` waits as in `done`: its sending was interrupted, or it is sent right now.
        return try scan.items.filter { !$0.status.isDraft && !$0.status.isDelivered }.compactMap { item in
            do {
                return try blocked(item, isDue: due.contains(item.id), order)
            } catch OutboxError.notFound {
                return nil
            } catch let error as OutboxError {
                return BlockedItem(item, .unreadable(error))
            }
        }
    }

    /// - Returns: `nil` where nothing blocks it.
    private func blocked(_ item: OutboxItem, isDue: Bool, _ order: SendingOrder) throws -> BlockedItem? {
        let modified: Timestamp
        let standing: NamingChanges.Standing
        if item.kind == .test {
            let stored = try outbox.read(item)
            (modified, standing) = (stored.modified, order.standing(ofTestOf: stored.record.questionnaire.id))
        } else {
            let stored = try outbox.readChange(item)
            if item.status.isWaiting, let path = try lostBytes(of: stored.change) {
                return BlockedItem(item, .bytesMissing(path: path))
            }
            (modified, standing) = (stored.modified, order.standing(of: stored.change))
        }
        if isDue, item.status.isWaiting { return nil }
        // A damaged record of attempts counts as none.
        let receipt = try? outbox.receipt(item)
        if item.status.isWaiting, receipt?.keptAt == nil, let obstacle = obstacle(standing, of: item.kind) {
            return BlockedItem(item, .obstacle(obstacle))
        }
        var blocked = BlockedItem(item, receipt?.delivery.map { .tried($0) })
        let due = DeliveryDecision.dueTime(modified, now: clock.now)
        if item.status.isWaiting, due > clock.now { blocked.notBefore = due }
        if !item.status.isWaiting, blocked.reason == nil { blocked.reason = .status(item.status) }
        return blocked
    }
}
