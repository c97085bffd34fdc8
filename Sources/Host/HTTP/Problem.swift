import HTTPCaching
import HTTPTypes
import Hummingbird
import Model
import WireFormat

/// Why a request was not carried out, as a problem document (RFC 9457).
struct Problem: Error, Sendable {
    var status: HTTPResponse.Status
    var document: ProblemDocument
    /// Further fields of the response's header.
    var headerFields = HTTPFields()

    /// A problem whose status says its kind.
    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        document = ProblemDocument(status: status.code, name: status.reasonPhrase, detail: detail)
    }

    init(_ status: HTTPResponse.Status, kind: String, title: String, detail: String, field: String? = nil) {
        self.status = status
        document = ProblemDocument(
            status: status.code, name: status.reasonPhrase, kind: kind, title: title, detail: detail, field: field)
    }

    init(_ fault: UploadFault, maximumBytes: Int64) {
        // A status that is made of its number has no name.
        let named: [HTTPResponse.Status] = [
            .notFound, .conflict, .contentTooLarge, .unsupportedMediaType, .unprocessableContent,
        ]
        status = named.first { $0.code == fault.status } ?? .badRequest
        document = ProblemDocument(fault, name: status.reasonPhrase)
        document.status = status.code
        headerFields = fault.fields(maximumBytes: maximumBytes)
    }

    var detail: String { document.detail }

    static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    /// A key whose role does not suffice.
    static func notAllowed(_ detail: String) -> Problem {
        Problem(.forbidden, kind: AccessRole.refusalKind, title: AccessRole.refusalTitle, detail: detail)
    }

    static func invalidTest(field: String?, _ detail: String) -> Problem {
        Problem(
            .unprocessableContent, kind: "invalid-test", title: "The test cannot be read", detail: detail, field: field)
    }

    static func invalidQuestionnaire(field: String?, _ detail: String) -> Problem {
        Problem(
            .unprocessableContent, kind: "invalid-questionnaire", title: "The questionnaire cannot be read",
            detail: detail, field: field)
    }

    var response: Response {
        var fields = headerFields
        fields[.contentType] = ProblemDocument.mediaType
        // A cached problem would still be reported after it was solved.
        fields[.cacheControl] = "no-store"
        return Response(status: status, headers: fields, bytes: document.bytes)
    }
}
