/// Why a server or a hub rejects a request of a resumable upload (docs/protocol.md, section 10). WireFormat has the words of
/// its problem document.
package enum UploadFault: Error, Hashable, Sendable {
    /// A field of the request is malformed or missing.
    case malformed(MalformedField)
    /// Only the request can state the length of the file, and it does not.
    package static let lengthUnknown = UploadFault.malformed(.lengthMissing)
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

    /// The field of a request that is malformed or missing.
    package enum MalformedField: Hashable, Sendable {
        case lengthMissing
        /// Upload-Complete is neither `?1` nor `?0`.
        case complete
        /// The field with this name is no number of bytes.
        case count(String)
        case digest
        /// An append does not say where it begins, or whether it is the last.
        case append
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
