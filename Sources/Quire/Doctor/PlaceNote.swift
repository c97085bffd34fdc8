/// What is worth knowing about the location of a store and no fault. Its words are those of the library QuireWording.
package enum PlaceNote: Sendable, Hashable {
    /// It is removed with the container.
    case containerLayer
    /// Many machines empty it when they start.
    case temporaryFolder
}
