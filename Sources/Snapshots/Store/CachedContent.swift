import CacheStore
import Disk
import Model
import Quire
import SystemPackage

/// The content of a store's cache that goes into a snapshot.
struct CachedContent {
    /// The versions that tests were taken with, and their media: no entry may name them any more.
    let versions: [CacheLayout.BlobName]
    /// Sorted.
    let entries: [FilePath]
    /// Files in the place of entries that are none or cannot be read.
    let damaged: [FilePath]

    var paths: [String] { versions.map(\.path.string) + entries.map(\.string) }

    /// - Parameter isComplete: everything that was fetched; otherwise what tests, pins and favourites refer to.
    init(of store: QuireStore, isComplete: Bool) throws {
        let references = try store.versionsOfTests()
        var versions: [FilePath: CacheLayout.BlobName] = [:]
        for reference in references {
            let document = try store.cache.storedContent(reference.digest, mediaType: "application/json")
            if let document { versions[document.path] = document }
            for medium in reference.media ?? [] {
                let blob = try store.cache.storedContent(medium.digest, mediaType: medium.mediaType)
                if let blob { versions[blob.path] = blob }
            }
        }
        self.versions = versions.values.sorted { $0.digest.hex < $1.digest.hex }
        let paths = try store.cache.entryPaths()
        let wanted =
            isComplete
            ? paths : try Self.needed(of: paths, in: store, references.reduce(into: []) { $0.formUnion($1.content) })
        let (cache, files) = (store.cache, store.fileSystem)
        let kinds = try wanted.concurrentMap { path -> Kind in
            guard let entry = try cache.entry(in: path) else {
                return try files.status(at: path)?.kind == .regular ? .damaged : .other
            }
            return entry.isPulled && !entry.primary.isPartial ? .pulled : .other
        }
        entries = zip(wanted, kinds).filter { $1 == .pulled }.map(\.0)
        damaged = zip(wanted, kinds).filter { $1 == .damaged }.map(\.0)
    }

    private enum Kind {
        case pulled, damaged
        /// Content that only passed through an HTTP cache, or parts: they can be fetched again. Or gone by now.
        case other
    }

    private static func needed(of paths: [FilePath], in store: QuireStore, _ content: Set<Digest>) throws -> [FilePath]
    {
        let protection = try store.protection()
        var urls = protection.urls
        for path in paths {
            guard let entry = try store.cache.entry(in: path) else { continue }
            let isNeeded = content.contains(entry.digest)
            if isNeeded { urls.insert(entry.url) }
            guard let document = entry.document, isNeeded || protection.documentIDs.contains(document.id) else {
                continue
            }
            urls.insert(entry.url)
            urls.formUnion(document.media)
        }
        return Set(urls.map { CacheLayout.entryPath(url: $0) }).intersection(paths).sorted { $0.string < $1.string }
    }
}
