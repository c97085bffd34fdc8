import HTTPTypes
import Model

/// The fields of resumable uploads (draft-ietf-httpbis-resumable-upload): items of structured fields (RFC 9651).
package struct UploadFields: Sendable, Hashable {
    /// The offset of this request's content.
    package var offset: Int64?
    /// Whether the representation ends with this request.
    package var isComplete: Bool?
    package var length: Int64?
    /// The digest of the complete representation (Repr-Digest, RFC 9530).
    package var digest: Digest?

    /// The length of the complete representation, as far as the initial request of an upload states it. In bytes.
    ///
    /// - Parameter contentLength: of the request.
    package func wholeLength(contentLength: Int64?) -> Int64? { length ?? (isComplete == false ? nil : contentLength) }

    package static let patchType = "application/partial-upload"

    /// - Throws: `UploadFault.malformed` for a malformed field.
    package init(_ fields: HTTPFields) throws(UploadFault) {
        offset = try Self.count(fields, .uploadOffset)
        length = try Self.count(fields, .uploadLength)
        switch fields[.uploadComplete]?.filter({ $0 != " " && $0 != "\t" }) {
        case "?1": isComplete = true
        case "?0": isComplete = false
        case nil: isComplete = nil
        default: throw .malformed(.complete)
        }
        guard let field = fields[.reprDigest] else { return }
        do throws(DigestFieldFault) {
            digest = try DigestField.sha256s(in: field).last
        } catch {
            throw .malformed(.digest)
        }
    }

    private static func count(_ fields: HTTPFields, _ name: HTTPField.Name) throws(UploadFault) -> Int64? {
        guard let text = fields[name]?.filter({ $0 != " " && $0 != "\t" }) else { return nil }
        // An integer of a structured field has at most 15 digits.
        guard !text.isEmpty, text.utf8.count <= 15, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let value = Int64(text)
        else { throw .malformed(.count(name.rawName)) }
        return value
    }

    /// The fields of a request that appends.
    ///
    /// - Throws: `UploadFault.notPartial`, `UploadFault.malformed`.
    package static func appended(_ fields: HTTPFields) throws(UploadFault) -> (offset: Int64, isComplete: Bool) {
        let read = try UploadFields(fields)
        guard MediaType.name(fields[.contentType] ?? "") == patchType else { throw .notPartial }
        guard let offset = read.offset, let isComplete = read.isComplete else {
            throw .malformed(.append)
        }
        return (offset, isComplete)
    }

    /// The fields of a response about an upload.
    package static func fields(offset: Int64, isComplete: Bool, maximumBytes: Int64) -> HTTPFields {
        var fields = HTTPFields()
        fields[.uploadOffset] = String(offset)
        fields[.uploadComplete] = isComplete ? "?1" : "?0"
        fields[.uploadLimit] = "max-size=\(maximumBytes)"
        fields[.cacheControl] = "no-store"
        return fields
    }
}

extension UploadFault {
    /// Further fields of a response about an upload.
    package func fields(maximumBytes: Int64) -> HTTPFields {
        switch self {
        case .elsewhere(let expected, _):
            return UploadFields.fields(offset: expected, isComplete: false, maximumBytes: maximumBytes)
        case .notPartial:
            var fields = HTTPFields()
            fields[.acceptPatch] = UploadFields.patchType
            return fields
        default: return HTTPFields()
        }
    }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let uploadOffset = HTTPField.Name("Upload-Offset")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let uploadComplete = HTTPField.Name("Upload-Complete")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let uploadLength = HTTPField.Name("Upload-Length")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let uploadLimit = HTTPField.Name("Upload-Limit")!
    /// Describes the complete representation, whichever part of it is sent (RFC 9530 section 3).
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    package static let reprDigest = HTTPField.Name("Repr-Digest")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let acceptPatch = HTTPField.Name("Accept-Patch")!
}
