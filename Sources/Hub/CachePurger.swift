import CacheStore
import Disk
import Model
import Quire
import Sync

/// Removes replaced versions: a cache without a quota would keep them for ever, and one with a quota would only make
/// room when it is full.
struct CachePurger: Sendable {
    private let cache: Cache
    private let clock: any StoreClock
    private let replacedBytes: @Sendable () -> Int64

    /// The disk space that passing content leaves free, also without a quota.
    static let leastFreeBytes: Int64 = 1 << 30
    /// Between two looks.
    static let pauseSeconds: Int64 = 60
    /// So much of no use is removed at the next look.
    static let mostReplacedBytes: Int64 = 64 << 20
    /// Useless content is removed after this many checks.
    static let mostPauses = 60

    init(store: QuireStore, cache: HTTPCache) {
        self.cache = store.cache
        clock = store.clock
        replacedBytes = { cache.statistics.bytesReplaced }
    }

    /// Runs until the task is cancelled. Starts with the rest of the hub's earlier run.
    func run() async {
        var removed: Int64 = -1
        var pauses = 0
        while !Task.isCancelled {
            let replaced = replacedBytes()
            if replaced - removed >= Self.mostReplacedBytes || removed < 0 || pauses >= Self.mostPauses {
                pauses = 0
                // A disk that fails here fails again at the next look; nothing depends on it.
                if replaced != removed { _ = try? await offload { try cache.space.removeUnreferencedBlobs() } }
                removed = replaced
            }
            _ = try? await offload { try cache.space.removePassing(leavingFree: Self.leastFreeBytes) }
            do { try await clock.sleep(for: .seconds(Self.pauseSeconds)) } catch { return }
            pauses += 1
        }
    }
}
