import Model

/// Content that must not be evicted: pins, favourites, versions of drafts, and URLs kept for times without network.
package struct Protection: Sendable {
    package var documentIDs: Set<String>
    package var digests: Set<Digest>
    /// Absolute, as in their entries.
    package var urls: Set<String>
    /// Content that stays although its entry may be evicted: the content of waiting finished tests, and the media of
    /// drafts.
    package var content: Set<Digest>

    package init(
        documentIDs: Set<String> = [], digests: Set<Digest> = [], urls: Set<String> = [], content: Set<Digest> = []
    ) {
        self.documentIDs = documentIDs
        self.digests = digests
        self.urls = urls
        self.content = content
    }

    /// All content that must stay.
    var allContent: Set<Digest> { content.isEmpty ? digests : digests.union(content) }

    package static let nothing = Protection()

    /// The URLs of the protected records: those that are named, the documents and their media.
    func urls(among records: [CatalogRecord]) -> Set<String> {
        var urls = urls
        for record in records {
            guard let document = record.document, documentIDs.contains(document.id) || digests.contains(record.digest)
            else { continue }
            urls.insert(record.url)
            urls.formUnion(document.media)
        }
        return urls
    }
}

/// The entries that may be evicted for new content.
package enum EvictionPolicy: Sendable {
    /// The least recently used content that is not protected.
    case leastRecentlyUsed
    /// Only content that the server no longer has: a pull must not replace one document with another.
    case onlyGone
    /// The least recently used content that was not pulled, and at most a quarter of the quota in total: for content of
    /// unknown length. Beyond that only free space is used.
    case onlyResponses
    /// The least recently used passing content (``EvictionPriority/Standing``).
    case onlyPassing
    /// The same, and at most a quarter of the quota in total: for content of unknown length.
    case onlyPassingResponses
    /// Nothing: only free space is used.
    case nothing

    /// For content of unknown length.
    var isBounded: Bool { self == .onlyResponses || self == .onlyPassingResponses }

    /// When the length is known.
    var atEnd: EvictionPolicy {
        switch self {
        case .onlyResponses: .leastRecentlyUsed
        case .onlyPassingResponses: .onlyPassing
        default: self
        }
    }
}
