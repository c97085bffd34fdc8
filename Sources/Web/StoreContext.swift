import Quire
import Sync

/// A store as its settings are now, with its remote.
public struct StoreContext: Sendable {
    public var store: QuireStore
    /// `nil` when the store has no remote.
    public var remote: (any Remote)?
    public var isOffline: Bool
    /// Whether the page sends and fetches on its own.
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

    /// Opens store contexts. The program that serves the page supplies it because it knows the kinds of remotes.
    public struct Opening: Sendable {
        /// Opens the store as its settings are now. Blocks on the disk.
        public var open: @Sendable () throws -> StoreContext
        /// What is wrong with an address of a remote, in a sentence; `nil` when nothing is.
        public var faultOfRemote: @Sendable (String) -> String?

        public init(
            open: @escaping @Sendable () throws -> StoreContext,
            faultOfRemote: @escaping @Sendable (String) -> String?
        ) {
            self.open = open
            self.faultOfRemote = faultOfRemote
        }
    }
}
