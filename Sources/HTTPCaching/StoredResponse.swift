import HTTPTypes
import Model

/// What a cache knows about a response that it keeps.
public struct StoredResponse: Hashable, Sendable {
    public var status: Int
    public var fields: HTTPFields
    /// When the request that brought it was sent, by this machine's clock.
    public var requestTime: Timestamp
    /// When its response arrived.
    public var responseTime: Timestamp
    /// The request's fields that its Vary names, as they were.
    public var varyingFields: HTTPFields

    public init(
        status: Int, fields: HTTPFields, requestTime: Timestamp, responseTime: Timestamp,
        varyingFields: HTTPFields = HTTPFields()
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.varyingFields = varyingFields
    }

    public var cacheControl: CacheControl { CacheControl(fields) }

    public var etag: String? { fields[.eTag] }
    public var lastModified: Timestamp? { fields[.lastModified].flatMap { HTTPDate.parse($0, now: responseTime) } }
    /// The origin's clock, when it told it.
    public var date: Timestamp? { fields[.date].flatMap { HTTPDate.parse($0, now: responseTime) } }

    /// A 304 brings new fields for what is stored: each field that it has replaces the stored one
    /// (RFC 9111 section 3.2), save those that speak of the body that did not come.
    public func updated(by notModified: HTTPFields, requestTime: Timestamp, responseTime: Timestamp) -> StoredResponse {
        var result = self
        result.requestTime = requestTime
        result.responseTime = responseTime
        // The former ones tell the age of the former reply: what a 304 without them confirms is as young as the 304.
        result.fields[.date] = nil
        result.fields[.age] = nil
        for name in Set(notModified.map(\.name)) where !StoredResponse.describesBody.contains(name) {
            result.fields[values: name] = notModified[values: name]
        }
        return result
    }

    private static let describesBody: Set<HTTPField.Name> = [
        .contentEncoding, .contentLength, .contentRange, .contentType, .transferEncoding, .connection,
    ]
}

/// What decides whether two requests may share a response (RFC 9111 section 4.1).
public enum VaryMatch {
    /// The request's fields that the response's Vary names; `nil` for `Vary: *`, which nothing matches.
    public static func selectingFields(of request: HTTPFields, vary response: HTTPFields) -> HTTPFields? {
        var selected = HTTPFields()
        for value in response[values: .vary] {
            for part in value.split(separator: ",") {
                let name = part.drop(while: \.isWhitespace).prefix(while: { !$0.isWhitespace })
                if name == "*" { return nil }
                guard let name = HTTPField.Name(String(name)) else { continue }
                let values = request[values: name]
                if !values.isEmpty { selected[name] = values.map(normalised).joined(separator: ", ") }
            }
        }
        return selected
    }

    public static func matches(_ stored: StoredResponse, request: HTTPFields) -> Bool {
        selectingFields(of: request, vary: stored.fields) == stored.varyingFields
    }

    private static func normalised(_ value: String) -> String {
        value.split(separator: ",").map { part in
            part.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }.joined(separator: ", ")
    }
}
