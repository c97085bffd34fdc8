import HTTPCaching
import HTTPMessages
import HTTPTypes
import Model
import Sync
import WireFormat

/// The hub's own error, as a problem document (RFC 9457).
struct HubProblem: Error, Sendable {
    var document: ProblemDocument
    /// The last part of `urn:quire:problem:…`, where it has one of its own.
    private let kind: String?
    var headerFields = HTTPFields()

    init(_ status: Int, _ detail: String, kind: String? = nil, title: String? = nil, field: String? = nil) {
        document = ProblemDocument(
            status: status, name: ReasonPhrase.of(.init(code: status)), kind: kind, title: title, detail: detail,
            field: field)
        self.kind = kind
    }

    var status: Int { document.status }

    /// The methods allowed for the hub, and through it.
    static let methods = "GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS"

    /// RFC 9110 section 15.5.6: 405 names the allowed methods.
    static func notAllowed(_ detail: String, allowed methods: String = methods) -> HubProblem {
        var problem = HubProblem(405, detail)
        problem.headerFields[.allow] = methods
        return problem
    }

    /// RFC 9110 section 15.5.20. Without the protocol's mark: a request for another name has not reached its server,
    /// and a device's submission waits.
    static func misdirected(_ detail: String) -> HubProblem {
        var problem = HubProblem(421, detail)
        problem.document.type = "about:blank"
        return problem
    }

    init(_ fault: WireFault) { self.init(fault.status, fault.reason) }

    init(_ fault: UploadFault) {
        document = ProblemDocument(fault, name: ReasonPhrase.of(.init(code: fault.status)))
        kind = fault.kind
        headerFields = fault.fields(maximumBytes: Attachment.maximumBytes)
    }

    var reply: HTTPReply {
        var fields = headerFields
        fields[.contentType] = ProblemDocument.mediaType
        fields[.cacheControl] = "no-store"
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"\(kind ?? "hub")\""
        return HTTPReply(
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: HTTPBody(bytes: document.bytes))
    }

    /// The hub in Cache-Status (RFC 9211).
    static let cacheName = ProtocolMarks.hubCacheName
}
