import Disk
import Quire
import Sync
import Synchronization

/// Provides the store context of the current settings, which another program may change at any time.
final class StoreContextProvider: Sendable {
    private let held: Mutex<StoreContext>
    private let opening: StoreContext.Opening
    private let isAutomatic: Bool
    /// Held while the store is reopened, so that changed settings reopen it once.
    private let reopening = Mutex(())

    init(_ context: StoreContext, _ opening: StoreContext.Opening, isAutomatic: Bool) {
        self.opening = opening
        self.isAutomatic = isAutomatic
        held = Mutex(Self.configured(context, isAutomatic))
    }

    private static func configured(_ made: StoreContext, _ isAutomatic: Bool) -> StoreContext {
        var context = made
        context.isAutomatic = isAutomatic
        return context
    }

    var storeContext: StoreContext { held.withLock { $0 } }

    /// Returns the context after reading the settings file once more.
    ///
    /// - Throws: The reason why the store cannot be opened with them; the context is unchanged then.
    func current() async throws -> StoreContext {
        let former = try await offload { [self] in try renew() }
        await former?.shutdown()
        return storeContext
    }

    /// - Returns: The former remote, to be shut down, if the context was replaced.
    private func renew() throws -> (any Remote)? {
        try reopening.withLock { _ in
            let former = storeContext
            guard try former.store.hasOtherSettings() else { return nil }
            let made = Self.configured(try opening.open(), isAutomatic)
            made.store.limitClock.takeOver(from: former.store.limitClock)
            held.withLock { $0 = made }
            return former.remote
        }
    }
}
