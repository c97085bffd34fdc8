import NIOHTTP1
import WireFormat

/// A response that ends a connection, given without asking what the request is about.
struct Refusal: Hashable {
    private var status: HTTPResponseStatus
    private var document: ProblemDocument
    private var retryAfterSeconds: Int?

    init(_ fault: RequestFraming) {
        status = fault.status
        document = ProblemDocument(status: Int(status.code), name: status.reasonPhrase, detail: fault.detail)
        // It is about how the request was sent, perhaps by a proxy: the server has not looked at what it asks for.
        document.type = nil
    }

    /// RFC 9110 section 15.6.4.
    ///
    /// - Parameter seconds: when the client may come again.
    init(overloadedFor seconds: Int) {
        status = .serviceUnavailable
        document = ProblemDocument(
            status: Int(status.code), name: status.reasonPhrase,
            detail: "The server has more to do than it can now: come again in \(seconds) s.")
        retryAfterSeconds = seconds
    }

    var body: [UInt8] { document.bytes }

    func head(length: Int) -> HTTPResponseHead {
        var fields: HTTPHeaders = [
            "Content-Type": ProblemDocument.mediaType, "Content-Length": "\(length)", "Cache-Control": "no-store",
            "Connection": "close",
        ]
        if let retryAfterSeconds { fields.add(name: "Retry-After", value: "\(retryAfterSeconds)") }
        return HTTPResponseHead(version: .http1_1, status: status, headers: fields)
    }
}
