/// Names the exact version of a questionnaire that a test belongs to, so that another machine can send it.
public struct QuestionnaireReference: Hashable, Sendable, Codable {
    public var id: String
    public var title: String
    public var digest: Digest
    /// The media that its questions showed, as far as they were on the device. A newer version may have others under
    /// the same names.
    package var media: [Medium]?

    /// A file of the version.
    public struct Medium: Hashable, Sendable, Codable {
        /// As the questionnaire names it.
        package var path: String
        package var digest: Digest
        /// Media type (RFC 6838).
        package var mediaType: String
        package var sizeBytes: Int

        package init(path: String, digest: Digest, mediaType: String, sizeBytes: Int) {
            self.path = path
            self.digest = digest
            self.mediaType = mediaType
            self.sizeBytes = sizeBytes
        }
    }

    public init(id: String, title: String, digest: Digest, media: [Medium]? = nil) {
        self.id = id
        self.title = title
        self.digest = digest
        self.media = media
    }

    /// The content needed to show a test of this version.
    package var content: Set<Digest> { Set([digest] + (media ?? []).map(\.digest)) }

    private enum Key: String, CodingKey { case id, title, digest, media }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(String.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        digest = try container.decode(Digest.self, forKey: .digest)
        // It only helps to show the test, so a fault in it is no reason to reject the test.
        media = try? container.decodeIfPresent([Medium].self, forKey: .media)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(digest, forKey: .digest)
        try container.encodeIfPresent(media, forKey: .media)
    }
}

extension TestRecord {
    /// The test shown with another version of its questionnaire, where its own is gone.
    package func shown(with version: Questionnaire, _ digest: Digest) -> TestRecord {
        guard digest != questionnaire.digest else { return self }
        var shown = self
        shown.questionnaire = QuestionnaireReference(id: version.id, title: version.title, digest: digest)
        return shown
    }
}
