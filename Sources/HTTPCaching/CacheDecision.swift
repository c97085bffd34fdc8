import HTTPTypes
import Model

/// What to do about a GET for which the cache may have something: one value, computed from the moment, the request and
/// the stored response (RFC 9111 section 4).
public enum CacheDecision: Hashable, Sendable {
    /// Answer from the cache. `staleBySeconds` is 0 when the response is fresh.
    case useStored(ageSeconds: Int, staleBySeconds: Int)
    /// Ask the origin whether what is stored still holds, with these fields added to the request.
    case revalidate(conditions: HTTPFields)
    /// Ask the origin for everything.
    case fetch
    /// The network is needed and may not be used.
    case unsatisfiable(Reason)

    public enum Reason: Hashable, Sendable {
        /// Nothing is stored.
        case notStored
        /// It is stored, and the server forbids to use it without asking again.
        case mustRevalidate
        /// The request says `only-if-cached`.
        case onlyIfCached
    }

    /// Whether, and how, the network may be used.
    public enum Network: Hashable, Sendable {
        case available
        /// Nothing can be asked. Stale content is then better than none, unless its server forbids that
        /// (RFC 9111 section 4.2.4).
        case away
    }

    public static func decide(
        now: Timestamp, request: HTTPFields, stored: StoredResponse?, network: Network, isShared: Bool = false
    ) -> CacheDecision {
        let wish = CacheControl(request)
        guard let stored, VaryMatch.matches(stored, request: request) else {
            if network == .away { return .unsatisfiable(.notStored) }
            return wish.has("only-if-cached") ? .unsatisfiable(.onlyIfCached) : .fetch
        }
        let freshness = Freshness(of: stored, now: now, isShared: isShared)
        let staleBy = max(0, freshness.ageSeconds - freshness.lifetimeSeconds + 1)
        let use = CacheDecision.useStored(
            ageSeconds: freshness.ageSeconds, staleBySeconds: freshness.isFresh ? 0 : staleBy)
        let control = stored.cacheControl
        // In a shared cache s-maxage says the same (section 5.2.2.10).
        let isStrict =
            control.mustRevalidate || isShared && (control.has("proxy-revalidate") || control.has("s-maxage"))
        let mustAsk = control.noCache || (!freshness.isFresh && isStrict)

        if network == .away { return mustAsk ? .unsatisfiable(.mustRevalidate) : use }
        if !mustAsk, satisfies(wish, request: request, freshness: freshness) { return use }
        if wish.has("only-if-cached") { return .unsatisfiable(.onlyIfCached) }
        let conditions = Validators.conditions(for: stored)
        return conditions.isEmpty ? .fetch : .revalidate(conditions: conditions)
    }

    /// Section 5.2.1: what the request demands of the age.
    private static func satisfies(_ wish: CacheControl, request: HTTPFields, freshness: Freshness) -> Bool {
        if wish.has("no-cache") { return false }
        // Section 5.4: Pragma counts only where Cache-Control is absent.
        if request[.cacheControl] == nil,
            request[values: .pragma].contains(where: { $0.lowercased().contains("no-cache") })
        {
            return false
        }
        if let maximum = wish.seconds("max-age"), freshness.ageSeconds > maximum { return false }
        if let minimum = wish.seconds("min-fresh"), freshness.lifetimeSeconds - freshness.ageSeconds < minimum {
            return false
        }
        if freshness.isFresh { return true }
        guard let argument = wish.directives["max-stale"] else { return false }
        guard argument != nil, let limit = wish.seconds("max-stale") else { return true }
        return freshness.ageSeconds - freshness.lifetimeSeconds <= limit
    }
}

extension HTTPField.Name {
    // Proof: it is a valid field name.
    // swift-format-ignore: NeverForceUnwrap
    static let pragma = HTTPField.Name("Pragma")!
    // Proof: so is this.
    // swift-format-ignore: NeverForceUnwrap
    public static let contentDigest = HTTPField.Name("Content-Digest")!
}

/// Validators (RFC 9110 section 8.8).
public enum Validators {
    /// Both validators, when both are known: If-None-Match decides, If-Modified-Since serves old servers
    /// (RFC 9111 section 4.3.1).
    public static func conditions(for stored: StoredResponse) -> HTTPFields {
        var fields = HTTPFields()
        if let etag = stored.etag { fields[.ifNoneMatch] = etag }
        if let modified = stored.fields[.lastModified] { fields[.ifModifiedSince] = modified }
        return fields
    }

    /// Whether If-None-Match names this entity tag: a list or `*`, compared weakly (RFC 9110 section 13.1.2).
    public static func ifNoneMatch(_ condition: String, matches etag: String) -> Bool {
        if condition.filter({ !$0.isWhitespace }) == "*" { return true }
        return list(condition).contains { weakly($0, etag) }
    }

    public static func weakly(_ left: String, _ right: String) -> Bool { opaque(left) == opaque(right) }

    private static func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }

    /// Splits a list of entity tags; a comma inside quotes belongs to the tag.
    private static func list(_ value: String) -> [String] {
        var tags: [String] = []
        var current = ""
        var quoted = false
        for character in value {
            if character == "\"" { quoted.toggle() }
            if character == ",", !quoted {
                tags.append(current)
                current = ""
            } else if quoted || !character.isWhitespace {
                current.append(character)
            }
        }
        return tags + [current]
    }
}
