import Disk
import Model
import SwiftProtobuf

// The form of a record in the catalog's file: catalog.proto. SwiftProtobuf writes it, and it is read in place: for ten
// thousand records, decoding into messages would take three times as long as making the records.

extension CatalogRecord {
    private static let noBlob = CacheLayout.BlobName(
        digest: Digest(sha256Of: []), fileExtension: "", isCompressed: false)

    /// Reads a `Record`; unknown fields are ignored, as always with protobuf.
    init(packed bytes: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        var facts = Facts(
            entryName: "", url: "", blob: Self.noBlob, mediaType: "", sizeBytes: 0, responseTime: .epoch,
            freshUntil: .epoch)
        var (entryStamp, blobStamp): (FileStamp?, FileStamp?)
        var digest: Digest?
        var fileExtension = ""
        var isCompressed = false
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: facts.entryName = try value.text()
            case 2: entryStamp = try FileStamp(packed: value.bytes())
            case 3: blobStamp = try FileStamp(packed: value.bytes())
            case 4: facts.url = try value.text()
            case 5: digest = Digest(bytes: try value.bytes())
            case 6: fileExtension = try value.text()
            case 7: isCompressed = try value.number() != 0
            case 8: facts.mediaType = try value.text()
            case 9: facts.sizeBytes = Int(Int64(bitPattern: try value.number()))
            case 10: facts.responseTime = Timestamp(packed: try value.number())
            case 11: facts.freshUntil = Timestamp(packed: try value.number())
            case 12: facts.isEdited = try value.number() != 0
            case 13: facts.isGone = try value.number() != 0
            case 14: facts.document = try DocumentSummary(packed: value.bytes())
            case 15: facts.foldedTitle = try value.text()
            case 16: facts.sortKey = try value.text()
            case 17:
                guard let blob = CacheLayout.blobName(relativePath: try value.text()) else { throw FieldReader.Fault() }
                facts.otherBlobs.append(blob)
            case 18: facts.isPartial = try value.number() != 0
            default: break
            }
        }
        // An extension with a path would lead out of the folder of blobs.
        guard let entryStamp, let digest, CacheLayout.isBlobExtension(fileExtension) else { throw FieldReader.Fault() }
        facts.blob = CacheLayout.BlobName(digest: digest, fileExtension: fileExtension, isCompressed: isCompressed)
        self.init(facts, entryStamp: entryStamp, blobStamp: blobStamp)
    }

    /// An encoded `Record`.
    var packed: [UInt8] {
        get throws { try message.serializedBytes() }
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
        message.partial = isPartial
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
            summary.translations = document.packedTranslations
            message.document = summary
        }
        return message
    }
}

extension DocumentSummary {
    fileprivate init(packed bytes: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        self.init(id: "", title: "", description: "", locale: nil, updatedAt: nil, questionCount: 0, media: [])
        var translations: [String] = []
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: id = try value.text()
            case 2: title = try value.text()
            case 3: description = try value.text()
            case 4: locale = try value.text()
            case 5: questionCount = Int(Int32(truncatingIfNeeded: try value.number()))
            case 6: updatedAt = Timestamp(packed: try value.number())
            case 7: media.append(try value.text())
            case 8: translations.append(try value.text())
            default: break
            }
        }
        self.translations = Self.translations(packed: translations)
    }
}

extension FileStamp {
    fileprivate init(packed bytes: UnsafeRawBufferPointer) throws(FieldReader.Fault) {
        (inode, sizeBytes, modifiedNanoseconds) = (0, 0, 0)
        var reader = FieldReader(bytes)
        while let (number, value) = try reader.next() {
            switch number {
            case 1: inode = try value.number()
            case 2: sizeBytes = Int64(bitPattern: try value.number())
            case 3: modifiedNanoseconds = Int64(bitPattern: try value.number())
            default: break
            }
        }
    }

    fileprivate var message: Quire_Catalog_V1_FileStamp {
        var message = Quire_Catalog_V1_FileStamp()
        message.inode = inode
        message.sizeBytes = sizeBytes
        message.modifiedNanoseconds = modifiedNanoseconds
        return message
    }
}

extension Timestamp {
    init(packed milliseconds: UInt64) {
        self.init(millisecondsSinceEpoch: Int64(bitPattern: milliseconds))
    }
}
