import HTTPCaching
import HTTPTypes
import Model
import Sync

/// What the hub itself has to say, as a problem document (RFC 9457).
struct HubProblem: Error, Sendable {
    var status: Int
    /// The last part of `urn:quire:problem:…`; `nil` where the status says it all: then it is the status's name.
    var kind: String?
    var title: String?
    /// Takes the place of `kind`: the URI of a problem that is registered elsewhere.
    var type: String?
    /// Of an upload: where it stands, and where the request took it to stand.
    var expectedOffset: Int64?
    var providedOffset: Int64?
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

    /// What may be asked of the hub, and through it.
    static let methods = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"

    /// RFC 9110 section 15.5.6: 405 names what is allowed.
    static func notAllowed(_ detail: String, allowed methods: String = methods) -> HubProblem {
        var problem = HubProblem(405, detail)
        problem.headerFields[.allow] = methods
        return problem
    }

    /// RFC 9110 section 15.5.20. Without the protocol's mark: who asked for another name has not reached its server, and what a
    /// device sends there waits.
    static func misdirected(_ detail: String) -> HubProblem {
        var problem = HubProblem(421, detail)
        problem.type = "about:blank"
        return problem
    }

    init(_ fault: WireFault) { self.init(fault.status, fault.reason) }

    init(_ fault: UploadFault) {
        self.init(fault.status, fault.description, kind: fault.kind, title: fault.title)
        type = fault.type
        if case .elsewhere(let expected, let provided) = fault {
            (expectedOffset, providedOffset) = (expected, provided)
        }
        headerFields = fault.fields(maximumBytes: Attachment.maximumBytes)
    }

    private struct Document: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
        var field: String?
        var expectedOffset: Int64?
        var providedOffset: Int64?

        enum CodingKeys: String, CodingKey {
            case type, title, status, detail, field
            case expectedOffset = "expected-offset"
            case providedOffset = "provided-offset"
        }
    }

    var reply: HTTPReply {
        let status = HTTPResponse.Status(code: status)
        var fields = headerFields
        fields[.contentType] = "application/problem+json"
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"\(kind ?? "hub")\""
        let document = Document(
            type: type ?? kind.map { ProtocolMarks.typePrefix + $0 }
                ?? ProtocolMarks.type(ofStatusNamed: ReasonPhrase.of(status)),
            title: title ?? ReasonPhrase.of(status),
            status: status.code, detail: detail, field: field,
            expectedOffset: expectedOffset, providedOffset: providedOffset)
        // A few words are always encoded.
        let bytes = (try? DocumentCoding.encodeLine(document)) ?? []
        return HTTPReply(head: HTTPResponse(status: status, headerFields: fields), body: HTTPBody(bytes: bytes))
    }

    /// The hub in Cache-Status (RFC 9211).
    static let cacheName = "quire-hub"
}
