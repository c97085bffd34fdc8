import Disk
import HTTPCaching
import Model

/// One line of a listing: an entry without its header fields, made without parsing a document.
public struct CatalogRecord: Hashable, Sendable {
    public var entryName: String
    public var url: String
    public var blob: CacheLayout.BlobName
    /// Files of further responses (Vary) and of parts.
    public var otherBlobs: [CacheLayout.BlobName]
    public var mediaType: String
    /// What all its files hold, unpacked.
    public var sizeBytes: Int
    /// The time of last use.
    public var lastUsed: Timestamp { entryStamp.modified }
    /// When the content was fetched or last found to be valid.
    public var responseTime: Timestamp
    public var freshUntil: Timestamp
    public var isEdited: Bool
    public var isGone: Bool
    public var document: DocumentSummary?
    /// The title as search compares it.
    public var foldedTitle: String
    /// The title as a list is sorted by it.
    public var sortKey: String
    /// Whether the content is there, as far as could be told without reading it.
    public var isPresent: Bool { blobStamp != nil }

    var entryStamp: FileStamp
    var blobStamp: FileStamp?

    /// What its entry and its content take, as files that are not rounded up to blocks.
    public var storedBytes: Int64 { entryStamp.sizeBytes + (blobStamp?.sizeBytes ?? 0) }

    public var digest: Digest { blob.digest }
    public var blobs: [CacheLayout.BlobName] { [blob] + otherBlobs }

    init(_ entry: CacheEntry, entryName: String, entryStamp: FileStamp, blobStamp: FileStamp?) {
        self.entryName = entryName
        self.entryStamp = entryStamp
        self.blobStamp = blobStamp
        url = entry.url
        blob = entry.blob
        mediaType = entry.mediaType
        otherBlobs = entry.blobs.filter { $0 != entry.blob }
        sizeBytes = Int(clamping: entry.responses.reduce(0) { $0 + $1.heldBytes })
        responseTime = entry.response.responseTime
        freshUntil = entry.variants.reduce(Freshness.freshUntil(entry.response)) {
            max($0, Freshness.freshUntil($1.response))
        }
        isEdited = entry.edited != nil
        isGone = entry.goneSince != nil
        document = entry.document
        foldedTitle = entry.document.map { TextFolding.fold($0.title) } ?? ""
        sortKey = entry.document.map { TextFolding.sortKey($0.title) } ?? ""
    }
}

extension CatalogRecord {
    /// A document that is on this device and not in the cache, as a listing shows it.
    public init(outsideCache document: DocumentSummary, digest: Digest, sizeBytes: Int, modified: Timestamp) {
        entryName = ""
        url = ""
        blob = CacheLayout.BlobName(digest: digest, fileExtension: "json", isCompressed: true)
        otherBlobs = []
        mediaType = "application/json"
        self.sizeBytes = sizeBytes
        responseTime = modified
        freshUntil = modified
        isEdited = false
        isGone = false
        self.document = document
        foldedTitle = TextFolding.fold(document.title)
        sortKey = TextFolding.sortKey(document.title)
        entryStamp = FileStamp(modified: modified)
        blobStamp = entryStamp
    }
}

/// What the file system says of a file; one whose stamp is unchanged is not read again.
public struct FileStamp: Hashable, Sendable {
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
        modifiedNanoseconds = modified.millisecondsSinceEpoch * 1_000_000
    }

    public var modified: Timestamp { Timestamp(millisecondsSinceEpoch: modifiedNanoseconds / 1_000_000) }
}

// MARK: The snapshot's form

extension FileStamp {
    init?(_ message: Quire_Catalog_V1_FileStamp?) {
        guard let message else { return nil }
        inode = message.inode
        sizeBytes = message.sizeBytes
        modifiedNanoseconds = message.modifiedNanoseconds
    }

    var message: Quire_Catalog_V1_FileStamp {
        var message = Quire_Catalog_V1_FileStamp()
        message.inode = inode
        message.sizeBytes = sizeBytes
        message.modifiedNanoseconds = modifiedNanoseconds
        return message
    }
}

extension CatalogRecord {
    /// `nil` when the record is not one that this program writes: the entry is then read.
    init?(_ message: Quire_Catalog_V1_Record) {
        guard let digest = Digest(bytes: message.digest), message.hasEntryStamp,
            let entryStamp = FileStamp(message.entryStamp)
        else { return nil }
        let blob = CacheLayout.BlobName(
            digest: digest, fileExtension: message.blobExtension, isCompressed: message.blobCompressed)
        // An extension that is a path would lead out of the folder of blobs.
        guard CacheLayout.isBlobExtension(message.blobExtension) else { return nil }
        entryName = message.entryName
        url = message.url
        self.blob = blob
        otherBlobs = message.otherBlobs.compactMap { CacheLayout.blobName(relativePath: $0) }
        guard otherBlobs.count == message.otherBlobs.count else { return nil }
        mediaType = message.mediaType
        sizeBytes = Int(message.sizeBytes)
        responseTime = Timestamp(millisecondsSinceEpoch: message.responseTimeMs)
        freshUntil = Timestamp(millisecondsSinceEpoch: message.freshUntilMs)
        isEdited = message.edited
        isGone = message.gone
        foldedTitle = message.foldedTitle
        sortKey = message.sortKey
        self.entryStamp = entryStamp
        blobStamp = FileStamp(message.hasBlobStamp ? message.blobStamp : nil)
        if message.hasDocument {
            let document = message.document
            self.document = DocumentSummary(
                id: document.id, title: document.title, description: document.description_p,
                locale: document.locale.isEmpty ? nil : document.locale,
                updatedAt: document.hasUpdatedAtMs ? Timestamp(millisecondsSinceEpoch: document.updatedAtMs) : nil,
                questionCount: Int(document.questionCount), media: document.mediaUrls)
        }
    }

    var message: Quire_Catalog_V1_Record {
        var message = Quire_Catalog_V1_Record()
        message.entryName = entryName
        message.entryStamp = entryStamp.message
        if let blobStamp { message.blobStamp = blobStamp.message }
        message.url = url
        message.digest = .init(digest.bytes)
        message.blobExtension = blob.fileExtension
        message.blobCompressed = blob.isCompressed
        message.otherBlobs = otherBlobs.map(\.relativePath)
        message.mediaType = mediaType
        message.sizeBytes = Int64(sizeBytes)
        message.responseTimeMs = responseTime.millisecondsSinceEpoch
        message.freshUntilMs = freshUntil.millisecondsSinceEpoch
        message.edited = isEdited
        message.gone = isGone
        message.foldedTitle = foldedTitle
        message.sortKey = sortKey
        if let document {
            var summary = Quire_Catalog_V1_Document()
            summary.id = document.id
            summary.title = document.title
            summary.description_p = document.description
            summary.locale = document.locale ?? ""
            if let updatedAt = document.updatedAt { summary.updatedAtMs = updatedAt.millisecondsSinceEpoch }
            summary.questionCount = Int32(clamping: document.questionCount)
            summary.mediaUrls = document.media
            message.document = summary
        }
        return message
    }
}
