import Model
import OutboxStore

extension SendingOrder.Contents {
    /// Reads what the order depends on beside the waiting changes.
    ///
    /// - Parameters:
    ///   - changes: the waiting changes of questionnaires and favourites.
    ///   - media: the attachments whose standing will be asked for.
    init(_ changes: [StoredChange], _ media: [MediaChange], _ scan: OutboxScan, _ outbox: Outbox) throws {
        var referred = Set(media.compactMap(\.owner.test))
        var waiting: [Change] = []
        for stored in changes {
            var change = Change(
                item: stored.item, questionnaire: stored.change.questionnaire, action: stored.change.action,
                sequence: stored.change.sequence)
            if case .questionnaire(let questionnaire) = stored.change { change.after = questionnaire.after }
            if let after = change.after { referred.insert(after) }
            waiting.append(change)
        }
        let items = Dictionary(
            scan.items.filter { referred.contains($0.id) }.map { ($0.id, $0) },
            uniquingKeysWith: { $0.status.advancement >= $1.status.advancement ? $0 : $1 })
        let withReceipt = Set(scan.receipts.map(\.id))
        let kept = (changes.map(\.item) + items.values).filter { item in
            // A damaged receipt counts as none.
            item.status.isWaiting && withReceipt.contains(item.id) && (try? outbox.receipt(item))?.keptAt != nil
        }
        let published = items.compactMapValues { item in
            item.kind == .questionnaire && item.status.isDelivered ? (try? outbox.receipt(item))?.published : nil
        }
        self.init(
            changes: waiting, items: items, kept: Set(kept.map(\.id)), published: published,
            // Documents are long: they are read only where a file of a questionnaire waits.
            naming: media.contains { $0.owner.path != nil } ? try outbox.namingChanges() : NamingChanges())
    }
}

extension Outbox {
    /// Reads the order for a scan of the outbox. Changes that cannot be read are left out: doctor names them.
    ///
    /// - Parameter media: the attachments whose standing will be asked for.
    package func sendingOrder(
        _ scan: OutboxScan, media: [MediaChange] = [], keepsSuccessors: Bool, assuming delivered: Set<TestID> = []
    ) throws -> SendingOrder {
        let changes = scan.items.filter { $0.isWaitingInOrder }.compactMap { try? readChange($0) }
        return SendingOrder(
            try .init(changes, media, scan, self), keepsSuccessors: keepsSuccessors, assuming: delivered)
    }
}

extension OutboxItem {
    /// A waiting change of a questionnaire or a favourite.
    var isWaitingInOrder: Bool { status.isWaiting && (kind == .questionnaire || kind == .favorite) }
}
