/// One thing that is not as it should be.
public struct Finding: Sendable, Codable, Hashable {
    /// The kind of the finding, for scripts.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// A file or folder that does not belong there.
        case stranger
        /// A symbolic link, pipe, socket or device.
        case notAFile = "not-a-file"
        /// A copy that a syncing program made of a file that was changed on two machines.
        case conflictCopy = "conflict-copy"
        case hardLink = "hard-link"
        /// A folder of the store is not there.
        case missing
        case permissions
        case owner
        /// A file that cannot be read as what it is.
        case unreadable
        /// Content that is not what its name says.
        case damaged
        /// One test in several folders.
        case duplicate
        /// Something without what it belongs to.
        case orphan
        /// A temporary file whose writer is gone.
        case leftover
        /// A delivered test whose proof is missing or for other bytes.
        case receipt
        /// A test that was changed or put off.
        case changed
        /// Derived, and not what it was derived from.
        case derived
        case settings
        /// The token could be read by others.
        case token
        case quota
        case clock
        /// Where the store lies.
        case place
        case locks
        case space
        /// It could not be looked at.
        case unknown
    }

    public var kind: Kind
    /// The file or folder, below the store.
    public var path: String
    public var what: String
    public var advice: String
    /// Whether `doctor --repair` repaired it in this run.
    public var isRepaired: Bool
}
