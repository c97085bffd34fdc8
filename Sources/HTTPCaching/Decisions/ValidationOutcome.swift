import HTTPTypes
import Model

/// The effect of the origin's answer on the stored responses (RFC 9111 section 4.3.3).
package enum ValidationOutcome: Hashable, Sendable {
    /// 304: the stored response is valid. `updates` are written, and `use` (one of them) answers the client.
    case confirmed(updates: [Update], use: Int)
    /// 304: a response that was stored for other values of its Vary fields is valid for this request too: its content
    /// with these fields becomes a further variant, and answers the client.
    case adopted(content: Int, StoredResponse)
    /// 304 for the client's own condition: it is forwarded unchanged.
    case passedOn
    /// 304 that names no stored response: ask again without conditions.
    case repeatWithoutConditions
    /// 206 of the same version: the bytes join the stored ones.
    case combined(index: Int, StoredResponse, arriving: ByteRange)
    /// The origin fails: a stored response is served instead.
    case servedStale(StoredUse)
    /// The client gets this answer, which replaces the stored one if it may be stored.
    case replaced

    package struct Update: Hashable, Sendable {
        package var index: Int
        /// As it answers this request.
        package var response: StoredResponse
        package var fate: Fate
    }

    /// The fate of a stored response that was confirmed.
    package enum Fate: Hashable, Sendable {
        /// It is stored with the new fields.
        case updated
        /// The answer was for one client alone, by its credentials or its `no-store`: the stored response stays
        /// unchanged.
        case untouched
        /// The new fields forbid storing: it is served once and removed.
        case removed
    }

    /// An answer of the origin.
    package struct Reply: Sendable {
        package var status: Int
        package var fields: HTTPFields
        package var requestTime: Timestamp
        package var responseTime: Timestamp

        package init(status: Int, fields: HTTPFields, requestTime: Timestamp, responseTime: Timestamp) {
            self.status = status
            self.fields = fields
            self.requestTime = requestTime
            self.responseTime = responseTime
        }
    }

    package init(
        _ reply: Reply, to question: OriginQuestion, request: CacheRequest, variants: [StoredVariant],
        policy: CachePolicy
    ) {
        switch reply.status {
        case 304:
            self = Self.notModified(reply, question, request, variants, policy)
        case 206:
            let combined = Self.combination(reply, request, variants, policy)
            self = combined ?? (question.asksForRest ? .repeatWithoutConditions : .replaced)
        case 416 where question.asksForRest:
            self = .repeatWithoutConditions
        default:
            let use = CacheLookup.afterFailure(
                now: reply.responseTime, request: request, variants: variants, policy: policy, status: reply.status)
            self = use.map { .servedStale($0) } ?? .replaced
        }
    }

    private static func notModified(
        _ reply: Reply, _ question: OriginQuestion, _ request: CacheRequest, _ variants: [StoredVariant],
        _ policy: CachePolicy
    ) -> ValidationOutcome {
        guard question.isConditional else {
            if request.hasValidationConditions, !question.isInBackground { return .passedOn }
            // The complete content was requested, and the origin still answers 304: it means the stored response.
            let use = CacheLookup.afterFailure(
                now: reply.responseTime, request: request, variants: variants, policy: policy, status: nil)
            return use.map { .servedStale($0) } ?? .passedOn
        }
        let confirmed = selected(by: reply, question, request, variants)
        if let use = confirmed.contains(question.index ?? -1) ? question.index : newest(confirmed, variants) {
            let updates = confirmed.map { index in
                let response = variants[index].response.updated(by: reply, policy: policy).selected(by: request.fields)
                return Update(index: index, response: response, fate: fate(response, request, policy))
            }
            return .confirmed(updates: updates, use: use)
        }
        guard let tag = reply.fields.first(.eTag).flatMap({ EntityTag($0) }),
            let other = variants.firstIndex(where: { variant in
                guard case .whole = variant.response.content,
                    ContentCodings.areReadable(variant.response.fields, by: request.fields)
                else { return false }
                return variant.etag.map { EntityTag.strongly($0, tag) } ?? false
            })
        else { return .repeatWithoutConditions }
        let response = variants[other].response.updated(by: reply, policy: policy)
        guard fate(response, request, policy) == .updated else { return .repeatWithoutConditions }
        return .adopted(content: other, response.selected(by: request.fields))
    }

    private static func fate(_ response: StoredResponse, _ request: CacheRequest, _ policy: CachePolicy) -> Fate {
        let asGet = CacheRequest(url: request.url, fields: request.fields)
        switch Storability.decide(asGet, status: response.status, response: response.fields, policy: policy) {
        case .store: return .updated
        case .refuse(.authorization): return .untouched
        case .refuse where request.control.noStore:
            // Whether the response by itself may be stored.
            let others = CacheRequest(url: request.url, fields: HTTPFields())
            let decision = Storability.decide(
                others, status: response.status, response: response.fields, policy: policy)
            return decision == .store ? .untouched : .removed
        case .refuse: return .removed
        }
    }

    /// RFC 9111 section 4.3.4: selects the stored responses that a 304 is about.
    private static func selected(
        by reply: Reply, _ question: OriginQuestion, _ request: CacheRequest, _ variants: [StoredVariant]
    ) -> [Int] {
        let candidates = variants.indices.filter { variants[$0].matches(request.fields) }
        if let tag = reply.fields.first(.eTag).flatMap({ EntityTag($0) }) {
            if tag.isStrong {
                return candidates.filter { variants[$0].etag.map { EntityTag.strongly($0, tag) } ?? false }
            }
            return newest(candidates.filter { variants[$0].etag.map { EntityTag.weakly($0, tag) } ?? false }, variants)
                .map { [$0] } ?? []
        }
        if let modified = reply.fields.first(.lastModified).flatMap({ HTTPDate.parse($0, now: reply.responseTime) }) {
            let same = candidates.filter { variants[$0].lastModified == modified }
            let date = reply.fields[.date].flatMap { HTTPDate.parse($0, now: reply.responseTime) }
            if let date, Validators.isStrong(lastModified: modified, date: date) { return same }
            return newest(same, variants).map { [$0] } ?? []
        }
        // Without validators: the conditions came from one response, so it is that one.
        return question.index.map { [$0] } ?? []
    }

    private static func newest(_ indices: [Int], _ variants: [StoredVariant]) -> Int? {
        indices.max { left, right in
            (variants[left].date, variants[left].response.responseTime)
                < (variants[right].date, variants[right].response.responseTime)
        }
    }

    /// With more pieces the content is fetched from the start.
    private static let mostPieces = 256

    /// RFC 9111 section 3.4: ranges join if both responses have the same strong validator and the new one may be
    /// stored.
    private static func combination(
        _ reply: Reply, _ request: CacheRequest, _ variants: [StoredVariant], _ policy: CachePolicy
    ) -> ValidationOutcome? {
        guard request.method == .get, case .range(let range, let length?) = ContentRange(reply.fields),
            let index = CacheLookup.select(variants, for: request.fields)
        else { return nil }
        let stored = variants[index]
        let arrived = StoredVariant(
            StoredResponse(
                status: 206, fields: reply.fields, requestTime: reply.requestTime, responseTime: reply.responseTime),
            policy: policy)
        guard stored.isSameVersion(as: arrived), stored.response.status == 200 || stored.response.status == 206,
            stored.response.content.completeLength ?? length == length,
            Storability.decide(request, status: 206, response: reply.fields, policy: policy) == .store
        else { return nil }
        var response = stored.response.updated(by: reply, policy: policy).selected(by: request.fields)
        if case .partial(let held, _) = stored.response.content {
            let ranges = ByteRange.joined(held + [range])
            guard ranges.count <= mostPieces else { return nil }
            let isWhole = ByteRange.missing(from: ranges, length: length).isEmpty
            response.content = isWhole ? .whole(length: length) : .partial(ranges, completeLength: length)
        }
        return .combined(index: index, response, arriving: range)
    }
}
