import HTTPTypes
import Model
import Sync
import WireFormat

/// The reply to a device about its test or change.
enum RelayReply {
    /// The upstream's own word, where it is one that settles the matter for the device; else `nil`: the hub keeps on.
    static func final(_ reply: RemoteReply, _ id: TestID, _ digest: Digest, now: Timestamp) -> HTTPReply? {
        let decision = DeliveryDecision.decide(
            .init(test: id, digest: digest, outcome: .success(reply), history: nil, now: now, jitter: 0))
        switch decision {
        case .acknowledged, .rejected, .conflict: break
        // A token that is not accepted is its device's matter; a page that asks for a login is not the upstream.
        case .retry where reply.status == 401 && !reply.isFromStranger: break
        case .retry, .kept: return nil
        }
        var fields = reply.fields
        fields[.contentLength] = nil
        fields[.cacheStatus] = "\(HubProblem.cacheName); fwd=bypass; fwd-status=\(reply.status)"
        return HTTPReply(
            head: HTTPResponse(status: .init(code: reply.status), headerFields: fields),
            body: HTTPBody(bytes: reply.body))
    }

    /// The upstream's reply when it rejected a change; `nil` if it is unknown, or was about the credentials: then the
    /// upstream is asked again.
    static func refusal(_ receipt: Receipt) throws -> HTTPReply? {
        guard let delivery = receipt.delivery, let status = delivery.httpStatus, (400..<500).contains(status),
            status != 401, status != 403, let problem = delivery.problem
        else { return nil }
        var reply = try json(problem, status: .init(code: status), cacheControl: "no-store")
        reply.head.headerFields[.contentType] = ProblemDocument.mediaType
        reply.head.headerFields[.eTag] = receipt.published?.etag
        return reply
    }

    /// Not delivered, but in good hands.
    static func kept(_ receipt: KeptReceipt) throws -> HTTPReply {
        try json(receipt, status: .accepted, cacheControl: "no-store")
    }

    /// The upstream's receipt, as the hub has it.
    static func receipt(_ receipt: Receipt, status: HTTPResponse.Status) throws -> HTTPReply {
        try json(receipt, status: status, cacheControl: status == .ok ? "private, no-cache" : "no-store")
    }

    static func json(
        _ value: some Encodable, status: HTTPResponse.Status, cacheControl: String
    ) throws -> HTTPReply {
        let bytes = try DocumentCoding.encode(value)
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        fields[.cacheControl] = cacheControl
        fields[.contentDigest] = DigestField.format(Digest(sha256Of: bytes))
        fields[.cacheStatus] = "\(HubProblem.cacheName); detail=\"outbox\""
        return HTTPReply(head: HTTPResponse(status: status, headerFields: fields), body: HTTPBody(bytes: bytes))
    }
}
