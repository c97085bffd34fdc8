import CacheStore
import Disk
import HTTPCaching
import HTTPTypes
import Model

/// Stores a body that has arrived, completely or in part.
struct Settlement: Sendable {
    var cache: Cache
    var policy: CachePolicy
    var arriving: ArrivingContent
    var response: StoredResponse
    var mediaType: String
    /// The request's fields: what answered it before is replaced.
    var request: HTTPFields
    var place: Place
    /// Marks the response where its URL was changed since it was asked for (RFC 9111 section 4.4).
    var valid: @Sendable (StoredResponse) -> StoredResponse
    /// Called with the number of bytes of replaced bodies.
    var replaced: @Sendable (Int64) -> Void = { _ in }

    enum Place: Sendable {
        case whole
        /// A range of content of this length; it joins what is stored, where that is the same version.
        case part(ByteRange, of: Int64, joining: CacheVariant?)
    }

    func settle(_ outcome: BodyRelay.Outcome, expected: Int64?) async {
        do {
            try await offload { try settleNow(outcome, expected: expected) }
        } catch {
            // A fault of the cache is a miss: the body has gone to those who wanted it.
        }
    }

    /// As it is kept.
    private var kept: StoredResponse { valid(response) }

    private func settleNow(_ outcome: BodyRelay.Outcome, expected: Int64?) throws {
        switch outcome {
        case .kept:
            switch place {
            case .whole:
                var former: Int64 = 0
                _ = try cache.responses.finish(arriving, mediaType: mediaType) { responses, blob, count in
                    let variant = CacheVariant(
                        blob: blob, sizeBytes: Int(count), mediaType: mediaType, response: kept)
                    responses.removeAll { one in
                        guard VaryMatch.matches(one.response, request: request) else { return false }
                        if !one.blobs.contains(blob) { former += Int64(one.sizeBytes) }
                        return true
                    }
                    responses.insert(variant, at: 0)
                }
                if former > 0 { replaced(former) }
            case .part(let range, let length, let joining):
                // Content that does not match its Content-Range is not stored.
                guard arriving.count == range.count else { return arriving.abandon() }
                try keep(range, of: length, joining: joining)
            }
        case .passed: arriving.abandon()
        case .broken:
            // The content is a part of an identified version (RFC 9111 section 3.3), or is discarded.
            let count = arriving.count
            var expected = expected
            if case .part(let range, _, _) = place { expected = range.count }
            let variant = StoredVariant(response, policy: policy)
            guard count > 0, response.status == 200, variant.strongValidator != nil, let expected, count < expected
            else {
                return arriving.abandon()
            }
            switch place {
            case .whole:
                guard let held = ByteRange(0, through: count - 1) else { return arriving.abandon() }
                try keep(held, of: expected, joining: nil)
            case .part(let range, let length, let joining):
                guard let held = ByteRange(range.first, through: range.first + count - 1) else {
                    return arriving.abandon()
                }
                try keep(held, of: length, joining: joining)
            }
        }
    }

    private func keep(_ range: ByteRange, of length: Int64, joining stored: CacheVariant?) throws {
        _ = try cache.responses.finish(arriving, mediaType: mediaType) { responses, blob, _ in
            var parts = [ContentPart(range: range, blob: blob)]
            var others = responses
            if let stored {
                // As it is now: another part may have joined meanwhile.
                guard
                    let place = others.firstIndex(where: {
                        Self.isSame($0.response, stored.response) && $0.isPartial
                    })
                else { return }
                parts += others.remove(at: place).parts
            } else {
                let former = others.filter { VaryMatch.matches($0.response, request: request) }
                // A part does not take the place of the whole, unless that is known to be another version.
                if former.contains(where: { !$0.isPartial && !Self.isOther($0.response, response) }) { return }
                for one in former where one.isPartial && isJoinable(one, of: length) { parts += one.parts }
                others.removeAll { VaryMatch.matches($0.response, request: request) }
            }
            // A part of what has no possible length replaces nothing.
            let variant = CacheVariant(
                parts: parts, completeBytes: length, mediaType: mediaType, response: kept)
            if let variant { responses = [variant] + others }
        }
    }

    /// RFC 9111 section 3.4: bytes join where both responses have the same strong validator.
    private func isJoinable(_ one: CacheVariant, of length: Int64) -> Bool {
        one.completeBytes == length
            && StoredVariant(one.response, policy: policy).isSameVersion(as: StoredVariant(response, policy: policy))
    }

    private static func isSame(_ one: StoredResponse, _ other: StoredResponse) -> Bool {
        tag(one) == tag(other) && one.fields[.lastModified] == other.fields[.lastModified]
            && (tag(one) != nil || one.fields[.lastModified] != nil)
    }

    private static func tag(_ response: StoredResponse) -> EntityTag? { response.etag.flatMap { EntityTag($0) } }

    private static func isOther(_ one: StoredResponse, _ other: StoredResponse) -> Bool {
        if let first = tag(one), let second = tag(other) { return first != second }
        if let first = one.fields[.lastModified], let second = other.fields[.lastModified] { return first != second }
        return false
    }
}
