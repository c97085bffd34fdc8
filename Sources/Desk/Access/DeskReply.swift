import HTTPServing
import HTTPTypes
import Hummingbird
import Model
import NIOCore

/// An answer of the desk.
enum DeskReply: Sendable {
    /// - Parameters:
    ///   - refresh: the seconds after which the browser loads it again, without a script.
    ///   - policy: what it may load and who may show it; `nil` for the desk's usual one.
    case html(
        String, status: HTTPResponse.Status = .ok, cookies: [String] = [], refresh: Int? = nil, policy: String? = nil)
    /// After a change: a reload repeats nothing (RFC 9110, section 15.4.4).
    case seeOther(String, cookies: [String] = [])
    case file([UInt8], type: String, name: String)
    case response(Response)

    var response: Response {
        var fields = HTTPFields()
        fields[.cacheControl] = "no-store"
        switch self {
        case .html(let text, let status, let cookies, let refresh, let policy):
            if let policy { fields.protect(policy) }
            if let refresh, let name = HTTPField.Name("Refresh") { fields[name] = "\(refresh)" }
            fields[.contentType] = "text/html; charset=utf-8"
            for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
            return Response(status: status, headers: fields, body: .init(byteBuffer: ByteBuffer(string: text)))
        case .seeOther(let location, let cookies):
            fields[.location] = location
            for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
            return Response(status: .seeOther, headers: fields)
        case .file(let bytes, let type, let name):
            fields[.contentType] = type
            fields[.contentDisposition] = "attachment; filename*=UTF-8''" + PercentEncoding.encode(name)
            return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
        case .response(let response): return response
        }
    }
}
