import HTTPTypes

/// A request to the origin, and the reason for it.
package struct OriginQuestion: Hashable, Sendable {
    /// The stored response that the conditions are about; `nil` for none or several.
    package var index: Int?
    /// Fields to add to the request; they replace the client's own conditions.
    package var conditions = HTTPFields()
    package var reason: Reason
    /// The request is the cache's own: it asks for the complete response, without the client's conditions and range.
    package var isInBackground = false

    /// Why the request is forwarded, in the words of RFC 9211 section 2.2.
    package enum Reason: String, Hashable, Sendable {
        case bypass, method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request, stale, partial
    }

    package init(reason: Reason) { self.reason = reason }

    package var isConditional: Bool { !conditions.isEmpty }

    /// Whether it asks for a range that the client did not ask for: a 206 or 416 is then no answer for the client.
    package var asksForRest: Bool { conditions.contains(.range) }

    /// The same without any condition or range: after `repeatWithoutConditions`.
    package var unconditional: OriginQuestion {
        var question = OriginQuestion(reason: reason)
        question.isInBackground = true
        return question
    }

    /// Several responses are stored and none matches by Vary. One of them may still be valid, and the origin's 304 says
    /// which (RFC 9111 section 4.3.1). Only strong tags distinguish representations, and a response that the client
    /// cannot read is never used, whatever an origin says.
    static func forAnother(of variants: [StoredVariant], request: CacheRequest) -> OriginQuestion {
        var question = OriginQuestion(reason: variants.isEmpty ? .uriMiss : .varyMiss)
        guard request.method == .get, !request.hasValidationConditions, !request.fields.contains(.range),
            !request.fields.contains(.ifMatch), !request.fields.contains(.ifUnmodifiedSince)
        else { return question }
        var tags: [String] = []
        for variant in variants.prefix(mostTags) {
            guard case .whole = variant.response.content, !variant.response.isInvalidated, let etag = variant.etag,
                etag.isStrong, !tags.contains(etag.value),
                ContentCodings.areReadable(variant.response.fields, by: request.fields)
            else { continue }
            tags.append(etag.value)
        }
        if !tags.isEmpty { question.conditions[.ifNoneMatch] = tags.joined(separator: ", ") }
        return question
    }

    private static let mostTags = 16

    /// Asks only for the rest of a partial response, if it is unchanged (RFC 9111 section 3.4, RFC 9110 section
    /// 13.1.5).
    static func forTheRest(of variant: StoredVariant, index: Int, gaps: [ByteRange]) -> OriginQuestion {
        var question = OriginQuestion(reason: .partial)
        guard let first = gaps.first?.first, let last = gaps.last?.last, let validator = variant.strongValidator else {
            return question
        }
        question.index = index
        question.conditions[.range] = "bytes=\(first)-\(last)"
        question.conditions[.ifRange] = validator
        return question
    }

    /// The request's fields as forwarded to the origin: without those of this connection, and with the conditions.
    package func forwarded(_ request: HTTPFields) -> HTTPFields {
        var fields = FieldFilter.forwarded(request)
        if isInBackground {
            for name in [HTTPField.Name.range, .ifRange, .ifMatch, .ifUnmodifiedSince] { fields[name] = nil }
        }
        if isConditional || isInBackground {
            for name in [HTTPField.Name.ifNoneMatch, .ifModifiedSince] { fields[name] = nil }
        }
        for field in conditions { fields[field.name] = field.value }
        return fields
    }
}
