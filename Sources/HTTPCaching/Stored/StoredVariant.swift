import HTTPTypes
import Model

/// A stored response with the parsed caching fields.
///
/// Parsing costs more than deciding: keep the value beside the response (in memory) as long as the response does not
/// change.
package struct StoredVariant: Hashable, Sendable {
    package let response: StoredResponse
    /// The applicable rules: a targeted field's, or Cache-Control's.
    package let control: CacheControl
    /// RFC 9111 section 4.2.1.
    package let lifetimeSeconds: Int
    /// Whether the lifetime is an estimate (section 4.2.2).
    package let isHeuristic: Bool
    package let etag: EntityTag?
    package let lastModified: Timestamp?
    /// The origin's clock; without a Date, the time of arrival (RFC 9110 section 6.6.1).
    package let date: Timestamp
    /// Whether stale content must never be served (sections 5.2.2.2, 5.2.2.8 and 5.2.2.10).
    package let isStrict: Bool
    /// Fields that Vary names, with the values of the request for this response; `nil` for `Vary: *`.
    let varying: [Varying]?
    /// The one language of the content, in lowercase; `nil` for none or several.
    private let language: String?
    /// Section 4.2.3, `corrected_initial_age`.
    let initialAgeSeconds: Int

    struct Varying: Hashable, Sendable {
        var name: HTTPField.Name
        /// `nil` for invalid text.
        var value: VaryMatch.Value?
    }

    package init(_ response: StoredResponse, policy: CachePolicy) {
        var response = response
        if policy.isShared {
            // An earlier release stored these.
            for name in FieldFilter.cookies where response.fields.contains(name) { response.fields[values: name] = [] }
        }
        self.response = response
        let rules = ResponseControl(response.fields, targetedFields: policy.targetedFields)
        control = rules.control
        (lifetimeSeconds, isHeuristic) = Freshness.lifetime(of: response, rules: rules, policy: policy)
        initialAgeSeconds = Freshness.initialAge(of: response)
        etag = response.etag.flatMap { EntityTag($0) }
        lastModified = response.lastModified
        date = response.date ?? response.responseTime
        isStrict =
            control.mustRevalidate || policy.isShared && (control.proxyRevalidate || control.sharedMaxAge != nil)
        language = VaryMatch.language(of: response.fields)
        varying = VaryMatch.names(of: response.fields)?.map { name in
            Varying(name: name, value: VaryMatch.value(of: name, in: response.varyingFields))
        }
    }

    /// Section 4.2.3, `current_age`: whole seconds, never negative.
    package func ageSeconds(now: Timestamp) -> Int {
        let resident = max(0, now.secondsSinceEpoch - response.responseTime.secondsSinceEpoch)
        return initialAgeSeconds + Int(resident)
    }

    /// The remaining freshness; 0 or less if stale.
    package func remainingSeconds(now: Timestamp) -> Int { lifetimeSeconds - ageSeconds(now: now) }

    /// Section 4.2: fresh while the lifetime exceeds the age and the response is not invalidated.
    package func isFresh(now: Timestamp) -> Bool { !response.isInvalidated && remainingSeconds(now: now) > 0 }

    /// The first moment at which it is stale, by this machine's clock.
    package var freshUntil: Timestamp {
        // Ages count whole seconds.
        let arrival = Timestamp(secondsSinceEpoch: response.responseTime.secondsSinceEpoch)
        return arrival.adding(seconds: Double(lifetimeSeconds - initialAgeSeconds))
    }

    /// Section 4.1: whether the request has the same values of the fields that Vary names, or prefers the response's
    /// language above all others.
    package func matches(_ request: HTTPFields) -> Bool {
        guard let varying else { return false }
        return varying.allSatisfy { field in
            isSame(field, request)
                || field.name == .acceptLanguage && language != nil
                    && VaryMatch.preferredLanguage(of: request) == language
        }
    }

    /// The same without considering the language.
    func matchesExactly(_ request: HTTPFields) -> Bool { varying?.allSatisfy { isSame($0, request) } ?? false }

    private func isSame(_ field: Varying, _ request: HTTPFields) -> Bool {
        VaryMatch.isSame(field.value, VaryMatch.value(of: field.name, in: request))
    }

    /// Whether Last-Modified can be compared strongly (RFC 9110 section 8.8.2.2).
    var hasStrongLastModified: Bool {
        guard let lastModified, response.date != nil else { return false }
        return Validators.isStrong(lastModified: lastModified, date: date)
    }

    var hasVary: Bool { varying.map { !$0.isEmpty } ?? true }

    /// Whether both have bytes of the same version (RFC 9111 section 3.4).
    package func isSameVersion(as other: StoredVariant) -> Bool {
        guard let validator = strongValidator, let theirs = other.strongValidator else { return false }
        return validator.hasSameBytes(as: theirs)
    }

    /// For If-Range: the entity tag, else Last-Modified if it is strong (RFC 9110 section 13.1.5).
    package var strongValidator: String? {
        if let etag { return etag.isStrong ? etag.value : nil }
        return hasStrongLastModified ? response.first(.lastModified) : nil
    }
}
