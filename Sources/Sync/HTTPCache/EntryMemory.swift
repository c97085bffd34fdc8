import CacheStore
import Disk
import HTTPCaching
import Model
import Synchronization
import SystemPackage

/// The cache's metadata for one URL, read once.
struct KnownResponses: Sendable {
    var path: FilePath
    var stamp: FileStamp?
    var stored: [CacheVariant] = []
    /// The same responses, with their parsed fields.
    var variants: [StoredVariant] = []
}

/// Entries in memory, so that a hit parses nothing: one look at the file shows whether it is unchanged.
final class EntryMemory: Sendable {
    /// The size of each of two generations: entries unused during a complete one are dropped. As many short documents
    /// as the hub has in memory fit, at two or three kilobytes each.
    private static let generation = 4000

    private struct Generations {
        var young: [String: KnownResponses] = [:]
        var old: [String: KnownResponses] = [:]
    }

    private let cache: Cache
    private let policy: CachePolicy
    private let generations = Mutex(Generations())

    init(cache: Cache, policy: CachePolicy) {
        self.cache = cache
        self.policy = policy
    }

    /// The responses known without opening a file; `nil` if one must be read.
    func current(_ url: String) -> KnownResponses? {
        let known = generations.withLock { generations -> KnownResponses? in
            if let known = generations.young[url] { return known }
            guard let known = generations.old.removeValue(forKey: url) else { return nil }
            Self.keep(known, url, in: &generations)
            return known
        }
        let path = known?.path ?? Cache.entryPath(url: url)
        // A fault of the disk is a miss; so is a missing file.
        guard let stamp = try? cache.stamp(ofEntryAt: path) else { return KnownResponses(path: path) }
        guard let known, known.stamp == stamp else { return nil }
        return known
    }

    /// Reads the entry. It blocks on the disk.
    func load(_ url: String) -> KnownResponses {
        var known = KnownResponses(path: Cache.entryPath(url: url))
        guard let found = try? cache.stampedEntry(url: url, at: known.path).value else { return known }
        // A local edit is not the origin's content.
        guard found.entry.edited == nil else { return known }
        known.stamp = found.stamp
        known.stored = found.entry.responses
        known.variants = known.stored.map { StoredVariant($0.response, policy: policy) }
        let read = known
        generations.withLock { Self.keep(read, url, in: &$0) }
        return known
    }

    private static func keep(_ known: KnownResponses, _ url: String, in generations: inout Generations) {
        if generations.young.count >= generation {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[url] = known
    }
}
