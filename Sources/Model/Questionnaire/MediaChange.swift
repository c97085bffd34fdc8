/// An attachment on its way to the server: it waits in the outbox for its test or its questionnaire.
public struct MediaChange: Hashable, Sendable {
    /// As its test names it. A questionnaire names it by its path; then the id is that of its delivery alone.
    package var attachment: Attachment
    /// The test or the questionnaire that it waits for.
    package var owner: MediaOwner
    /// The questionnaire's permanent identity.
    package var questionnaire: String
    package var title: String
    package var dateChanged: Timestamp
    package var deviceId: String
    package var sequence: Int

    /// The delivery of an attachment of a finished test.
    package init(_ attachment: Attachment, of test: TestRecord) {
        self.attachment = attachment
        owner = .test(test.id)
        questionnaire = test.questionnaire.id
        title = test.questionnaire.title
        dateChanged = test.dateFinished ?? test.dateStarted
        deviceId = test.deviceId
        sequence = test.sequence
    }

    /// The delivery of a file of a questionnaire.
    package init(
        _ attachment: Attachment, at path: ContentPath, questionnaire: String, title: String, dateChanged: Timestamp,
        deviceId: String, sequence: Int
    ) {
        self.attachment = attachment
        owner = .questionnaire(path)
        self.questionnaire = questionnaire
        self.title = title
        self.dateChanged = dateChanged
        self.deviceId = deviceId
        self.sequence = sequence
    }

    package var id: TestID { attachment.id }
    package var name: String { attachment.name }
    package var mediaType: String { attachment.mediaType }
    package var sizeBytes: Int64 { attachment.sizeBytes }
    package var digest: Digest { attachment.digest }
}

extension MediaChange: Codable {
    private enum Key: String, CodingKey {
        case questionnaire, title, dateChanged, deviceId, sequence
    }

    /// The attachment's own members are encoded in the same object.
    public init(from decoder: any Decoder) throws {
        attachment = try Attachment(from: decoder)
        let container = try decoder.container(keyedBy: Key.self)
        owner = try MediaOwner(from: decoder)
        questionnaire = try container.decode(String.self, forKey: .questionnaire)
        title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
        dateChanged = try container.decode(Timestamp.self, forKey: .dateChanged)
        deviceId = try container.decodeIfPresent(String.self, forKey: .deviceId) ?? ""
        sequence = try container.decodeIfPresent(Int.self, forKey: .sequence) ?? 0
    }

    public func encode(to encoder: any Encoder) throws {
        try attachment.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try owner.encode(to: encoder)
        try container.encode(questionnaire, forKey: .questionnaire)
        try container.encode(title, forKey: .title)
        try container.encode(dateChanged, forKey: .dateChanged)
        try container.encode(deviceId, forKey: .deviceId)
        try container.encode(sequence, forKey: .sequence)
    }

    /// Reads the file of the outbox.
    ///
    /// - Throws: `DocumentFault` that names the field.
    package init(file: [UInt8]) throws(DocumentFault) {
        self = try DocumentCoding.decode(MediaChange.self, from: file)
        try attachment.check()
        if let path = owner.path, path.digest != digest {
            throw DocumentFault(field: "path", reason: "names other content than “digest”")
        }
    }
}
