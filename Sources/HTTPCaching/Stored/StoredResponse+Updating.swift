import HTTPTypes
import Model

extension StoredResponse {
    /// The stored form of a storable response (RFC 9111 sections 3.1 to 3.3).
    ///
    /// - Parameters:
    ///   - content: the received content; by default complete, or for a 206 the range of its Content-Range.
    /// - Returns: `nil` for a 206 without a valid range.
    package static func kept(
        _ reply: ValidationOutcome.Reply, request: HTTPFields, content: StoredContent? = nil, policy: CachePolicy
    ) -> StoredResponse? {
        var fields = FieldFilter.stored(reply.fields, policy: policy)
        var content = content
        var status = reply.status
        if status == 206 {
            guard case .range(let range, let length?) = ContentRange(reply.fields) else { return nil }
            let isWhole = range.count == length
            content = content ?? (isWhole ? .whole(length: length) : .partial([range], completeLength: length))
            // The stored response describes the complete representation; `content` says which bytes are stored.
            status = 200
            fields[.contentRange] = nil
            fields[.contentLength] = String(length)
            for name in FieldFilter.digestsOfContent { fields[name] = nil }
        }
        // RFC 9110 section 6.6.1: a recipient with a clock adds a missing Date.
        if !fields.contains(.date) { fields[.date] = HTTPDate.format(reply.responseTime) }
        guard let varying = VaryMatch.selectingFields(of: request, vary: fields) else { return nil }
        return StoredResponse(
            status: status, fields: fields, requestTime: reply.requestTime, responseTime: reply.responseTime,
            varyingFields: varying, content: content ?? .whole(length: nil))
    }

    /// A 304, a 206 of the same version, or the answer to HEAD updates the stored fields (RFC 9111 section 3.2): each
    /// of its fields replaces the stored one, except those that must not be stored and those that the stored content
    /// depends on.
    package func updated(by reply: ValidationOutcome.Reply, policy: CachePolicy) -> StoredResponse {
        var result = self
        result.requestTime = reply.requestTime
        result.responseTime = reply.responseTime
        result.isInvalidated = false
        // The former Date and Age belong to the former reply: a 304 without them confirms the response as of its own
        // arrival.
        result.fields[.date] = HTTPDate.format(reply.responseTime)
        result.fields[.age] = nil
        let news = FieldFilter.stored(reply.fields, policy: policy)
        var excluded: Set<HTTPField.Name> = [.contentLength, .contentRange]
        if policy.storesDecoded { excluded.formUnion([.contentEncoding, .contentType]) }
        // A multipart 206 has the type of its envelope, and the digest of a part is not that of the complete
        // representation.
        if reply.status == 206 { excluded.formUnion(FieldFilter.digestsOfContent.union([.contentType])) }
        for name in Set(news.map(\.name)).subtracting(excluded) { result.fields[fields: name] = news[fields: name] }
        // Fields newly named by no-cache="…" or private="…" are no longer stored.
        result.fields = FieldFilter.stored(result.fields, policy: policy)
        return result
    }

    /// The same after an update with a different Vary: the selecting fields are those of the updating request.
    func selected(by request: HTTPFields) -> StoredResponse {
        var result = self
        result.varyingFields = VaryMatch.selectingFields(of: request, vary: fields) ?? HTTPFields()
        return result
    }

    /// The same for a device's cache.
    package func updated(by notModified: HTTPFields, requestTime: Timestamp, responseTime: Timestamp) -> StoredResponse
    {
        updated(
            by: ValidationOutcome.Reply(
                status: 304, fields: notModified, requestTime: requestTime, responseTime: responseTime),
            policy: .device)
    }
}

/// The effect of an answer to HEAD on stored answers to GET (RFC 9111 section 4.3.5).
package enum HeadUpdate: Hashable, Sendable {
    /// Validators and length are the same: the stored fields are updated.
    case updated(StoredResponse)
    /// The representation has changed: the stored response may only be used after validation.
    case invalidated(StoredResponse)

    /// - Returns: by index; empty unless the answer is a 200.
    package static func updates(
        _ reply: ValidationOutcome.Reply, request: CacheRequest, variants: [StoredVariant], policy: CachePolicy
    ) -> [Int: HeadUpdate] {
        guard request.method == .head, reply.status == 200 else { return [:] }
        // A private answer is not for others: its fields are not stored (sections 3.5 and 5.2.1.5).
        let asGet = CacheRequest(url: request.url, fields: request.fields)
        let isPersonal =
            request.control.noStore
            || Storability.decide(asGet, status: reply.status, response: reply.fields, policy: policy)
                == .refuse(.authorization)
        var updates: [Int: HeadUpdate] = [:]
        for (index, variant) in variants.enumerated() where variant.matches(request.fields) {
            if isSame(reply.fields, variant) {
                if isPersonal { continue }
                var response = variant.response.updated(by: reply, policy: policy)
                // Fields are no validation: an invalidated response stays so (section 4.4), unless the answer names
                // this exact version.
                response.isInvalidated = variant.response.isInvalidated && !isNamed(by: reply.fields, variant)
                updates[index] = .updated(response.selected(by: request.fields))
            } else {
                var response = variant.response
                response.isInvalidated = true
                updates[index] = .invalidated(response)
            }
        }
        return updates
    }

    private static func isNamed(by head: HTTPFields, _ variant: StoredVariant) -> Bool {
        guard let tag = head.first(.eTag).flatMap({ EntityTag($0) }), let stored = variant.etag else { return false }
        return EntityTag.strongly(stored, tag)
    }

    private static func isSame(_ head: HTTPFields, _ variant: StoredVariant) -> Bool {
        if let etag = head.first(.eTag), EntityTag(etag) != variant.etag { return false }
        if let modified = head.first(.lastModified), HTTPDate.parse(modified) != variant.lastModified { return false }
        guard let length = head[.contentLength] else { return true }
        let stored =
            variant.response.content.completeLength
            ?? variant.response.fields[.contentLength].flatMap { Digits.value($0) }
        return stored == nil || stored == Digits.value(length)
    }
}
