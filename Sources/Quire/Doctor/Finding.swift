/// One thing that is not as it should be. Its words are those of the library QuireWording.
public struct Finding: Sendable, Hashable {
    /// The kind of the finding, for scripts.
    package enum Kind: String, Sendable, Codable, CaseIterable {
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
        /// An unreadable file.
        case unreadable
        /// Content that does not match its name.
        case damaged
        /// One test in several folders.
        case duplicate
        /// A file whose owner is missing.
        case orphan
        /// A temporary file whose writer is gone.
        case leftover
        /// A delivered test whose proof is missing or for other bytes.
        case receipt
        /// A test that was changed or put off.
        case changed
        /// Derived data that does not match its source.
        case derived
        case settings
        /// The token could be read by others.
        case token
        case quota
        case clock
        /// The location of the store.
        case place
        case locks
        case space
        /// It could not be looked at.
        case unknown
    }

    /// The file or folder, below the store.
    public var path: String
    package var what: What
    /// Whether `doctor --repair` repaired it in this run.
    public var isRepaired: Bool = false
    /// Why the repair failed; `nil` where none was tried, and after one that did not fail.
    package var repairFault: String?

    package var kind: Kind { what.kind }
}
