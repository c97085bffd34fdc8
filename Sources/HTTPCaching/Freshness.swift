import HTTPTypes
import Model

/// How long a stored response is fresh and how old it is, in whole seconds (RFC 9111 section 4.2).
public struct Freshness: Hashable, Sendable {
    public var lifetimeSeconds: Int
    public var ageSeconds: Int
    /// Whether the lifetime was guessed from Last-Modified, since the server stated none.
    public var isHeuristic: Bool

    public var isFresh: Bool { lifetimeSeconds > ageSeconds }

    public init(of stored: StoredResponse, now: Timestamp, isShared: Bool = false) {
        (lifetimeSeconds, isHeuristic) = Freshness.lifetime(of: stored, isShared: isShared)
        ageSeconds = Freshness.age(of: stored, now: now)
    }

    /// The first moment at which the response is stale.
    public static func freshUntil(_ stored: StoredResponse, isShared: Bool = false) -> Timestamp {
        let freshness = Freshness(of: stored, now: stored.responseTime, isShared: isShared)
        // Ages count from whole second to whole second.
        let arrival = Timestamp(secondsSinceEpoch: stored.responseTime.secondsSinceEpoch)
        return arrival.adding(seconds: Double(freshness.lifetimeSeconds - freshness.ageSeconds))
    }

    /// Section 4.2.1: s-maxage (in a shared cache), else max-age, else Expires minus Date, else a heuristic.
    static func lifetime(of stored: StoredResponse, isShared: Bool) -> (seconds: Int, isHeuristic: Bool) {
        let control = stored.cacheControl
        if isShared, let seconds = control.seconds("s-maxage") { return (seconds, false) }
        if let seconds = control.seconds("max-age") { return (seconds, false) }
        let expires = stored.fields[values: .expires]
        if let first = expires.first {
            // Several Expires fields that differ are as invalid as a malformed one: in the past (section 5.3).
            guard Set(expires).count == 1, let end = HTTPDate.parse(first, now: stored.responseTime) else {
                return (0, false)
            }
            let begin = stored.date ?? stored.responseTime
            return (max(0, Int(end.secondsSinceEpoch - begin.secondsSinceEpoch)), false)
        }
        return (heuristicLifetime(of: stored, control: control), true)
    }

    /// Section 4.2.2: a tenth of the time since the last change, at most a day, for the statuses that are
    /// heuristically cacheable (RFC 9110 section 15.1) or explicitly public.
    private static func heuristicLifetime(of stored: StoredResponse, control: CacheControl) -> Int {
        guard heuristicallyCacheable.contains(stored.status) || control.has("public"),
            let modified = stored.lastModified
        else { return 0 }
        let since = (stored.date ?? stored.responseTime).secondsSinceEpoch - modified.secondsSinceEpoch
        return max(0, min(Int(since / 10), 86_400))
    }

    static let heuristicallyCacheable: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Section 4.2.3. The origin's clock may differ from ours: the apparent age is never negative, and the time that
    /// the response was under way counts in full.
    static func age(of stored: StoredResponse, now: Timestamp) -> Int {
        let date = stored.date ?? stored.responseTime
        let apparentAge = max(0, stored.responseTime.secondsSinceEpoch - date.secondsSinceEpoch)
        let delay = max(0, stored.responseTime.secondsSinceEpoch - stored.requestTime.secondsSinceEpoch)
        let correctedAge = Int64(statedAge(stored.fields)) + delay
        let residentTime = max(0, now.secondsSinceEpoch - stored.responseTime.secondsSinceEpoch)
        return Int(max(apparentAge, correctedAge) + residentTime)
    }

    /// Section 5.1: of several values the first counts; what is no number is ignored.
    private static func statedAge(_ fields: HTTPFields) -> Int {
        guard let field = fields[values: .age].first,
            let first = field.split(separator: ",").first?.split(whereSeparator: \.isWhitespace), first.count == 1,
            let number = first.first, number.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return 0 }
        return min(Int(number) ?? CacheControl.maximumSeconds, CacheControl.maximumSeconds)
    }
}
