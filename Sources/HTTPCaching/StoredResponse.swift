import HTTPTypes
import Model

/// What a cache knows about a response that it keeps.
package struct StoredResponse: Hashable, Sendable {
    package var status: Int
    package var fields: HTTPFields
    /// When the request that brought it was sent, by this machine's clock.
    package var requestTime: Timestamp
    /// When its response arrived.
    package var responseTime: Timestamp
    /// The request's fields that its Vary names, as they were.
    package var varyingFields: HTTPFields
    /// What is held of the content.
    package var content: StoredContent
    /// Marked as invalid: it may only be used after the origin confirmed it (RFC 9111 sections 4.3.5 and 4.4).
    package var isInvalidated: Bool

    package init(
        status: Int, fields: HTTPFields, requestTime: Timestamp, responseTime: Timestamp,
        varyingFields: HTTPFields = HTTPFields(), content: StoredContent = .whole(length: nil),
        isInvalidated: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.varyingFields = varyingFields
        self.content = content
        self.isInvalidated = isInvalidated
    }

    package var cacheControl: CacheControl { CacheControl(fields) }

    package var etag: String? { first(.eTag).flatMap { $0.isEmpty ? nil : $0 } }
    package var lastModified: Timestamp? { first(.lastModified).flatMap { HTTPDate.parse($0, now: responseTime) } }
    /// The origin's clock, when it told it.
    package var date: Timestamp? { first(.date).flatMap { HTTPDate.parse($0, now: responseTime) } }

    func first(_ name: HTTPField.Name) -> String? { fields.first(name) }
}

extension HTTPFields {
    /// Of a field that should be there once, the first one counts.
    func first(_ name: HTTPField.Name) -> String? { contains(name) ? self[values: name].first : nil }
}

/// How much of a representation a cache holds.
package enum StoredContent: Hashable, Sendable {
    /// All of it; `length` in bytes as it is sent, `nil` where nobody counted.
    case whole(length: Int64?)
    /// Some bytes of `completeLength` (RFC 9111 section 3.3): the ranges are sorted, and do not touch one another.
    case partial([ByteRange], completeLength: Int64)

    package var completeLength: Int64? {
        switch self {
        case .whole(let length): length
        case .partial(_, let length): length
        }
    }
}
