import Model
import Synchronization

/// The versions with which a test is about to start.
///
/// Until its draft is stored, nothing on disk refers to such a version, and the cache could evict it to make room for
/// that same draft.
final class ReservedVersions: Sendable {
    private let counts = Mutex<[Digest: Int]>([:])

    var digests: Set<Digest> { counts.withLock { Set($0.keys) } }

    /// Protects the version from eviction while the draft is written.
    func keeping<Made>(_ digest: Digest, _ make: () throws -> Made) rethrows -> Made {
        counts.withLock { $0[digest, default: 0] += 1 }
        defer {
            counts.withLock { counts in
                let left = counts[digest, default: 1] - 1
                counts[digest] = left > 0 ? left : nil
            }
        }
        return try make()
    }
}
