import Quire
import Sync

/// A store as its settings are now, with its remote.
package struct StoreContext: Sendable {
    package var store: QuireStore
    /// `nil` when the store has no remote.
    package var remote: (any Remote)?
    package var isOffline: Bool
    /// Opens the remote with another key than the device's; `nil` where the page cannot.
    package var remoteShowing: (@Sendable (String) throws -> any Remote)?
    /// Whether the remote is of a kind that may have class lists.
    package var hasPeople = false
    /// Whether the page sends and fetches on its own.
    var isAutomatic = true

    package init(store: QuireStore, remote: (any Remote)?, isOffline: Bool = false) {
        self.store = store
        self.remote = remote
        self.isOffline = isOffline
    }

    var connection: (isOnline: Bool, reason: String?) {
        isOffline ? (false, "--offline") : store.isOnline(remote)
    }

    var way: DeliveryWay { remote == nil ? .noServer : isAutomatic && !isOffline ? .byItself : .whenAsked }

    /// Opens store contexts. The program that serves the page supplies it because it knows the kinds of remotes.
    package struct Opening: Sendable {
        /// Opens the store as its settings are now. Blocks on the disk.
        package var open: @Sendable () throws -> StoreContext
        /// The fault of a remote's address, in a sentence; `nil` for a valid one.
        package var faultOfRemote: @Sendable (String) -> String?

        package init(
            open: @escaping @Sendable () throws -> StoreContext,
            faultOfRemote: @escaping @Sendable (String) -> String?
        ) {
            self.open = open
            self.faultOfRemote = faultOfRemote
        }
    }
}
