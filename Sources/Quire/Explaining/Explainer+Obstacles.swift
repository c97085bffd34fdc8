import Model
import OutboxStore
import Sync

/// Why an item waits for another one that is sent first.
extension Explainer {
    /// The order in which the outbox is sent now.
    ///
    /// - Parameter media: the attachments whose standing will be asked for.
    func sendingOrder(_ scan: OutboxScan? = nil, media: [MediaChange] = []) throws -> SendingOrder {
        try outbox.sendingOrder(try scan ?? outbox.scan(), media: media, keepsSuccessors: medium.keepsSuccessors)
    }

    /// Returns whether a change may be sent, regardless of its time, or its obstacle.
    package func standing(of change: OutgoingChange) throws -> NamingChanges.Standing {
        var media: [MediaChange] = []
        if case .media(let attached) = change { media = [attached] }
        return try sendingOrder(media: media).standing(of: change)
    }

    /// The obstacle of an item of this kind; `nil` without one.
    func obstacle(_ standing: NamingChanges.Standing, of kind: OutboxKind) -> SendingObstacle? {
        switch standing {
        case .ready: nil
        case .unwanted: .unwanted
        // A damaged receipt is named by doctor.
        case .refused(let owner): .undecided(owner, (try? outbox.receipt(owner))?.delivery, decision(on: owner))
        case .waiting(let owner): owner.kind == kind && kind != .test ? .predecessor(owner) : .owner(owner)
        }
    }

    /// How a person decides about an item that was rejected, or is in conflict.
    func decision(on item: OutboxItem) -> SendingDecision {
        guard item.kind == .questionnaire, item.status == .conflict else { return .retry(item.id) }
        // One that cannot be read is named by doctor.
        let conflict = (try? outbox.conflicts.all())?.first { $0.stored.item == item }
        return .resolve(item.id, conflict?.choices ?? ConflictChoice.allCases)
    }
}
