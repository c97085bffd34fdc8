import CacheStore
import Disk
import Model
import OutboxStore

/// The questionnaires as they were changed on this device, and the two ids of those that were made here.
///
/// Waiting changes count at once, as if they had been sent; sent changes count until the cache has them.
package struct LocalQuestionnaires: Sendable {
    /// The latest change of one questionnaire.
    package struct Local: Sendable, Hashable {
        package var stored: StoredChange
        package var change: QuestionnaireChange
        /// The server's id, learned from a receipt.
        package var serverId: String?
        /// The digests that the server's document had before the latest change.
        var formerDigests: Set<Digest> = []
        /// The digest that it has since, where the server has acknowledged it.
        var digest: Digest?
        /// Attempts that did not end in an acknowledgement.
        package var delivery: Receipt.Delivery?
        /// Whether a hub has it and has not forwarded it yet.
        package var isKept = false
        /// Whether it was made on this device; then the cache may not have had it yet.
        package var isMadeHere: Bool

        package var status: TestStatus { stored.item.status }
        package var isDeletion: Bool { change.action == .delete }

        /// Whether a complete list was fetched since its delivery: if the cache does not have it then, it was deleted
        /// elsewhere.
        var isListedSince = false

        /// Whether this is the version to show, although the cache has a document of this digest.
        func counts(beside cached: Digest?) -> Bool {
            guard status.isDelivered else { return true }
            guard let cached else { return !isListedSince }
            return formerDigests.contains(cached)
        }
    }

    /// By the permanent ids.
    package private(set) var all: [String: Local] = [:]
    private var permanentIDs: [String: String] = [:]

    /// - Parameter listedAt: when the server was last asked for all that it has.
    init(outbox: Outbox, listedAt: () -> Timestamp?) throws {
        // Read only where it matters.
        lazy var listedAt = listedAt()
        for stored in try outbox.changes(.questionnaire) {
            guard case .questionnaire(let change) = stored.change else { continue }
            let former = all[change.questionnaire]
            let receipt = try? outbox.receipt(stored.item)
            var local = Local(
                stored: stored, change: change, serverId: former?.serverId,
                isMadeHere: former?.isMadeHere ?? (change.action == .create))
            local.formerDigests = former?.formerDigests ?? []
            local.formerDigests.formUnion(change.base?.digests ?? [])
            if let digest = former?.digest { local.formerDigests.insert(digest) }
            local.delivery = receipt?.delivery
            local.isKept = stored.item.status.isWaiting && receipt?.keptAt != nil
            if stored.item.status.isDelivered, local.isMadeHere, let listedAt,
                let deliveredAt = try? outbox.receiptTime(stored.item)
            {
                local.isListedSince = deliveredAt < listedAt
            }
            if stored.item.status.isDelivered, let published = receipt?.published {
                local.digest = published.digest
                if published.id != change.questionnaire {
                    local.serverId = published.id
                    permanentIDs[published.id] = change.questionnaire
                }
            }
            all[change.questionnaire] = local
        }
    }

    /// The permanent id of a questionnaire, whichever of its ids is given.
    package func permanentID(_ id: String) -> String { permanentIDs[id] ?? id }

    package func local(_ id: String) -> Local? { all[permanentID(id)] }

    /// The id under which the server, and so the cache, knows a questionnaire.
    package func serverID(_ id: String) -> String { local(id)?.serverId ?? id }
}

extension QuireStore {
    package func localQuestionnaires() throws -> LocalQuestionnaires {
        try LocalQuestionnaires(outbox: outbox) { journal.contact()?.lastListing }
    }
}
