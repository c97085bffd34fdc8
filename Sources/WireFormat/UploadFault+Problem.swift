import Model

/// The words of problem documents about uploads (RFC 9457).
extension UploadFault {
    /// A short name; `nil` to use the reason phrase.
    package var title: String? {
        switch self {
        case .testUnknown: "The test is not here"
        case .notAttached: "The test does not name it"
        case .notNamed: "No questionnaire names it"
        case .otherContent: "Other content is known under this id"
        case .elsewhere: "The upload stands elsewhere"
        case .inconsistentLength: "The lengths do not agree"
        case .digestMismatch: "The content is not what was sent"
        default: nil
        }
    }
}

extension UploadFault: CustomStringConvertible {
    /// The detail of its problem document: one sentence for people.
    package var description: String {
        switch self {
        case .malformed(let field): field.description
        case .notPartial: "The content of an append must be application/partial-upload."
        case .testUnknown(let test): "Test \(test) is not here: deliver it first, then its attachments."
        case .notAttached(let id, let test): "Test \(test) names no attachment \(id)."
        case .notNamed(let path):
            "No questionnaire here names \(path): deliver it first, then the files that it shows."
        case .otherContent(let digest): "\(digest) is known under this id, and something else was announced."
        case .unknown(let id): "There is no upload \(id) any more, or not yet: begin it with PUT at its test."
        case .superseded:
            "Another connection has continued this upload: ask for its offset, then resume from there."
        case .elsewhere(let expected, let provided):
            "The upload has \(expected) bytes, and these begin at \(provided)."
        case .inconsistentLength(let sizeBytes):
            "The file has \(sizeBytes) bytes, and this request does not fit to that."
        case .incomplete(let arrived, let announced, let offset):
            "Only \(arrived) of \(announced) bytes arrived: go on from \(offset)."
        case .digestMismatch:
            "The bytes that arrived do not match the digest: send them again."
        case .tooLong(let sizeBytes, let maximumBytes):
            "It has \(sizeBytes) bytes, and files of at most \(maximumBytes) are taken here."
        }
    }
}

extension UploadFault.MalformedField: CustomStringConvertible {
    package var description: String {
        switch self {
        case .lengthMissing: "Upload-Length must state the length of the file."
        case .complete: "Upload-Complete must be ?1 or ?0."
        case .count(let name): "\(name) must be a whole number of bytes."
        case .digest: DigestFieldFault().description
        case .append: "An append needs Upload-Offset and Upload-Complete."
        }
    }
}

extension DigestFieldFault: DescribedError {
    package var description: String { "Content-Digest has a sha-256 that is not :base64: of 32 bytes (RFC 9530)." }
}
