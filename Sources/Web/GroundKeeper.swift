import Synchronization

/// The ground that the page stands on at the moment; it changes with the settings.
final class GroundKeeper: Sendable {
    private let held: Mutex<PageGround>

    init(_ ground: PageGround) { held = Mutex(ground) }

    var ground: PageGround { held.withLock { $0 } }

    func change(to ground: PageGround) { held.withLock { $0 = ground } }
}
