import HTTPTypes
import Model

/// The fields of resumable uploads (draft-ietf-httpbis-resumable-upload): items of structured fields (RFC 9651).
struct UploadFields: Sendable {
    /// Where the content of this request belongs.
    var offset: Int64?
    /// Whether the representation ends with this request.
    var isComplete: Bool?
    var length: Int64?
    var digest: Digest?

    static let patchType = "application/partial-upload"

    /// - Throws: a 400 `Problem` for a field that cannot be read.
    init(_ fields: HTTPFields) throws(Problem) {
        offset = try Self.count(fields, .uploadOffset)
        length = try Self.count(fields, .uploadLength)
        switch fields[.uploadComplete]?.filter({ $0 != " " && $0 != "\t" }) {
        case "?1": isComplete = true
        case "?0": isComplete = false
        case nil: isComplete = nil
        default: throw Problem.badRequest("Upload-Complete must be ?1 or ?0.")
        }
        if let field = fields.reprDigest { digest = try DigestFields.sha256(in: field) }
    }

    private static func count(_ fields: HTTPFields, _ name: HTTPField.Name) throws(Problem) -> Int64? {
        guard let text = fields[name]?.filter({ $0 != " " && $0 != "\t" }) else { return nil }
        // An integer of a structured field has at most 15 digits.
        guard !text.isEmpty, text.utf8.count <= 15, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let value = Int64(text)
        else { throw Problem.badRequest("\(name.rawName) must be a whole number of bytes.") }
        return value
    }

    /// What a response says about an upload.
    static func fields(offset: Int64, isComplete: Bool, maximumBytes: Int64) -> HTTPFields {
        var fields = HTTPFields()
        fields[.uploadOffset] = String(offset)
        fields[.uploadComplete] = isComplete ? "?1" : "?0"
        fields[.uploadLimit] = "max-size=\(maximumBytes)"
        fields[.cacheControl] = "no-store"
        return fields
    }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let uploadOffset = HTTPField.Name("Upload-Offset")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let uploadComplete = HTTPField.Name("Upload-Complete")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let uploadLength = HTTPField.Name("Upload-Length")!
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let uploadLimit = HTTPField.Name("Upload-Limit")!
}
