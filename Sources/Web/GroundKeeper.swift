import Disk
import Quire
import Sync
import Synchronization

/// The ground that the page stands on at the moment; it changes with the settings, whoever changed them.
final class GroundKeeper: Sendable {
    private let held: Mutex<PageGround>
    private let opening: PageGround.Opening
    private let isAutomatic: Bool
    /// One of those who find that the settings are other ones opens the store anew.
    private let reopening = Mutex(())

    init(_ ground: PageGround, _ opening: PageGround.Opening, isAutomatic: Bool) {
        self.opening = opening
        self.isAutomatic = isAutomatic
        held = Mutex(Self.ground(ground, isAutomatic))
    }

    private static func ground(_ made: PageGround, _ isAutomatic: Bool) -> PageGround {
        var ground = made
        ground.isAutomatic = isAutomatic
        return ground
    }

    var ground: PageGround { held.withLock { $0 } }

    /// The ground by the settings that lie in the store's folder now.
    ///
    /// - Throws: why the store cannot be opened by them; the ground stays what it was.
    func current() async throws -> PageGround {
        let former = try await offload { [self] in try renew() }
        await former?.shutdown()
        return ground
    }

    /// - Returns: the way that is not gone any more.
    private func renew() throws -> (any Remote)? {
        try reopening.withLock { _ in
            let former = ground
            guard try former.store.hasOtherSettings() else { return nil }
            let made = Self.ground(try opening.open(), isAutomatic)
            held.withLock { $0 = made }
            return former.remote
        }
    }
}
