import HTTPCaching
import Model
import RichText

/// The metadata of one URL, as its file in `entries/` holds it.
package struct CacheEntry: Hashable, Sendable {
    package var url: String
    /// The pulled response, or else the most recent one.
    package var primary: CacheVariant
    /// Further responses of this URL, for other requests (Vary); the most recent first.
    package var variants: [CacheVariant]
    /// The summary of a questionnaire for lists; `nil` for other content.
    package var document: DocumentSummary?
    /// Set after an edit on this machine.
    package var edited: LocalEdit?
    /// Since when the server no longer lists it.
    package var goneSince: Timestamp?
    /// Whether `primary` was pulled: no other response replaces it until a pull replaces or removes it.
    package var isPulled: Bool

    package init(
        url: String, blob: CacheLayout.BlobName, sizeBytes: Int, mediaType: String, response: StoredResponse,
        document: DocumentSummary?, edited: LocalEdit? = nil, goneSince: Timestamp? = nil, isPulled: Bool = false
    ) {
        self.isPulled = isPulled || document != nil
        self.url = url
        primary = CacheVariant(blob: blob, sizeBytes: sizeBytes, mediaType: mediaType, response: response)
        variants = []
        self.document = document
        self.edited = edited
        self.goneSince = goneSince
    }

    /// - Returns: `nil` without any response.
    package init?(url: String, responses: [CacheVariant]) {
        guard let primary = responses.first else { return nil }
        isPulled = false
        self.url = url
        self.primary = primary
        variants = Array(responses.dropFirst())
    }

    package var blob: CacheLayout.BlobName {
        get { primary.blob }
        set { primary.blob = newValue }
    }
    /// The length of the content, uncompressed.
    package var sizeBytes: Int {
        get { primary.sizeBytes }
        set { primary.sizeBytes = newValue }
    }
    package var mediaType: String {
        get { primary.mediaType }
        set { primary.mediaType = newValue }
    }
    package var response: StoredResponse {
        get { primary.response }
        set { primary.response = newValue }
    }

    package var digest: Digest { blob.digest }
    /// All responses, the most recent first.
    package var responses: [CacheVariant] { [primary] + variants }
    /// The files that they need.
    package var blobs: [CacheLayout.BlobName] { responses.flatMap(\.blobs) }
    /// Whether `content(of:)` is the complete content of a successful GET, without a content coding.
    package var isPlainContent: Bool {
        (response.status == 200 || response.status == 203) && !primary.isPartial
            && response.fields[.contentEncoding] == nil
    }

    /// Responses after a change by anything but a pull. The pulled response stays the first: removing it only marks it,
    /// so that an HTTP cache validates it before use.
    ///
    /// - Parameter responses: the new ones.
    func keepingPulled(_ responses: [CacheVariant]) -> CacheEntry {
        var entry = self
        var others = responses
        if let place = others.firstIndex(of: primary)
            ?? others.firstIndex(where: { $0.blobs == primary.blobs && $0.response.status == response.status })
        {
            let news = others.remove(at: place).response
            if Self.forbidsMore(news, than: response) {
                entry.response.isInvalidated = true
            } else {
                entry.response = news
            }
            // A pull stores decoded content, whatever the response of an HTTP cache says.
            entry.response.fields[.contentEncoding] = nil
        } else {
            entry.response.isInvalidated = true
        }
        entry.variants = others
        return entry
    }

    /// Whether a response forbids use without validation, where the other one did not. That matters only to the HTTP
    /// cache: a pulled questionnaire opens without a network under the terms of its pull.
    private static func forbidsMore(_ one: StoredResponse, than other: StoredResponse) -> Bool {
        let (now, before) = (one.cacheControl, other.cacheControl)
        return now.noCache && !before.noCache || now.mustRevalidate && !before.mustRevalidate
    }

    package struct LocalEdit: Hashable, Sendable, Codable {
        /// The server's version that the edit is based on.
        package var from: Digest
        package var at: Timestamp
    }
}

/// The summary of a questionnaire for lists, available without reading it.
public struct DocumentSummary: Hashable, Sendable, Codable {
    public var id: String
    public var title: String
    public var description: String
    public var locale: String?
    public var updatedAt: Timestamp?
    public var questionCount: Int
    /// Absolute URLs of its pictures and sounds.
    public var media: [String]
    /// The title and description for lists in other languages, by the tags of these.
    package var translations: [String: ListedTexts]?

    package struct ListedTexts: Hashable, Sendable, Codable {
        package var title: String
        package var description: String
    }

    /// Longer texts are truncated here; the document has the full text.
    static let longestTitle = 300
    static let longestDescription = 1000
    static let mostMedia = 200
    static let mostTranslations = 20
    /// A document may have many translations, and the index has them all.
    static let longestTranslatedDescription = 200
    /// The most bytes of translations in the index; it has each title twice, once folded for the search.
    static let mostBytesOfTranslations =
        mostTranslations * (4 * (2 * longestTitle + longestTranslatedDescription) + 64)

    package init(_ questionnaire: Questionnaire, media: [String]) {
        id = questionnaire.id
        title = Self.cut(questionnaire.title, to: Self.longestTitle)
        // Lists show words, not marks.
        let words = questionnaire.textFormat.line(of: questionnaire.description)
        description = Self.cut(words, to: Self.longestDescription)
        locale = questionnaire.locale.map { Self.cut($0, to: 35) }
        updatedAt = questionnaire.updatedAt
        questionCount = questionnaire.questions.count
        self.media = media.filter { $0.utf8.count <= 2048 }.prefix(Self.mostMedia).map { $0 }
        let shown = questionnaire.translations.filter { $0.key.utf8.count <= 35 }
            .sorted { $0.key < $1.key }.prefix(Self.mostTranslations)
            .map { tag, texts in
                let words = questionnaire.textFormat.line(of: texts.description ?? questionnaire.description)
                let listed = ListedTexts(
                    title: Self.cut(texts.title ?? title, to: Self.longestTitle),
                    description: Self.cut(words, to: Self.longestTranslatedDescription))
                return (tag, listed)
            }
        translations = shown.isEmpty ? nil : Dictionary(shown) { first, _ in first }
    }

    private static func cut(_ text: String, to length: Int) -> String {
        let scalars = text.unicodeScalars
        return scalars.count <= length ? text : String(String.UnicodeScalarView(scalars.prefix(length - 1))) + "…"
    }

    /// The known facts of a document without reading it.
    package init(
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
        case url, variants, document, edited, goneSince, pulled
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        url = try container.decode(String.self, forKey: .url)
        // Its members are encoded beside those of the entry.
        primary = try CacheVariant(from: decoder)
        variants = try container.decodeIfPresent([CacheVariant].self, forKey: .variants) ?? []
        document = try container.decodeIfPresent(DocumentSummary.self, forKey: .document)
        edited = try container.decodeIfPresent(LocalEdit.self, forKey: .edited)
        goneSince = try container.decodeIfPresent(Timestamp.self, forKey: .goneSince)
        // Implied for a document.
        isPulled = try document != nil || container.decodeIfPresent(Bool.self, forKey: .pulled) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        try primary.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(url, forKey: .url)
        if !variants.isEmpty { try container.encode(variants, forKey: .variants) }
        try container.encodeIfPresent(document, forKey: .document)
        try container.encodeIfPresent(edited, forKey: .edited)
        try container.encodeIfPresent(goneSince, forKey: .goneSince)
        if isPulled, document == nil { try container.encode(true, forKey: .pulled) }
    }
}
