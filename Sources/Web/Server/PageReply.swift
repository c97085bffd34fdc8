import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// An answer, before the fields of every answer are added.
enum PageReply: Sendable {
    /// - Parameter policy: what it may load and who may show it; `nil` for the page's usual one.
    case html(String, status: HTTPResponse.Status = .ok, cookies: [String] = [], policy: String? = nil)
    case json([UInt8], status: HTTPResponse.Status = .ok)
    /// After a change: the browser loads the page again, and a reload repeats nothing (RFC 9110, section 15.4.4).
    case seeOther(String, cookies: [String] = [])
    /// The same request at another address, with its content (RFC 9110, section 15.4.8).
    case temporaryRedirect(String, cookies: [String] = [])
    case response(Response)

    static func encoded(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> PageReply {
        .json(try DocumentCoding.encodeLine(value), status: status)
    }

    var response: Response {
        var fields = HTTPFields()
        fields[.cacheControl] = "no-store"
        switch self {
        case .html(let text, let status, let cookies, let policy):
            if let policy { fields.protect(policy) }
            fields[.contentType] = "text/html; charset=utf-8"
            fields.append(cookies)
            return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
        case .json(let bytes, let status):
            fields[.contentType] = "application/json"
            return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .seeOther(let location, let cookies):
            fields[.location] = location
            fields.append(cookies)
            return Response(status: .seeOther, headers: fields)
        case .temporaryRedirect(let location, let cookies):
            fields[.location] = location
            fields.append(cookies)
            return Response(status: .temporaryRedirect, headers: fields)
        case .response(let response): return response
        }
    }
}

extension HTTPFields {
    fileprivate mutating func append(_ cookies: [String]) {
        for cookie in cookies { append(HTTPField(name: .setCookie, value: cookie)) }
    }
}

/// Why a request fails, shown as a page.
struct PageProblem: Error, Sendable {
    var status: HTTPResponse.Status
    var title: Words.Key
    var detail: String

    init(_ status: HTTPResponse.Status, _ title: Words.Key, _ detail: String) {
        self.status = status
        self.title = title
        self.detail = detail
    }

    static func notOurs(_ language: Language) -> PageProblem {
        PageProblem(
            .forbidden, .notAllowed,
            language.text(
                "This request did not come from this page, so nothing was changed. Go back, reload, and try again."))
    }

    static func notFound(_ language: Language) -> PageProblem {
        PageProblem(
            .notFound, .nothingHere, language.text("There is nothing at this address."))
    }
}
