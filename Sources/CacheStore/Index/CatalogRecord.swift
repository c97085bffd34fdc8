import Disk
import HTTPCaching
import Model

/// One line of a listing: an entry without its header fields, made without parsing a document.
///
/// There may be a hundred thousand, sorted and filtered: the constant parts of one are shared by its copies.
package struct CatalogRecord: Hashable, Sendable {
    /// The facts from the entry.
    struct Facts: Hashable, Sendable {
        var entryName: String
        var url: String
        var blob: CacheLayout.BlobName
        var otherBlobs: [CacheLayout.BlobName] = []
        var mediaType: String
        var sizeBytes: Int
        var responseTime: Timestamp
        var freshUntil: Timestamp
        var isEdited = false
        var isGone = false
        var isPartial = false
        var document: DocumentSummary?
        var foldedTitle = ""
        var sortKey = ""
    }

    private final class Shared: Sendable {
        let facts: Facts

        init(_ facts: Facts) { self.facts = facts }
    }

    private let shared: Shared
    var entryStamp: FileStamp
    var blobStamp: FileStamp?

    init(_ facts: Facts, entryStamp: FileStamp, blobStamp: FileStamp?) {
        shared = Shared(facts)
        self.entryStamp = entryStamp
        self.blobStamp = blobStamp
    }

    package static func == (left: CatalogRecord, right: CatalogRecord) -> Bool {
        left.entryStamp == right.entryStamp && left.blobStamp == right.blobStamp
            && (left.shared === right.shared || left.facts == right.facts)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(facts.entryName)
        hasher.combine(entryStamp)
    }

    var facts: Facts { shared.facts }

    package var entryName: String { shared.facts.entryName }
    package var url: String { shared.facts.url }
    package var blob: CacheLayout.BlobName { shared.facts.blob }
    /// Files of further responses (Vary) and of parts.
    package var otherBlobs: [CacheLayout.BlobName] { shared.facts.otherBlobs }
    package var mediaType: String { shared.facts.mediaType }
    /// The decompressed total of its files.
    package var sizeBytes: Int { shared.facts.sizeBytes }
    /// The time of last use.
    package var lastUsed: Timestamp { entryStamp.modified }
    /// When the content was fetched or last validated.
    package var responseTime: Timestamp { shared.facts.responseTime }
    package var freshUntil: Timestamp { shared.facts.freshUntil }
    package var isEdited: Bool { shared.facts.isEdited }
    package var isGone: Bool { shared.facts.isGone }
    /// Only parts of its content are stored: a pull resumes them, and an HTTP cache answers ranges from them.
    package var isPartial: Bool { shared.facts.isPartial }
    package var document: DocumentSummary? { shared.facts.document }
    // Needed for each record of a list: avoids a copy of the summary.
    package var isDocument: Bool { shared.facts.document != nil }
    package var documentID: String? { shared.facts.document?.id }
    /// The document's title; empty for other content.
    package var title: String { shared.facts.document?.title ?? "" }
    /// The title in all its languages, as search compares it.
    package var foldedTitle: String { shared.facts.foldedTitle }
    /// The key by which a list is sorted.
    package var sortKey: String { shared.facts.sortKey }
    /// Whether the content exists, as far as known without reading it.
    package var isPresent: Bool { blobStamp != nil }

    /// The lengths of its entry and its content, not rounded up to blocks.
    package var storedBytes: Int64 { entryStamp.sizeBytes + (blobStamp?.sizeBytes ?? 0) }

    package var digest: Digest { blob.digest }
    package var blobs: [CacheLayout.BlobName] { [blob] + otherBlobs }

    init(_ entry: CacheEntry, entryName: String, entryStamp: FileStamp, blobStamp: FileStamp?) {
        let facts = Facts(
            entryName: entryName, url: entry.url, blob: entry.blob,
            otherBlobs: entry.blobs.filter { $0 != entry.blob }, mediaType: entry.mediaType,
            sizeBytes: Int(clamping: entry.responses.reduce(0) { $0 + $1.heldBytes }),
            responseTime: entry.response.responseTime,
            freshUntil: entry.variants.reduce(Freshness.freshUntil(entry.response)) {
                max($0, Freshness.freshUntil($1.response))
            },
            isEdited: entry.edited != nil, isGone: entry.goneSince != nil,
            isPartial: entry.primary.isPartial, document: entry.document,
            foldedTitle: entry.document?.foldedTitle ?? "",
            sortKey: entry.document.map { TextFolding.sortKey($0.title) } ?? "")
        self.init(facts, entryStamp: entryStamp, blobStamp: blobStamp)
    }
}

extension CatalogRecord {
    /// A document on this device outside of the cache, as a listing shows it.
    package init(
        outsideCache document: DocumentSummary, digest: Digest, sizeBytes: Int, modified: Timestamp,
        freshUntil: Timestamp? = nil
    ) {
        let facts = Facts(
            entryName: "", url: "",
            blob: CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true),
            mediaType: "application/json", sizeBytes: sizeBytes, responseTime: modified,
            freshUntil: freshUntil ?? modified, document: document, foldedTitle: document.foldedTitle,
            sortKey: TextFolding.sortKey(document.title))
        let stamp = FileStamp(modified: modified)
        self.init(facts, entryStamp: stamp, blobStamp: stamp)
    }
}

/// The status of a file; one with an unchanged stamp is not read again.
package struct FileStamp: Hashable, Sendable {
    var inode: UInt64
    var sizeBytes: Int64
    var modifiedNanoseconds: Int64

    init(_ status: FileStatus) {
        inode = status.inode
        sizeBytes = status.sizeBytes
        modifiedNanoseconds = status.modifiedNanoseconds
    }

    init(modified: Timestamp) {
        inode = 0
        sizeBytes = 0
        modifiedNanoseconds = modified.nanosecondsSinceEpoch
    }

    package var modified: Timestamp { Timestamp(millisecondsSinceEpoch: modifiedNanoseconds / 1_000_000) }
}
