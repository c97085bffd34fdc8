import HTTPTypes
import Model

/// Decides whether a response may be stored (RFC 9111 section 3).
package enum Storability: Hashable, Sendable {
    case store
    case refuse(Reason)

    package enum Reason: Hashable, Sendable {
        /// The request or the response says `no-store` (sections 5.2.1.5 and 5.2.2.5).
        case noStore
        /// No later request could match (section 4.1): `Vary: *`, or it names a field of the request that is invalid
        /// text.
        case varyStar
        /// A status that is not lasting, or whose meaning depends on the request.
        case status(Int)
        /// Neither GET, nor a POST whose answer names the content's URL (RFC 9110 section 9.3.3).
        case method
        /// `private`, in a shared cache (section 5.2.2.7).
        case isPrivate
        /// The request had credentials, and the response does not allow others to see it (section 3.5).
        case authorization
        /// `must-understand`, and this cache does not know the status (section 5.2.2.3).
        case notUnderstood
        /// A 206 without a usable Content-Range (section 3.3).
        case range
    }

    package static func decide(
        _ request: CacheRequest, status: Int, response: HTTPFields, policy: CachePolicy
    ) -> Storability {
        let rules = ResponseControl(response, targetedFields: policy.targetedFields)
        let control = rules.control
        if request.control.noStore { return .refuse(.noStore) }
        if control.mustUnderstand {
            // It lifts no-store only for caches that know the status.
            guard understood.contains(status) else { return .refuse(.notUnderstood) }
        } else if control.noStore {
            return .refuse(.noStore)
        }
        guard (200...599).contains(status), !neverStored.contains(status) else { return .refuse(.status(status)) }
        if policy.isShared {
            if control.isPrivate { return .refuse(.isPrivate) }
            if request.fields.contains(.authorization), !control.isPublic, !control.mustRevalidate,
                control.sharedMaxAge == nil
            {
                return .refuse(.authorization)
            }
        }
        let isExplicit =
            control.maxAge != nil || policy.isShared && control.sharedMaxAge != nil
            || rules.usesExpires && response.contains(.expires)
        switch request.method {
        case .get: break
        case .post:
            guard isExplicit, (200..<300).contains(status), status != 206, locates(response, request) else {
                return .refuse(.method)
            }
        default: return .refuse(.method)
        }
        guard
            isExplicit || control.isPublic || !policy.isShared && control.isPrivate
                || Freshness.heuristicallyCacheable.contains(status)
        else { return .refuse(.status(status)) }
        if VaryMatch.selectingFields(of: request.fields, vary: response) == nil { return .refuse(.varyStar) }
        if status == 206 {
            guard case .range(_, _?) = ContentRange(response) else { return .refuse(.range) }
        }
        return .store
    }

    /// For a GET in a device's cache.
    package static func decide(request: HTTPFields, status: Int, response: HTTPFields) -> Storability {
        decide(CacheRequest(fields: request), status: status, response: response, policy: .device)
    }

    private static func locates(_ response: HTTPFields, _ request: CacheRequest) -> Bool {
        guard let location = response[.contentLocation], let target = NormalURL(request.url, form: .anyServer) else {
            return false
        }
        return target.sameOrigin(location, clientAuthority: request.clientAuthority)?.text == target.text
    }

    /// Statuses whose caching rules are implemented here (RFC 9110 section 15).
    static let understood = Set(
        Array(200...206) + Array(300...305) + [307, 308] + Array(400...417) + [421, 422, 426] + Array(500...505))

    /// 304, 412 and 416 answer the conditions of one request; 407 is about one connection; 428, 429, 431 and 511 must
    /// not be stored (RFC 6585).
    private static let neverStored: Set<Int> = [304, 407, 412, 416, 428, 429, 431, 511]
}
