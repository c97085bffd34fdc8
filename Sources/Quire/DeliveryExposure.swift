import Model
import OutboxStore

/// Where a discarded item may already have arrived.
public enum DeliveryExposure: Hashable, Sendable {
    /// A relay has it and will forward it.
    case kept(Keeper)
    /// It was sent, and the reply was lost.
    case mayHaveArrived

    public func words(_ language: Language) -> String {
        switch self {
        case .kept(.hub):
            language.pick("the hub already has it and will deliver it", "он уже на узле, и узел передаст его дальше")
        case .kept(.folder):
            language.pick(
                "it is already in the folder, and the host will collect it from there",
                "он уже в папке, и сервер заберёт его оттуда")
        case .mayHaveArrived:
            language.pick("the server may have it already", "он, возможно, уже на сервере")
        }
    }
}

extension QuireStore {
    /// Returns `nil` where no other program can have it.
    public func exposure(of item: OutboxItem) throws -> DeliveryExposure? {
        guard !item.status.isDraft, let receipt = try? outbox.receipt(item) else { return nil }
        if item.status.isWaiting, receipt.keptAt != nil { return .kept(keeper) }
        // What was refused was not taken.
        return item.status.isWaiting && receipt.delivery?.mayHaveArrived == true ? .mayHaveArrived : nil
    }
}
