import HTTPCaching
import Model

/// The origin of incomplete content: with it any process can request the rest later.
package struct PartOrigin: Sendable {
    package var mediaType: String
    /// Has a strong validator, which If-Range can name (RFC 9110 section 13.1.5).
    package var response: StoredResponse
    /// The complete length.
    package var completeBytes: Int64

    package init(mediaType: String, response: StoredResponse, completeBytes: Int64) {
        self.mediaType = mediaType
        self.response = response
        self.completeBytes = completeBytes
    }

    /// The first `count` bytes as a stored part; `nil` if empty or longer than the content.
    func part(_ count: Int64, _ digest: Digest) -> CacheVariant? {
        guard let range = ByteRange(0, through: count - 1) else { return nil }
        let blob = CacheLayout.arrivedName(digest: digest, mediaType: mediaType)
        return CacheVariant(
            parts: [ContentPart(range: range, blob: blob)], completeBytes: completeBytes, mediaType: mediaType,
            response: response)
    }
}

/// The last block of an arriving file: the entry that the received bytes would have. Recovery makes a stored part of a
/// killed process's file with it.
///
/// One aligned block: a crash during its write leaves the former note or the new one.
enum PartNote {
    static let sizeBytes: Int64 = 4096

    /// Its offset in the file.
    static func place(completeBytes: Int64) -> Int64 { (completeBytes + sizeBytes - 1) / sizeBytes * sizeBytes }

    /// The length of the file.
    static func fileBytes(completeBytes: Int64) -> Int64 { place(completeBytes: completeBytes) + sizeBytes }

    /// - Returns: `nil` if the response's fields are too long for it.
    static func encode(url: String, _ part: CacheVariant) -> [UInt8]? {
        guard let entry = CacheEntry(url: url, responses: [part]),
            let bytes = try? DocumentCoding.encodeLine(entry), bytes.count <= Int(sizeBytes)
        else { return nil }
        return bytes + [UInt8](repeating: UInt8(ascii: " "), count: Int(sizeBytes) - bytes.count)
    }

    /// - Parameter fileBytes: the length of the file that it ends.
    /// - Returns: `nil` for anything else.
    static func decode(_ bytes: [UInt8], fileBytes: Int64) -> (url: String, part: CacheVariant)? {
        guard bytes.count == Int(sizeBytes), bytes.first == UInt8(ascii: "{"),
            let entry = try? DocumentCoding.decode(CacheEntry.self, from: bytes), entry.variants.isEmpty,
            entry.document == nil, entry.edited == nil, entry.primary.parts.count == 1, entry.primary.isResumable,
            let complete = entry.primary.completeBytes, Self.fileBytes(completeBytes: complete) == fileBytes
        else { return nil }
        return (entry.url, entry.primary)
    }
}

extension CacheVariant {
    /// Whether it has the start of its content in a file that can be appended to.
    var isResumable: Bool {
        guard let first = parts.first, let completeBytes else { return false }
        return response.status == 200 && response.fields[.contentEncoding] == nil && !first.blob.isCompressed
            && first.range.first == 0 && first.range.count < completeBytes
    }
}
