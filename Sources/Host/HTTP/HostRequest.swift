import Disk
import HTTPTypes
import Model
import WireFormat

/// A request that was read in full and may be answered.
struct HostRequest: Sendable {
    var method: HTTPRequest.Method
    var route: APIPath
    var query: RequestQuery
    var fields: HTTPFields
    var body: [UInt8] = []
    /// Its sender.
    var caller = Caller(role: .taker)
    /// The host's keys when it came.
    var keys = KeyStore.Content()

    /// The role that its sender needs; `nil` where none is needed.
    var minimumRole: AccessRole? {
        route.minimumRole(isRead: method == .get || method == .head, namesIDs: query["ids"] != nil)
    }

    /// Whether it asks for a list that may be long. Devices ask for receipts by their ids, which is none.
    var isForList: Bool {
        switch route {
        case .tests: query["ids"] == nil
        case .changes: true
        default: false
        }
    }

    /// The body without its content coding.
    ///
    /// - Throws: `DocumentFault` when it cannot be unpacked.
    func decodedBody() throws(DocumentFault) -> [UInt8] {
        guard fields[.contentEncoding]?.lowercased() == "gzip" else { return body }
        do throws(GzipFault) {
            return try Gzip.decompress(body, maximumBytes: TestSubmission.maximumBytes)
        } catch {
            throw DocumentFault(field: nil, reason: error.description)
        }
    }

    /// - Throws: a 400 `Problem` when the bytes that arrived are not those of Content-Digest.
    func checkDigest() throws(Problem) {
        if let field = fields.contentDigest, let expected = try DigestFields.sha256(in: field),
            expected != Digest(sha256Of: body)
        {
            throw Problem(
                .badRequest, kind: "digest-mismatch", title: "The content is not what was sent",
                detail: "The bytes that arrived do not match Content-Digest: send them again.")
        }
    }
}
