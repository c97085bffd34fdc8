import HTTPTypes

/// What the origin is to be asked, and why.
package struct OriginQuestion: Hashable, Sendable {
    /// The stored response that the conditions are about; `nil` when they are about none or about several.
    package var index: Int?
    /// Fields to add to the request; they take the place of the client's own conditions.
    package var conditions = HTTPFields()
    package var reason: Reason
    /// The request is the cache's own: it asks for everything, without the client's conditions and range.
    package var isInBackground = false

    /// Why the request goes on, in the words of RFC 9211 section 2.2.
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

    /// Several are stored and none fits by Vary: one of them may be the right one all the same, and the origin's 304
    /// says which (RFC 9111 section 4.3.1). Only strong tags tell representations apart; and
    /// what the client cannot read is none for it, whatever an origin says.
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

    /// Only what is missing of a partial response, if it is still the same (RFC 9111 section 3.4, RFC 9110 section
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

    /// The request's fields as they go to the origin: without those of this connection, and with the conditions.
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
