import HTTPTypes
import Model
import Sync

/// What the hub itself has to say, as a problem document (RFC 9457).
struct HubProblem: Error, Sendable {
    var status: Int
    /// The last part of `urn:quire:problem:…`; `nil` for `about:blank`.
    var kind: String?
    var title: String?
    var detail: String
    var field: String?
    var headerFields = HTTPFields()

    init(_ status: Int, _ detail: String, kind: String? = nil, title: String? = nil, field: String? = nil) {
        self.status = status
        self.detail = detail
        self.kind = kind
        self.title = title
        self.field = field
    }

    init(_ fault: WireFault) { self.init(fault.status, fault.reason) }

    private struct Document: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
        var field: String?
    }

    var reply: HTTPReply {
        let status = HTTPResponse.Status(code: status)
        var fields = headerFields
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"\(kind ?? "hub")\""
        let document = Document(
            type: kind.map { "urn:quire:problem:\($0)" } ?? "about:blank", title: title ?? ReasonPhrase.of(status),
            status: status.code, detail: detail, field: field)
        // A few words are always encoded.
        let bytes = (try? DocumentCoding.encodeLine(document)) ?? []
        return HTTPReply(head: HTTPResponse(status: status, headerFields: fields), body: HTTPBody(bytes: bytes))
    }

    /// The hub in Cache-Status (RFC 9211).
    static let cacheName = "quire-hub"
}
