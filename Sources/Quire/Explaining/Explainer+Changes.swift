import Model
import OutboxStore
import Sync

/// The state of a questionnaire or a favourite on its way to the server.
extension Explainer {
    func explainChange(_ item: OutboxItem) throws -> Explanation {
        let file = store.path.pushing(item.path).string
        let stored: StoredChange
        do {
            stored = try outbox.readChange(item)
        } catch let error as OutboxError {
            if case .notFound = error { throw error }
            return .unreadable(item, error, file: file)
        }
        let change = stored.change
        // A damaged one is named by doctor.
        let receipt = try? outbox.receipt(item)
        var facts: [Explanation.Fact] = [.changed(change.action, change.dateChanged)]
        if case .questionnaire(let questionnaire) = change {
            if let base = questionnaire.base { facts.append(.base(etag: base.etag)) }
            if let after = questionnaire.after { facts.append(.after(after)) }
        }
        if case .media(let media) = change { facts += try mediaFacts(media, receipt) }
        if item.status.isWaiting, let keptAt = receipt?.keptAt { facts.append(.kept(since: keptAt, medium)) }
        if let delivery = receipt?.delivery, delivery.attempts > 0 { facts.append(.tried(delivery)) }
        if let received = receipt?.receivedAt {
            facts.append(.stored(received))
            if let published = receipt?.published, published.id != change.questionnaire {
                facts.append(.renamed(published.id))
            }
        }
        return Explanation(
            id: item.id, status: item.status, questionnaire: change.questionnaire, title: change.title,
            state: .init(item, receipt, medium), facts: facts, next: try next(stored, receipt).map { [$0] } ?? [],
            nextAttempt: try nextAttempt(stored), file: file)
    }

    private func mediaFacts(_ media: MediaChange, _ receipt: Receipt?) throws -> [Explanation.Fact] {
        var facts: [Explanation.Fact] = [.file(media), .owner(media)]
        if try outbox.media.hasBytes(media.digest) {
            facts.append(.bytes(path: store.path.pushing(OutboxLayout.mediaPath(media.digest)).string))
        } else {
            facts.append(receipt?.receivedAt == nil ? .bytesMissing : .bytesRemoved)
        }
        if receipt?.delivery?.upload != nil, receipt?.receivedAt == nil { facts.append(.partlyUploaded) }
        return facts
    }

    /// The next step of a change; `nil` where nothing is left to do.
    func next(_ stored: StoredChange, _ receipt: Receipt?) throws -> Explanation.Step? {
        let item = stored.item
        switch item.status {
        case .done where receipt?.keptAt != nil:
            // A folder may hold it together with the one that it is based on.
            let standing = try standing(of: stored.change)
            if item.kind == .questionnaire, case .refused = standing, let obstacle = obstacle(standing, of: item.kind) {
                return .obstacle(obstacle)
            }
            return .askMedium(medium)
        case .done:
            if let obstacle = obstacle(try standing(of: stored.change), of: item.kind) { return .obstacle(obstacle) }
            return try lostBytes(of: stored.change).map { .restore(path: $0) } ?? nextWhenDue(stored.modified, item.id)
        case .conflict, .rejected:
            let isDeleted = receipt?.published?.deleted == true && item.status == .conflict
            return .decide(decision(on: item), isDeletedThere: isDeleted)
        case .sent: return receipt?.digest == nil ? .askReceipt(item.kind) : nil
        default: return .sync
        }
    }

    /// When it is tried, where it is; `nil` where something else has to happen before.
    func nextAttempt(_ stored: StoredChange) throws -> Timestamp? {
        guard stored.item.status == .done, try standing(of: stored.change) == .ready,
            try lostBytes(of: stored.change) == nil
        else { return nil }
        return max(DeliveryDecision.dueTime(stored.modified, now: clock.now), clock.now)
    }

    /// Where the bytes of an attachment are missed that no server is known to have.
    func lostBytes(of change: OutgoingChange) throws -> String? {
        guard case .media(let media) = change, try testAttachments.isLost(media.digest) else { return nil }
        return store.path.pushing(OutboxLayout.mediaPath(media.digest)).string
    }

    /// The next step of an item that is sent automatically when due.
    func nextWhenDue(_ notBefore: Timestamp, _ id: TestID) -> Explanation.Step {
        DeliveryDecision.dueTime(notBefore, now: clock.now) > clock.now ? .retry(id, after: notBefore) : .sync
    }
}
