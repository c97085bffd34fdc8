/// A note about the location of a store, which is not a fault. Its words are in QuireWording.
package enum PlaceNote: Sendable, Hashable {
    /// It is removed with the container.
    case containerLayer
    /// Many machines empty it when they start.
    case temporaryFolder
}
