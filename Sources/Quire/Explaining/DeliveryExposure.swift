import Model
import OutboxStore

/// Where a discarded item may already have arrived.
package enum DeliveryExposure: Hashable, Sendable {
    /// A relay has it and will forward it.
    case kept(DeliveryMedium)
    /// It was sent, and the reply was lost.
    case mayHaveArrived

    package func words(_ language: Language) -> String {
        switch self {
        case .kept(let medium): medium.exposure(language)
        case .mayHaveArrived:
            language.text("the server may have it already")
        }
    }
}

extension QuireStore {
    /// Returns `nil` where no other program can have it.
    package func exposure(of item: OutboxItem) throws -> DeliveryExposure? {
        guard !item.status.isDraft, let receipt = try? outbox.receipt(item) else { return nil }
        if item.status.isWaiting, receipt.keptAt != nil { return .kept(medium) }
        // A rejected item was not accepted.
        return item.status.isWaiting && receipt.delivery?.mayHaveArrived == true ? .mayHaveArrived : nil
    }
}
