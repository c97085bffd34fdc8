import HTTPCaching
import HTTPTypes
import Hummingbird
import Model

/// Why a request was not carried out, as a problem document (RFC 9457).
struct Problem: Error, Sendable {
    var status: HTTPResponse.Status
    /// The last part of `urn:quire:problem:…`; `nil` where the status says it all: then it is the status's name.
    var kind: String?
    var title: String
    /// Takes the place of `kind`: the URI of a problem that is registered elsewhere.
    var type: String?
    /// Of an upload: where it stands, and where the request took it to stand.
    var expectedOffset: Int64?
    var providedOffset: Int64?
    /// One plain sentence for people.
    var detail: String
    /// The field of the sent document that is wrong, like `answers[2].questionId`.
    var field: String?
    /// What the host has, where it has another version than the request names.
    var current: Publication?
    /// Further fields of the response's header.
    var headerFields = HTTPFields()

    /// A problem whose status says what kind it is.
    init(_ status: HTTPResponse.Status, _ detail: String) {
        self.status = status
        title = status.reasonPhrase
        self.detail = detail
    }

    init(_ status: HTTPResponse.Status, kind: String, title: String, detail: String, field: String? = nil) {
        self.status = status
        self.kind = kind
        self.title = title
        self.detail = detail
        self.field = field
    }

    init(_ fault: UploadFault, maximumBytes: Int64) {
        // A status that is made of its number has no name.
        let named: [HTTPResponse.Status] = [
            .notFound, .conflict, .contentTooLarge, .unsupportedMediaType, .unprocessableContent,
        ]
        self.init(named.first { $0.code == fault.status } ?? .badRequest, fault.description)
        kind = fault.kind
        type = fault.type
        if let title = fault.title { self.title = title }
        if case .elsewhere(let expected, let provided) = fault {
            (expectedOffset, providedOffset) = (expected, provided)
        }
        headerFields = fault.fields(maximumBytes: maximumBytes)
    }

    static func badRequest(_ detail: String) -> Problem { Problem(.badRequest, detail) }

    static func notFound(_ detail: String) -> Problem { Problem(.notFound, detail) }

    static func invalidTest(field: String?, _ detail: String) -> Problem {
        Problem(
            .unprocessableContent, kind: "invalid-test", title: "The test cannot be read", detail: detail, field: field)
    }

    static func invalidQuestionnaire(field: String?, _ detail: String) -> Problem {
        Problem(
            .unprocessableContent, kind: "invalid-questionnaire", title: "The questionnaire cannot be read",
            detail: detail, field: field)
    }

    private struct Document: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
        var field: String?
        var current: Publication?
        var expectedOffset: Int64?
        var providedOffset: Int64?

        enum CodingKeys: String, CodingKey {
            case type, title, status, detail, field, current
            case expectedOffset = "expected-offset"
            case providedOffset = "provided-offset"
        }
    }

    var response: Response {
        let document = Document(
            type: type ?? kind.map { ProtocolMarks.typePrefix + $0 }
                ?? ProtocolMarks.type(ofStatusNamed: status.reasonPhrase),
            title: title, status: status.code, detail: detail, field: field, current: current,
            expectedOffset: expectedOffset, providedOffset: providedOffset)
        var fields = headerFields
        fields[.contentType] = "application/problem+json"
        // A cache that kept a problem would go on telling it after it was solved.
        fields[.cacheControl] = "no-store"
        do {
            return Response(status: status, headers: fields, bytes: try DocumentCoding.encodeLine(document))
        } catch {
            return Response(status: status, headers: fields, bytes: Array("{}\n".utf8))
        }
    }
}
