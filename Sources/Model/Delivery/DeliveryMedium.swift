/// A place that holds submissions between a device and the server, such as a hub or a folder. Each kind of remote has one
/// (`RemoteKind` in Remotes); Wording has its words.
package struct DeliveryMedium: Hashable, Sendable {
    /// The name that its words are listed by, such as `folder`.
    package var name: String
    /// Whether it holds a change together with the one that follows it.
    package var keepsSuccessors: Bool

    package init(name: String, keepsSuccessors: Bool) {
        self.name = name
        self.keepsSuccessors = keepsSuccessors
    }

    /// For a server, and for a store whose remote has no medium of its own.
    package static let hub = DeliveryMedium(name: "hub", keepsSuccessors: false)
}
