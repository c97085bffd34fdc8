import Model
import OutboxStore
import Sync
import Wording

/// The items that a sync would not send now, and why.
extension Explainer {
    /// Lists the finished and undelivered items that a sync would not send now, except those in `due` that nothing blocks.
    package func blockedItems(except due: Set<TestID>, _ language: Language = .english) throws -> [BlockedItem] {
        var found: [BlockedItem] = []
        let scan = try outbox.scan()
        let media = scan.items.filter { $0.kind == .media && $0.status.isWaiting }.compactMap { item in
            if case .media(let media)? = (try? outbox.readChange(item))?.change { media } else { nil }
        }
        let order = try sendingOrder(scan, media: media)
        // A test in `sending` waits as in `done`: its sending was interrupted, or it is sent right now.
        for item in scan.items where !item.status.isDraft && !item.status.isDelivered {
            var blocked = BlockedItem(id: item.id, kind: item.kind, status: item.status)
            do {
                guard let reason = try reason(item, isDue: due.contains(item.id), order, &blocked, language) else {
                    continue
                }
                blocked.reason = reason.isEmpty ? nil : reason
            } catch OutboxError.notFound {
                continue
            } catch let error as OutboxError {
                blocked.reason = error.description
            }
            found.append(blocked)
        }
        return found
    }

    /// - Returns: `nil` where nothing blocks it.
    private func reason(
        _ item: OutboxItem, isDue: Bool, _ order: SendingOrder, _ blocked: inout BlockedItem, _ language: Language
    ) throws -> String? {
        let modified: Timestamp
        let standing: NamingChanges.Standing
        if item.kind == .test {
            let stored = try outbox.read(item)
            (modified, standing) = (stored.modified, order.standing(ofTestOf: stored.record.questionnaire.id))
        } else {
            let stored = try outbox.readChange(item)
            if item.status.isWaiting, let path = try lostBytes(of: stored.change) {
                return language.text("its file is missed as \(path)")
            }
            (modified, standing) = (stored.modified, order.standing(of: stored.change))
        }
        if isDue, item.status.isWaiting { return nil }
        // A damaged record of attempts counts as none.
        let receipt = try? outbox.receipt(item)
        if item.status.isWaiting, receipt?.keptAt == nil, let obstacle = obstacle(standing, of: item.kind, language) {
            return obstacle
        }
        let due = DeliveryDecision.dueTime(modified, now: clock.now)
        if item.status.isWaiting, due > clock.now { blocked.notBefore = due }
        return receipt?.delivery?.reason(in: language) ?? (item.status.isWaiting ? "" : item.status.words(language))
    }
}
