import Model
import Synchronization

/// Decompressed content in memory, limited in bytes, evicted by least recent use: for long-running processes.
///
/// An item is used only while the file on disk is unchanged (same inode, length and time), so an edit or an eviction is
/// noticed as if there were no memory tier.
final class MemoryTier: Sendable {
    private struct Item {
        var bytes: [UInt8]
        var stamp: FileStamp
        var lastUse: UInt64
    }

    private struct State {
        var items: [Digest: Item] = [:]
        /// Uses in their order; a use followed by a later one is skipped when its turn comes.
        var uses: [(digest: Digest, use: UInt64)] = []
        var firstUse = 0
        var counter: UInt64 = 0
        var sizeBytes = 0
    }

    private let capacityBytes: Int
    private let state = Mutex(State())

    init(capacityBytes: Int) { self.capacityBytes = capacityBytes }

    func bytes(_ digest: Digest, stamp: FileStamp) -> [UInt8]? {
        state.withLock { state in
            guard let item = state.items[digest] else { return nil }
            guard item.stamp == stamp else {
                state.items[digest] = nil
                state.sizeBytes -= item.bytes.count
                return nil
            }
            MemoryTier.use(digest, in: &state)
            return item.bytes
        }
    }

    func keep(_ bytes: [UInt8], digest: Digest, stamp: FileStamp) {
        // One large item must not evict everything else.
        guard bytes.count <= capacityBytes / 4 else { return }
        state.withLock { state in
            if let old = state.items[digest] { state.sizeBytes -= old.bytes.count }
            state.items[digest] = Item(bytes: bytes, stamp: stamp, lastUse: 0)
            state.sizeBytes += bytes.count
            MemoryTier.use(digest, in: &state)
            while state.sizeBytes > capacityBytes, state.firstUse < state.uses.count {
                let (oldest, use) = state.uses[state.firstUse]
                state.firstUse += 1
                guard let item = state.items[oldest], item.lastUse == use else { continue }
                state.items[oldest] = nil
                state.sizeBytes -= item.bytes.count
            }
        }
    }

    private static func use(_ digest: Digest, in state: inout State) {
        state.counter += 1
        state.items[digest]?.lastUse = state.counter
        state.uses.append((digest, state.counter))
        // The list of uses is pruned before it outgrows its items.
        if state.uses.count > 64 + 4 * state.items.count {
            state.uses = state.uses[state.firstUse...].filter { state.items[$0.digest]?.lastUse == $0.use }
            state.firstUse = 0
        }
    }
}
