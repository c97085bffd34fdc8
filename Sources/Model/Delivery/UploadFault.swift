/// Why a server or a hub rejects a request of a resumable upload: the content of its problem document (RFC 9457;
/// docs/protocol.md, section 10).
package enum UploadFault: Error, Hashable, Sendable {
    /// A field of the request is malformed or missing.
    case malformed(String)
    /// Only the request can state the length of the file, and it does not.
    package static let lengthUnknown = UploadFault.malformed("Upload-Length must state the length of the file.")
    /// The appended content has the wrong media type.
    case notPartial
    /// The test that it belongs to does not exist here.
    case testUnknown(TestID)
    /// The test does not name it.
    case notAttached(TestID, to: TestID)
    /// No questionnaire here names a file by this path.
    case notNamed(ContentPath)
    /// Other content is known under this id.
    case otherContent(Digest)
    /// The upload does not exist, or has ended.
    case unknown(TestID)
    /// A later connection continues it.
    case superseded
    /// The offset differs from the request's. In bytes.
    case elsewhere(expected: Int64, provided: Int64)
    /// The announced or received length does not match the file's length.
    case inconsistentLength(Int64)
    /// The connection broke. In bytes.
    case incomplete(arrived: Int64, announced: Int64, offset: Int64)
    case digestMismatch
    case tooLong(sizeBytes: Int64, maximumBytes: Int64)

    /// The status code of the response.
    package var status: Int {
        switch self {
        case .malformed, .inconsistentLength, .incomplete, .digestMismatch: 400
        case .notPartial: 415
        case .testUnknown, .unknown, .notNamed: 404
        case .notAttached: 422
        case .otherContent, .superseded, .elsewhere: 409
        case .tooLong: 413
        }
    }

    /// The last part of `urn:quire:problem:…`; `nil` where the status or `type` is specific enough.
    package var kind: String? {
        switch self {
        case .testUnknown: "test-unknown"
        case .notAttached: "not-attached"
        case .notNamed: "not-named"
        case .otherContent: "different-content"
        case .digestMismatch: "digest-mismatch"
        default: nil
        }
    }

    /// The URI of a problem that is registered elsewhere.
    package var type: String? {
        switch self {
        case .elsewhere: "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
        case .inconsistentLength: "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"
        default: nil
        }
    }

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
    /// One sentence for people.
    package var description: String {
        switch self {
        case .malformed(let reason): reason
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

extension UploadFault {
    /// Compares an announcement with the attachment of the test.
    ///
    /// - Throws: `otherContent`, `inconsistentLength`.
    package static func check(
        _ attachment: Attachment, announced digest: Digest?, length: Int64?
    ) throws(UploadFault) {
        if let digest, digest != attachment.digest { throw .otherContent(attachment.digest) }
        if let length, length != attachment.sizeBytes { throw .inconsistentLength(attachment.sizeBytes) }
    }
}
