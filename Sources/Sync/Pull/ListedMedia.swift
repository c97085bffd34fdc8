import CacheStore
import HTTPCaching
import Model

/// The local pictures, sounds and videos, compared with the server's list.
struct ListedMedia: Sendable {
    private let records: [String: CatalogRecord]
    private let digests: [String: Digest]
    private let cache: Cache
    private let now: Timestamp

    /// - Parameter records: the local ones, by URL.
    init(
        _ items: [QuestionnaireList.Item], records: [String: CatalogRecord], cache: Cache, now: Timestamp,
        listURL: String
    ) {
        self.records = records
        self.cache = cache
        self.now = now
        var digests: [String: Digest] = [:]
        for (reference, digest) in items.lazy.compactMap(\.mediaDigests).joined() {
            if let url = RemoteURL.resolve(reference, against: listURL) { digests[url] = digest }
        }
        self.digests = digests
    }

    /// The digest that the content of a URL has on the server; `nil` where nothing says so.
    func digest(of url: String) -> Digest? { digests[url] ?? Self.digest(inName: url) }

    /// A file of this name never changes.
    private static func digest(inName url: String) -> Digest? {
        let name = url.split(separator: "/", omittingEmptySubsequences: false).suffix(2).joined(separator: "/")
        return ContentPath(name)?.digest
    }

    /// Whether a file must be requested although its questionnaire is unchanged: it is missing, the server has another
    /// version, or the stored one is stale and only validation can decide (RFC 9111 section 4.2).
    func needs(_ url: String) throws -> Bool {
        guard let record = records[url], try isHere(record) else { return true }
        if let digest = digest(of: url) { return digest != record.digest }
        guard record.freshUntil <= now, let entry = try cache.entry(url: url).value else { return false }
        // Without a validator all of it would come again each time.
        return !Validators.conditions(for: entry.response).isEmpty
    }

    /// Whether a file of a questionnaire that is new or changed is to be asked for: unless it is known to be the same.
    func mayDiffer(_ url: String) throws -> Bool {
        guard let record = records[url], try isHere(record) else { return true }
        return digest(of: url) != record.digest
    }

    /// Whether a picture, sound or video is here, and not another response of an HTTP cache under its URL, such as a
    /// page that says it is missing. Reading the entry of each would take as long as everything else; such a page
    /// normally has another type.
    private func isHere(_ record: CatalogRecord) throws -> Bool {
        guard record.isPresent, !record.isPartial else { return false }
        // A part of a newer version is stored: it is resumed.
        if !record.otherBlobs.isEmpty, try cache.parts.arrivedBytes(url: record.url) != nil { return false }
        if ["image/", "audio/", "video/"].contains(where: record.mediaType.hasPrefix) { return true }
        return try cache.entry(url: record.url).value?.isPlainContent ?? false
    }
}
