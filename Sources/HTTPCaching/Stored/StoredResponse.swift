import HTTPTypes
import Model

/// A response and its metadata in a cache.
package struct StoredResponse: Hashable, Sendable {
    package var status: Int
    package var fields: HTTPFields
    /// When its request was sent, by this machine's clock.
    package var requestTime: Timestamp
    /// When its response arrived.
    package var responseTime: Timestamp
    /// The values of the request's fields that its Vary names.
    package var varyingFields: HTTPFields
    /// The stored part of the content.
    package var content: StoredContent
    /// Whether it may only be used after validation by the origin (RFC 9111 sections 4.3.5 and 4.4).
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
    /// The origin's clock, where it sent a Date.
    package var date: Timestamp? { first(.date).flatMap { HTTPDate.parse($0, now: responseTime) } }

    func first(_ name: HTTPField.Name) -> String? { fields.first(name) }
}

extension HTTPFields {
    /// The first value of a field that should occur once.
    func first(_ name: HTTPField.Name) -> String? { contains(name) ? self[values: name].first : nil }
}

/// How much of a representation a cache holds.
package enum StoredContent: Hashable, Sendable {
    /// Complete; `length` in bytes as sent, `nil` where it was not counted.
    case whole(length: Int64?)
    /// Some bytes of `completeLength` (RFC 9111 section 3.3): the ranges are sorted and do not touch.
    case partial([ByteRange], completeLength: Int64)

    package var completeLength: Int64? {
        switch self {
        case .whole(let length): length
        case .partial(_, let length): length
        }
    }
}
