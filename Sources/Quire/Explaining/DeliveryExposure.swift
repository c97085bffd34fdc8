import Model

/// Where a discarded item may already have arrived.
package enum DeliveryExposure: Hashable, Sendable {
    /// A relay has it and will forward it.
    case kept(DeliveryMedium)
    /// It was sent, and the reply was lost.
    case mayHaveArrived
}
