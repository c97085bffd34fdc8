import FoundationEssentials
import HTTPCaching
import HTTPTypes
import Model

/// One stored response of a URL: of several, each answers other requests, according to Vary (RFC 9111 section 4.1).
package struct CacheVariant: Hashable, Sendable {
    /// The content; for partial content its first part.
    package var blob: CacheLayout.BlobName
    /// The decompressed length of `blob`.
    package var sizeBytes: Int
    package var mediaType: String
    package var response: StoredResponse {
        didSet { response.content = content }
    }
    /// For partial content (RFC 9111 section 3.3) the stored ranges, sorted, none inside another; empty if the content
    /// is complete.
    package private(set) var parts: [ContentPart]
    /// The complete length of partial content.
    package private(set) var completeBytes: Int64?

    /// A response with complete content.
    package init(blob: CacheLayout.BlobName, sizeBytes: Int, mediaType: String, response: StoredResponse) {
        self.blob = blob
        self.sizeBytes = sizeBytes
        self.mediaType = mediaType
        self.response = response
        parts = []
        completeBytes = nil
        self.response.content = content
    }

    /// A response with some ranges of its content.
    ///
    /// - Returns: `nil` without any range, for one beyond the end, and for a length that no content has.
    package init?(parts: [ContentPart], completeBytes: Int64, mediaType: String, response: StoredResponse) {
        let sorted = ContentPart.withoutContained(parts)
        guard let first = sorted.first, sorted.allSatisfy({ $0.range.last < completeBytes }),
            ContentPart.possibleLengths.contains(completeBytes)
        else { return nil }
        blob = first.blob
        sizeBytes = Int(first.range.count)
        self.mediaType = mediaType
        self.response = response
        self.parts = sorted
        self.completeBytes = completeBytes
        self.response.content = content
    }

    private var content: StoredContent {
        guard let completeBytes else { return .whole(length: Int64(sizeBytes)) }
        return .partial(ByteRange.joined(parts.map(\.range)), completeLength: completeBytes)
    }

    /// The files that it needs.
    package var blobs: [CacheLayout.BlobName] { parts.isEmpty ? [blob] : parts.map(\.blob) }
    /// The same with the length of what each holds, unpacked.
    var files: [(blob: CacheLayout.BlobName, sizeBytes: Int64)] {
        parts.isEmpty ? [(blob, Int64(sizeBytes))] : parts.map { ($0.blob, $0.range.count) }
    }
    /// Their decompressed total.
    package var heldBytes: Int64 { parts.isEmpty ? Int64(sizeBytes) : parts.reduce(0) { $0 + $1.range.count } }
    package var isPartial: Bool { !parts.isEmpty }
}

/// A range of content, stored as a blob of its own.
package struct ContentPart: Hashable, Sendable {
    package var range: ByteRange
    package var blob: CacheLayout.BlobName

    package init(range: ByteRange, blob: CacheLayout.BlobName) {
        self.range = range
        self.blob = blob
    }

    /// Lengths that content may have, whatever a server or a file says: an entry has so few responses that their sum cannot
    /// overflow, and what is added to round a length up cannot either.
    static let possibleLengths: Range<Int64> = 0..<1 << 48

    /// Sorted, without parts completely inside another.
    static func withoutContained(_ parts: [ContentPart]) -> [ContentPart] {
        var kept: [ContentPart] = []
        let order = parts.sorted { ($0.range.first, -$0.range.last) < ($1.range.first, -$1.range.last) }
        for part in order where kept.last.map({ $0.range.last < part.range.last }) ?? true { kept.append(part) }
        return kept
    }

    /// The pieces that make up `wanted`, in order, each in one part; `nil` if some bytes are missing.
    package static func pieces(
        of wanted: ByteRange, in parts: [ContentPart]
    ) -> [(part: ContentPart, range: ByteRange)]? {
        var pieces: [(part: ContentPart, range: ByteRange)] = []
        var next = wanted.first
        for part in parts where part.range.last >= next && next <= wanted.last {
            guard part.range.first <= next,
                let range = ByteRange(next, through: min(part.range.last, wanted.last))
            else { return nil }
            pieces.append((part, range))
            next = range.last + 1
        }
        return next > wanted.last ? pieces : nil
    }
}

// MARK: The form in the file

extension CacheVariant: Codable {
    private enum Key: String, CodingKey {
        case digest, blob, sizeBytes, mediaType, status, fields, varyingFields, requestTime, responseTime
        case parts, completeBytes, invalidated
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let blob = try container.blobName(digest: .digest, place: .blob)
        let size = try container.decode(Int.self, forKey: .sizeBytes)
        guard ContentPart.possibleLengths.contains(Int64(size)) else {
            throw DecodingError.dataCorruptedError(forKey: .sizeBytes, in: container, debugDescription: "is no length")
        }
        let mediaType = try container.decode(String.self, forKey: .mediaType)
        let response = StoredResponse(
            status: try container.decode(Int.self, forKey: .status),
            fields: try container.decode(FieldsObject.self, forKey: .fields).fields,
            requestTime: try container.decode(Timestamp.self, forKey: .requestTime),
            responseTime: try container.decode(Timestamp.self, forKey: .responseTime),
            varyingFields: try container.decodeIfPresent(FieldsObject.self, forKey: .varyingFields)?.fields
                ?? HTTPFields(),
            isInvalidated: try container.decodeIfPresent(Bool.self, forKey: .invalidated) ?? false)
        guard let complete = try container.decodeIfPresent(Int64.self, forKey: .completeBytes) else {
            self.init(blob: blob, sizeBytes: size, mediaType: mediaType, response: response)
            return
        }
        let parts = try container.decode([ContentPart].self, forKey: .parts)
        guard
            let variant = CacheVariant(
                parts: parts, completeBytes: complete, mediaType: mediaType, response: response)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .parts, in: container, debugDescription: "the parts do not lie within \(complete) bytes")
        }
        self = variant
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(blob.digest, forKey: .digest)
        try container.encode(blob.relativePath, forKey: .blob)
        try container.encode(sizeBytes, forKey: .sizeBytes)
        try container.encode(mediaType, forKey: .mediaType)
        try container.encode(response.status, forKey: .status)
        try container.encode(FieldsObject(fields: response.fields), forKey: .fields)
        if !response.varyingFields.isEmpty {
            try container.encode(FieldsObject(fields: response.varyingFields), forKey: .varyingFields)
        }
        try container.encode(response.requestTime, forKey: .requestTime)
        try container.encode(response.responseTime, forKey: .responseTime)
        if response.isInvalidated { try container.encode(true, forKey: .invalidated) }
        guard let completeBytes else { return }
        try container.encode(completeBytes, forKey: .completeBytes)
        try container.encode(parts, forKey: .parts)
    }
}

extension ContentPart: Codable {
    private enum Key: String, CodingKey { case first, sizeBytes, digest, blob }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        blob = try container.blobName(digest: .digest, place: .blob)
        let first = try container.decode(Int64.self, forKey: .first)
        let size = try container.decode(Int64.self, forKey: .sizeBytes)
        guard Self.possibleLengths.contains(first), Self.possibleLengths.contains(size),
            let range = ByteRange(first, through: first + size - 1)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .sizeBytes, in: container, debugDescription: "is no length of a part")
        }
        self.range = range
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(range.first, forKey: .first)
        try container.encode(range.count, forKey: .sizeBytes)
        try container.encode(blob.digest, forKey: .digest)
        try container.encode(blob.relativePath, forKey: .blob)
    }
}

extension KeyedDecodingContainer {
    fileprivate func blobName(digest: Key, place: Key) throws -> CacheLayout.BlobName {
        let text = try decode(String.self, forKey: place)
        guard let name = CacheLayout.blobName(relativePath: text),
            name.digest == (try decode(Digest.self, forKey: digest))
        else {
            throw DecodingError.dataCorruptedError(
                forKey: place, in: self, debugDescription: "“\(text.prefix(100))” is not the blob of the digest")
        }
        return name
    }
}

/// Header fields as a JSON object, for `jq`: names in lowercase; a text, or a list of texts for a field on several
/// lines (they cannot always be joined: RFC 9110 section 5.3 on Set-Cookie). `{"base64": "…"}` replaces a text that is
/// not UTF-8.
private struct FieldsObject: Codable {
    var fields: HTTPFields

    init(fields: HTTPFields) { self.fields = fields }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyKey.self)
        fields = HTTPFields()
        for key in container.allKeys {
            guard let name = HTTPField.Name(key.stringValue) else { continue }
            if let value = try? container.decode(FieldValue.self, forKey: key) {
                fields[fields: name] = [value.field(name)]
            } else {
                fields[fields: name] = try container.decode([FieldValue].self, forKey: key).map { $0.field(name) }
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for name in Set(fields.map(\.name)) {
            let values = fields[fields: name].map { FieldValue(bytes: $0.withUnsafeBytesOfValue { Array($0) }) }
            if values.count == 1, let text = String(validating: values[0].bytes, as: UTF8.self) {
                try container.encode(text, forKey: AnyKey(name.canonicalName))
            } else if values.count == 1 {
                try container.encode(values[0], forKey: AnyKey(name.canonicalName))
            } else {
                try container.encode(values, forKey: AnyKey(name.canonicalName))
            }
        }
    }
}

private struct FieldValue: Codable {
    /// Any but CR, LF and NUL.
    var bytes: [UInt8]

    private enum Key: String, CodingKey { case base64 }

    init(bytes: [UInt8]) { self.bytes = bytes }

    func field(_ name: HTTPField.Name) -> HTTPField { HTTPField(name: name, value: bytes) }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            bytes = Array(text.utf8)
        } else {
            let container = try decoder.container(keyedBy: Key.self)
            guard let data = Data(base64Encoded: try container.decode(String.self, forKey: .base64)) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .base64, in: container, debugDescription: "is not base64")
            }
            bytes = Array(data)
        }
    }

    func encode(to encoder: any Encoder) throws {
        if let text = String(validating: bytes, as: UTF8.self) {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        } else {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(Data(bytes).base64EncodedString(), forKey: .base64)
        }
    }
}
