import Quire
import Sync

/// What the page stands on: a store, and the way to its remote.
public struct PageGround: Sendable {
    public var store: QuireStore
    /// `nil` when the store has no remote.
    public var remote: (any Remote)?
    public var isOffline: Bool
    /// The page sends and fetches without being asked.
    var isAutomatic = true

    public init(store: QuireStore, remote: (any Remote)?, isOffline: Bool = false) {
        self.store = store
        self.remote = remote
        self.isOffline = isOffline
    }

    var connection: (isOnline: Bool, reason: String?) {
        isOffline ? (false, "--offline") : store.isOnline(remote)
    }

    var way: DeliveryWay { remote == nil ? .noServer : isAutomatic && !isOffline ? .byItself : .whenAsked }

    /// How the ground is made. Whoever serves the page knows the kinds of remotes.
    public struct Opening: Sendable {
        /// Opens the store as its settings are now. Blocks on the disk.
        public var open: @Sendable () throws -> PageGround
        /// What is wrong with an address of a remote, in a sentence; `nil` when nothing is.
        public var faultOfRemote: @Sendable (String) -> String?

        public init(
            open: @escaping @Sendable () throws -> PageGround,
            faultOfRemote: @escaping @Sendable (String) -> String?
        ) {
            self.open = open
            self.faultOfRemote = faultOfRemote
        }
    }
}
