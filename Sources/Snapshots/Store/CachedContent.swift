import CacheStore
import Disk
import Model
import Quire
import SystemPackage

/// The content of a store's cache that goes into a snapshot.
struct CachedContent {
    /// The versions that tests were taken with, and their media: no entry may name them any more.
    let versions: [CacheLayout.BlobName]
    /// Paths of the entries' files, sorted. They are not read here, so some may not belong in a snapshot: reading each twice
    /// takes a tenth of the time of a save.
    let entries: [FilePath]

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
        let paths = try store.cache.transfer.entryPaths()
        entries =
            isComplete
            ? paths : try Self.needed(of: paths, in: store, references.reduce(into: []) { $0.formUnion($1.content) })
    }

    private static func needed(of paths: [FilePath], in store: QuireStore, _ content: Set<Digest>) throws -> [FilePath]
    {
        let protection = try store.protection()
        var urls = protection.urls
        for path in paths {
            guard let entry = try store.cache.transfer.entry(in: path) else { continue }
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
