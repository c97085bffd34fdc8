import Model

/// What must not be evicted: pins, favourites, what drafts refer to, and URLs that are kept for times without network.
package struct Protection: Sendable {
    package var documentIDs: Set<String>
    package var digests: Set<Digest>
    /// Absolute, as they are in their entries.
    package var urls: Set<String>
    /// Content that stays though its entry may go: what finished tests that wait show, and the media of drafts.
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

    /// The URLs of the records that are protected: those that are named, the documents and their pictures and sounds.
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

/// What may go when something new needs room.
package enum EvictionPolicy: Sendable {
    /// The least recently used content that is not protected.
    case leastRecentlyUsed
    /// Only what the server no longer has: a pull of everything must not throw out one document for another.
    case onlyGone
    /// The least recently used of what a pull has not brought, and of that no more than a quarter of the quota in all: for
    /// content of which nobody knows how long it gets. Beyond that it takes what is free.
    case onlyResponses
    /// The least recently used of what merely passed by (``Cache/Standing``).
    case onlyPassing
    /// The same, and no more than a quarter of the quota in all: for content of which nobody knows how long it gets.
    case onlyPassingResponses
    /// Nothing: what is free has to do.
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
