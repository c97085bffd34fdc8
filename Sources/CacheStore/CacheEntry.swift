import HTTPCaching
import HTTPTypes
import Model

/// What the cache knows about one URL, as its file in `entries/` holds it.
public struct CacheEntry: Hashable, Sendable {
    public var url: String
    public var blob: CacheLayout.BlobName
    /// The length of the content, uncompressed.
    public var sizeBytes: Int
    public var mediaType: String
    public var response: StoredResponse
    /// What a list shows of a questionnaire; `nil` for other content.
    public var document: DocumentSummary?
    /// Set when the content was changed here by hand.
    public var edited: LocalEdit?
    /// Since when the server no longer lists it.
    public var goneSince: Timestamp?

    public init(
        url: String, blob: CacheLayout.BlobName, sizeBytes: Int, mediaType: String, response: StoredResponse,
        document: DocumentSummary?, edited: LocalEdit? = nil, goneSince: Timestamp? = nil
    ) {
        self.url = url
        self.blob = blob
        self.sizeBytes = sizeBytes
        self.mediaType = mediaType
        self.response = response
        self.document = document
        self.edited = edited
        self.goneSince = goneSince
    }

    public var digest: Digest { blob.digest }

    public struct LocalEdit: Hashable, Sendable, Codable {
        /// The server's version that the edit began from.
        public var from: Digest
        public var at: Timestamp
    }
}

/// What a list shows of a questionnaire without reading it.
public struct DocumentSummary: Hashable, Sendable, Codable {
    public var id: String
    public var title: String
    public var description: String
    public var locale: String?
    public var updatedAt: Timestamp?
    public var questionCount: Int
    /// Absolute URLs of its pictures and sounds.
    public var media: [String]

    /// Longer texts are cut here; the document has them whole.
    static let longestTitle = 300
    static let longestDescription = 1000
    static let mostMedia = 200

    public init(_ questionnaire: Questionnaire, media: [String]) {
        id = questionnaire.id
        title = Self.cut(questionnaire.title, to: Self.longestTitle)
        description = Self.cut(questionnaire.description, to: Self.longestDescription)
        locale = questionnaire.locale.map { Self.cut($0, to: 35) }
        updatedAt = questionnaire.updatedAt
        questionCount = questionnaire.questions.count
        self.media = media.filter { $0.utf8.count <= 2048 }.prefix(Self.mostMedia).map { $0 }
    }

    private static func cut(_ text: String, to length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= length ? text : String(String.UnicodeScalarView(scalars.prefix(length - 1))) + "…"
    }

    init(
        id: String, title: String, description: String, locale: String?, updatedAt: Timestamp?, questionCount: Int,
        media: [String]
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.locale = locale
        self.updatedAt = updatedAt
        self.questionCount = questionCount
        self.media = media
    }
}

extension CacheEntry: Codable {
    private enum Key: String, CodingKey {
        case url, digest, blob, sizeBytes, mediaType, status, fields, varyingFields, requestTime, responseTime
        case document, edited, goneSince
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        url = try container.decode(String.self, forKey: .url)
        let digest = try container.decode(Digest.self, forKey: .digest)
        let place = try container.decode(String.self, forKey: .blob)
        guard let name = CacheLayout.blobName(relativePath: place), name.digest == digest else {
            throw DecodingError.dataCorruptedError(
                forKey: .blob, in: container, debugDescription: "“\(place.prefix(100))” is not the blob of the digest")
        }
        blob = name
        sizeBytes = try container.decode(Int.self, forKey: .sizeBytes)
        mediaType = try container.decode(String.self, forKey: .mediaType)
        response = StoredResponse(
            status: try container.decode(Int.self, forKey: .status),
            fields: try container.decode(FieldsObject.self, forKey: .fields).fields,
            requestTime: try container.decode(Timestamp.self, forKey: .requestTime),
            responseTime: try container.decode(Timestamp.self, forKey: .responseTime),
            varyingFields: try container.decodeIfPresent(FieldsObject.self, forKey: .varyingFields)?.fields
                ?? HTTPFields())
        document = try container.decodeIfPresent(DocumentSummary.self, forKey: .document)
        edited = try container.decodeIfPresent(LocalEdit.self, forKey: .edited)
        goneSince = try container.decodeIfPresent(Timestamp.self, forKey: .goneSince)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(url, forKey: .url)
        try container.encode(digest, forKey: .digest)
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
        try container.encodeIfPresent(document, forKey: .document)
        try container.encodeIfPresent(edited, forKey: .edited)
        try container.encodeIfPresent(goneSince, forKey: .goneSince)
    }

    /// Header fields as a JSON object, for `jq`: names in lowercase, several values of one name joined by a comma
    /// (RFC 9110 section 5.3).
    private struct FieldsObject: Codable {
        var fields: HTTPFields

        init(fields: HTTPFields) { self.fields = fields }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            fields = HTTPFields()
            for key in container.allKeys {
                guard let name = HTTPField.Name(key.stringValue) else { continue }
                fields[name] = try container.decode(String.self, forKey: key)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            for name in Set(fields.map(\.name)) {
                try container.encode(fields[name], forKey: AnyKey(name.canonicalName))
            }
        }
    }
}
