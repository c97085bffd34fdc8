import Model
import Synchronization

/// The versions with which tests are just being begun: until its draft is there, nothing in the store says that
/// somebody needs such a version, and on a full disk the cache gives way to the very draft.
final class Beginnings: Sendable {
    private let counts = Mutex<[Digest: Int]>([:])

    var digests: Set<Digest> { counts.withLock { Set($0.keys) } }

    /// Makes a draft, and keeps its version until then.
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
