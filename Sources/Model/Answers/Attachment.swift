/// A picture or another file that belongs to an answer, as the test names it. Its bytes are stored separately, under
/// their digest.
public struct Attachment: Hashable, Sendable {
    /// The identity under which it is delivered.
    public var id: TestID
    /// As that of an answer.
    public var questionId: String
    /// The owner's name for it; for people, never a path.
    public var name: String
    /// Media type (RFC 6838).
    public var mediaType: String
    public var sizeBytes: Int64
    public var digest: Digest

    package init(
        id: TestID, questionId: String, name: String, mediaType: String, sizeBytes: Int64, digest: Digest
    ) {
        self.id = id
        self.questionId = questionId
        self.name = name
        self.mediaType = mediaType
        self.sizeBytes = sizeBytes
        self.digest = digest
    }

    /// The most bytes of one file.
    public static let maximumBytes: Int64 = 1 << 30
    /// The most files of one test.
    package static let mostInTest = 500
    static let longestNameBytes = 255

    /// The number of digits of the digest that distinguish files of one name for a person.
    package static let markDigits = 8
    /// The first digits of its digest.
    package var mark: String { String(digest.hex.prefix(Self.markDigits)) }

    /// The fault of a file's name; `nil` for a valid name.
    package static func fault(inName name: String) -> String? {
        if name.isEmpty { return "is empty" }
        if name == "." || name == ".." { return "names a folder" }
        if name.utf8.count > longestNameBytes { return "is longer than \(longestNameBytes) bytes" }
        if name.contains("/") || name.contains("\\") { return "has a slash or a backslash in it" }
        let isControl = name.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: scalar != "\u{200D}"
            default: false
            }
        }
        return isControl ? "has a line break or another control character in it" : nil
    }

    /// Makes a valid name of the one that a browser sent: its last path component, without control characters,
    /// truncated where it is too long.
    package static func name(cleaning text: String) -> String {
        let last = text.split { $0 == "/" || $0 == "\\" }.last ?? ""
        var name = String(
            String.UnicodeScalarView(last.unicodeScalars.filter { fault(inName: String($0)) == nil || $0 == "." }))
        if name.utf8.count > longestNameBytes {
            let ending = name.lastIndex(of: ".").map { String(name[$0...]) } ?? ""
            let kept = ending.utf8.count <= 20 ? ending : ""
            while name.utf8.count + kept.utf8.count > longestNameBytes { name.removeLast() }
            name += kept
        }
        return fault(inName: name) == nil ? name : "file"
    }

    /// - Parameter place: where the document has it, like `attachments[0]`; `nil` where it is the document.
    /// - Throws: `DocumentFault` that names the field.
    package func check(at place: String? = nil) throws(DocumentFault) {
        func fault(_ member: String, _ reason: String) -> DocumentFault {
            DocumentFault(field: place.map { "\($0).\(member)" } ?? member, reason: reason)
        }
        if let reason = Self.fault(inName: name) { throw fault("name", reason) }
        guard MediaType.isType(mediaType) else { throw fault("mediaType", "is not a media type") }
        guard (0...Self.maximumBytes).contains(sizeBytes) else {
            throw fault("sizeBytes", "is not between 0 and \(Self.maximumBytes)")
        }
    }
}

extension Attachment: Codable {
    private enum Key: String, CodingKey { case id, questionId, instance, name, mediaType, sizeBytes, digest }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decode(TestID.self, forKey: .id)
        let question = try container.decode(String.self, forKey: .questionId)
        let number = try? container.decodeIfPresent(Int.self, forKey: .instance)
        questionId = QuestionInstance(question: question, number: number.flatMap { $0 > 0 ? $0 : nil }).id
        name = try container.decode(String.self, forKey: .name)
        mediaType = try container.decode(String.self, forKey: .mediaType)
        sizeBytes = try container.decode(Int64.self, forKey: .sizeBytes)
        digest = try container.decode(Digest.self, forKey: .digest)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let place = QuestionInstance(questionId)
        try container.encode(id, forKey: .id)
        try container.encode(place.question, forKey: .questionId)
        try container.encodeIfPresent(place.number, forKey: .instance)
        try container.encode(name, forKey: .name)
        try container.encode(mediaType, forKey: .mediaType)
        try container.encode(sizeBytes, forKey: .sizeBytes)
        try container.encode(digest, forKey: .digest)
    }
}
