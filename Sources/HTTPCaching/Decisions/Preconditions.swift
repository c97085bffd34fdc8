import HTTPTypes
import Model

/// Evaluates the client's conditions, as far as a cache does (RFC 9111 section 4.3.2, RFC 9110 section 13).
package enum Preconditions {
    /// Whether the client's own copy is the stored one: 304.
    package static func isNotModified(_ request: HTTPFields, _ variant: StoredVariant) -> Bool {
        // RFC 9110 section 13.1.3: If-None-Match takes precedence over the date.
        if request.contains(.ifNoneMatch) {
            let list = request[values: .ifNoneMatch].joined(separator: ",")
            return Validators.names(list, variant.etag, by: EntityTag.weakly)
        }
        let dates = request[values: .ifModifiedSince]
        // An invalid date, or more than one, is ignored.
        guard dates.count == 1, let since = HTTPDate.parse(dates[0], now: variant.response.responseTime) else {
            return false
        }
        // RFC 9111 section 4.3.2: the Date, where there is no Last-Modified.
        return variant.lastModified ?? variant.date <= since
    }

    /// Conditions that protect the client from a wrong version: the stored response may be used if it meets them;
    /// otherwise the origin decides (RFC 9110 sections 13.1.1 and 13.1.4).
    static func holdForCache(_ request: HTTPFields, _ variant: StoredVariant) -> Bool {
        if request.contains(.ifMatch) {
            let list = request[values: .ifMatch].joined(separator: ",")
            return Validators.names(list, variant.etag, by: EntityTag.strongly)
        }
        let dates = request[values: .ifUnmodifiedSince]
        guard dates.count == 1, let since = HTTPDate.parse(dates[0], now: variant.response.responseTime) else {
            return true
        }
        return variant.lastModified.map { $0 <= since } ?? false
    }

    /// RFC 9110 section 13.1.5: the exact version, by a strong comparison; otherwise Range is ignored.
    static func ifRangeHolds(_ request: HTTPFields, _ variant: StoredVariant) -> Bool {
        guard request.contains(.ifRange) else { return true }
        let values = request[values: .ifRange]
        guard values.count == 1, let value = values.first else { return false }
        if value.hasPrefix("\"") || value.hasPrefix("W/") {
            guard let etag = variant.etag, let wanted = EntityTag(value) else { return false }
            return EntityTag.strongly(etag, wanted)
        }
        guard variant.hasStrongLastModified, let date = HTTPDate.parse(value, now: variant.response.responseTime) else {
            return false
        }
        return variant.lastModified == date
    }
}
