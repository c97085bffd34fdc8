import Model
import OutboxStore
import Wording

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
