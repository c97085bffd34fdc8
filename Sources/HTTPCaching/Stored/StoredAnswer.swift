import HTTPTypes
import Model

/// The answer to one request, made from a stored response (RFC 9111 sections 4.3.2 and 4, RFC 9110 section 14).
package struct StoredAnswer: Hashable, Sendable {
    package var status: Int
    /// With Age, Content-Length and Content-Range; the sender adds Cache-Status.
    package var fields: HTTPFields
    package var content: Content

    package enum Content: Hashable, Sendable {
        case none
        case whole
        case range(ByteRange)
        /// multipart/byteranges (RFC 9110 section 14.6): each range after its own header, then the end.
        case multipart([Part], end: String)
    }

    package struct Part: Hashable, Sendable {
        package var header: String
        package var range: ByteRange
    }

    /// The part of the stored response that answers the request.
    package enum Plan: Hashable, Sendable {
        case whole
        /// The client's own copy is still valid.
        case notModified
        /// Normalised, satisfiable and stored: one for a plain 206, several for a multipart one.
        case ranges([ByteRange], completeLength: Int64)
        /// 416.
        case unsatisfiableRange(completeLength: Int64)
        /// The content is incomplete; these bytes are missing.
        case missing([ByteRange])
        /// A condition that only the origin can evaluate (RFC 9111 section 4.3.2).
        case otherwise

        package var isPossible: Bool {
            switch self {
            case .missing, .otherwise: false
            default: true
            }
        }
    }

    /// - Parameters:
    ///   - plan: from the lookup, or for a response that was just confirmed.
    ///   - boundary: for several ranges: a text that does not occur in the content.
    package init(
        _ variant: StoredVariant, plan: Plan, isHead: Bool, ageSeconds: Int, boundary: @autoclosure () -> String
    ) {
        var fields = variant.response.fields
        // RFC 9110 section 14.4: with another status it is an ordinary field.
        if variant.response.status == 206 { fields[.contentRange] = nil }
        status = variant.response.status == 206 ? 200 : variant.response.status
        content = isHead ? .none : .whole
        switch plan {
        case .notModified:
            status = 304
            content = .none
            fields = Self.notModifiedFields(fields)
        case .ranges(let ranges, let length) where ranges.count == 1:
            status = 206
            for name in FieldFilter.digestsOfContent { fields[name] = nil }
            content = .range(ranges[0])
            fields[.contentRange] = ContentRange.range(ranges[0], completeLength: length).value
            fields[.contentLength] = String(ranges[0].count)
        case .ranges(let ranges, let length):
            status = 206
            for name in FieldFilter.digestsOfContent { fields[name] = nil }
            let boundary = boundary()
            let parts = Self.parts(ranges, length: length, boundary: boundary, contentType: fields[.contentType])
            let end = "\r\n--\(boundary)--\r\n"
            content = .multipart(parts, end: end)
            fields[.contentType] = "multipart/byteranges; boundary=\(boundary)"
            let total = parts.reduce(Int64(end.utf8.count)) { $0 + Int64($1.header.utf8.count) + $1.range.count }
            fields[.contentLength] = String(total)
        case .unsatisfiableRange(let length):
            status = 416
            content = .none
            let (date, via) = (fields[.date], fields[.via])
            fields = HTTPFields()
            fields[.date] = date
            fields[.via] = via
            fields[.contentRange] = ContentRange.unsatisfied(completeLength: length).value
            fields[.contentLength] = "0"
        case .whole, .missing, .otherwise:
            // The stored bytes are sent, whatever the field said (RFC 9112 section 6.3).
            if status != 204, let length = variant.response.content.completeLength {
                fields[.contentLength] = String(length)
            }
        }
        // Section 5.1: always, and exactly one.
        fields[.age] = String(min(ageSeconds, CacheControl.maximumSeconds))
        self.fields = fields
    }

    /// RFC 9110 section 15.4.5: the fields that a cache needs, and no metadata of content that the client already has;
    /// Last-Modified only without an entity tag.
    private static func notModifiedFields(_ fields: HTTPFields) -> HTTPFields {
        let hasTag = fields.contains(.eTag)
        return HTTPFields(fields.filter { describing.contains($0.name) || $0.name == .lastModified && !hasTag })
    }

    private static let describing: Set<HTTPField.Name> = [
        .cacheControl, .cdnCacheControl, .contentLocation, .date, .eTag, .expires, .vary, .cacheStatus, .via,
    ]

    private static func parts(_ ranges: [ByteRange], length: Int64, boundary: String, contentType: String?) -> [Part] {
        ranges.map { range in
            var header = "\r\n--\(boundary)\r\n"
            if let contentType { header += "Content-Type: \(contentType)\r\n" }
            header += "Content-Range: \(ContentRange.range(range, completeLength: length).value)\r\n\r\n"
            return Part(header: header, range: range)
        }
    }
}

extension StoredAnswer.Plan {
    package init(_ request: CacheRequest, _ variant: StoredVariant) {
        let fields = request.fields
        guard Preconditions.holdForCache(fields, variant) else {
            self = .otherwise
            return
        }
        let plan = Self.contentPlan(request, variant)
        // Conditions count where the answer would be a success (RFC 9110 section 13.2.1), and come before Range.
        if plan.isPossible, (200..<300).contains(variant.response.status),
            Preconditions.isNotModified(fields, variant)
        {
            self = .notModified
        } else {
            self = plan
        }
    }

    private static func contentPlan(_ request: CacheRequest, _ variant: StoredVariant) -> Self {
        let content = variant.response.content
        let ranges = wantedRanges(request, variant)
        switch content {
        case .whole(let length):
            guard let ranges, let length else { return .whole }
            return satisfiable(ranges, length: length) ?? .whole
        case .partial(let held, let length):
            let missing = ByteRange.missing(from: held, length: length)
            if missing.isEmpty { return ranges.flatMap { satisfiable($0, length: length) } ?? .whole }
            guard let ranges, let plan = satisfiable(ranges, length: length) else { return .missing(missing) }
            guard case .ranges(let wanted, _) = plan else { return plan }
            // Section 3.3: only a range that is stored completely.
            return wanted.allSatisfy { part in held.contains { $0.contains(part) } } ? plan : .missing(missing)
        }
    }

    /// RFC 9110 section 14.2: Range is for GET, and counts where the answer would be 200 and If-Range holds.
    private static func wantedRanges(_ request: CacheRequest, _ variant: StoredVariant) -> [RangeSpec]? {
        guard request.method == .get, request.fields.contains(.range),
            variant.response.status == 200 || variant.response.status == 206,
            Preconditions.ifRangeHolds(request.fields, variant)
        else { return nil }
        return RangeSpec.parse(request.fields)
    }

    /// Section 14.1.2. `nil` for empty content: no range of it exists, so all of it is sent.
    private static func satisfiable(_ specs: [RangeSpec], length: Int64) -> Self? {
        let ranges = specs.compactMap { $0.resolved(length: length) }
        if ranges.isEmpty {
            let hasSuffix = specs.contains { if case .suffix(let count) = $0 { count > 0 } else { false } }
            return hasSuffix ? nil : .unsatisfiableRange(completeLength: length)
        }
        // Section 14.2: ranges that overlap or touch are joined; otherwise the client's order is kept.
        let joined = ByteRange.joined(ranges)
        return .ranges(joined.count == ranges.count ? ranges : joined, completeLength: length)
    }
}
