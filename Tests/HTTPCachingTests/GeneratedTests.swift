import HTTPCaching
import HTTPTypes
import Model
import Testing

/// Each rule against the oracle, over made-up messages; a failure names its seed.
@Suite("What the rules say of made-up messages is what the text of the RFC says")
struct GeneratedTests {
    static let noonSeconds = 1_795_236_660

    private func timestamp(_ seconds: Int) -> Timestamp { Timestamp(secondsSinceEpoch: Int64(seconds)) }

    /// Section 5.2.
    @Test("directives", arguments: 0..<4)
    func directives(_ seed: UInt64) {
        var cases = Cases(seed: seed)
        for _ in 0..<500 {
            let lines = cases.chance(50) ? cases.responseControl() : cases.requestControl()
            let control = CacheControl(HTTPFields(lines))
            func note() -> String { "seed \(seed): \(lines)" }
            agree(control.maxAge, Oracle.number("max-age", lines), note())
            agree(control.sharedMaxAge, Oracle.number("s-maxage", lines), note())
            agree(control.minFresh, Oracle.number("min-fresh", lines), note())
            agree(control.staleIfError, Oracle.number("stale-if-error", lines), note())
            agree(control.staleWhileRevalidate, Oracle.number("stale-while-revalidate", lines), note())
            agree(control.noCache, Oracle.hasUnqualified("no-cache", lines), note())
            agree(control.isPrivate, Oracle.hasUnqualified("private", lines), note())
            agree(control.isPublic, Oracle.has("public", lines), note())
            agree(control.noStore, Oracle.has("no-store", lines), note())
            agree(control.mustRevalidate, Oracle.has("must-revalidate", lines), note())
            agree(control.proxyRevalidate, Oracle.has("proxy-revalidate", lines), note())
            agree(control.isImmutable, Oracle.has("immutable", lines), note())
            agree(control.onlyIfCached, Oracle.has("only-if-cached", lines), note())
            agree((control.maxStale != nil), Oracle.has("max-stale", lines), note())
        }
    }

    /// Sections 4.2.1, 4.2.2 and 4.2.3, one second before, at and after the end of the lifetime.
    @Test("lifetime and age at every boundary", arguments: 0..<4)
    func freshness(_ seed: UInt64) {
        var cases = Cases(seed: seed)
        for _ in 0..<400 {
            let stored = cases.stored(at: Self.noonSeconds)
            for shared in [false, true] {
                func note() -> String { "seed \(seed): \(stored), shared \(shared)" }
                let variant = StoredVariant(StoredResponse(stored), policy: CachePolicy(isShared: shared))
                let lifetime = Oracle.lifetime(stored, shared: shared)
                agree(variant.lifetimeSeconds, lifetime, note())
                let atArrival = Oracle.age(stored, now: Self.noonSeconds)
                for offset in [-1, 0, 1, 60, lifetime - atArrival - 1, lifetime - atArrival, lifetime - atArrival + 1] {
                    let now = Self.noonSeconds + offset
                    let age = Oracle.age(stored, now: now)
                    agree(variant.ageSeconds(now: timestamp(now)), age, note())
                    agree(variant.isFresh(now: timestamp(now)), (lifetime > age), note())
                }
                if lifetime > atArrival {
                    agree(variant.freshUntil, timestamp(Self.noonSeconds + lifetime - atArrival), note())
                }
            }
        }
    }

    /// Section 4, with 5.2.1, 5.2.2, RFC 5861 and RFC 8246, at the seconds where something changes.
    @Test("the decision", arguments: 0..<8)
    func decision(_ seed: UInt64) {
        var cases = Cases(seed: seed)
        for _ in 0..<150 {
            let stored = cases.stored(at: Self.noonSeconds)
            var request = cases.requestControl()
            if cases.chance(10) { request.append(("Pragma", cases.one(["no-cache", "x, no-cache", "x"]))) }
            let policy = CachePolicy(isShared: cases.chance(50), servesStaleOffline: cases.chance(50))
            let variant = StoredVariant(StoredResponse(stored), policy: policy)
            let atArrival = Oracle.age(stored, now: Self.noonSeconds)
            let end = Oracle.lifetime(stored, shared: policy.isShared) - atArrival
            let offsets = [
                0, 1, end - 1, end, end + 1, end + (Oracle.number("stale-while-revalidate", stored.fields) ?? 3),
                end + (Oracle.number("stale-if-error", stored.fields) ?? 3) - 1,
                (Oracle.number("max-age", request) ?? 9) - atArrival,
                end - (Oracle.number("min-fresh", request) ?? 9), cases.number(0...300),
            ]
            for offset in offsets where offset < 1 << 40 {
                let now = Self.noonSeconds + max(0, offset)
                for offline in [false, true] {
                    let lookup = CacheLookup.decide(
                        now: timestamp(now), request: CacheRequest(fields: HTTPFields(request)), variants: [variant],
                        policy: policy, network: offline ? .away : .available)
                    let expected = Oracle.decide(
                        request: request, stored: stored, now: now, shared: policy.isShared, offline: offline,
                        unlimitedOffline: policy.servesStaleOffline)
                    agree(
                        Self.simplified(lookup), expected,
                        "seed \(seed): \(request) for \(stored) after \(offset) s, \(policy), offline \(offline)")
                }
            }
        }
    }

    private static func simplified(_ lookup: CacheLookup) -> Oracle.Decision {
        switch lookup {
        case .use(let use): use.refresh == nil ? .use(age: use.ageSeconds) : .useAndRefresh(age: use.ageSeconds)
        case .ask: .ask
        case .unsatisfiable: .gatewayTimeout
        }
    }

    /// Section 3.
    @Test("what is stored", arguments: 0..<4)
    func storability(_ seed: UInt64) throws {
        var cases = Cases(seed: seed)
        let statuses = [
            100, 103, 199, 200, 201, 203, 204, 206, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405,
            407,
            410, 412, 414, 416, 428, 429, 431, 451, 499, 500, 501, 503, 511, 599, 600, 999,
        ]
        for _ in 0..<800 {
            var response = cases.responseControl()
            if cases.chance(15) { response.append(("cache-control", cases.cased("no-store"))) }
            if cases.chance(15) { response.append(("cache-control", cases.cased("private"))) }
            if cases.chance(15) { response.append(("cache-control", cases.cased("must-understand"))) }
            if cases.chance(20) { response.append(("Expires", cases.date(Self.noonSeconds))) }
            if cases.chance(20) { response.append(("Vary", cases.one(["*", "a, b", "a, *", "", "**"]))) }
            if cases.chance(30) {
                let ranges = [
                    "bytes 0-4/10", "bytes 0-4/*", "bytes 0-4/5", "bytes */10", "bits 0-4/10", "bytes 4-0/10",
                ]
                response.append(("Content-Range", cases.one(ranges)))
            }
            var request: Oracle.Lines = []
            if cases.chance(30) { request.append(("Authorization", "Basic x")) }
            if cases.chance(10) { request.append(("Cache-Control", "no-store")) }
            let method = cases.chance(90) ? "GET" : cases.one(["HEAD", "PUT", "DELETE", "OPTIONS", "FOO", "get"])
            let status = cases.chance(60) ? 200 : cases.one(statuses)
            let shared = cases.chance(70)
            // "**" is a valid name, if a strange one.
            let expected = Oracle.isStorable(
                method: method, request: request, status: status, response: response, shared: shared)
            let decision = Storability.decide(
                CacheRequest(method: try #require(HTTPRequest.Method(method)), fields: HTTPFields(request)),
                status: status, response: HTTPFields(response), policy: CachePolicy(isShared: shared))
            agree(
                decision == .store, expected,
                "seed \(seed): \(method) \(request) gave \(status) \(response), shared \(shared): \(decision)")
        }
    }

    /// Section 4.1.
    @Test("Vary", arguments: 0..<4)
    func vary(_ seed: UInt64) {
        var cases = Cases(seed: seed)
        let values = ["a", "a, b", "a,b", " a ,b", "b, a", "A", "a, b,", "", "a;q=1", "a;q=1,b"]
        func request() -> Oracle.Lines {
            var lines: Oracle.Lines = []
            for name in ["X-One", "X-Two"] {
                for _ in 0..<cases.one([0, 1, 1, 1, 2]) {
                    lines.append((cases.cased(name), Oracle.trimmed(cases.one(values))))
                }
            }
            return lines
        }
        for _ in 0..<800 {
            let (one, other) = (request(), request())
            let varies = [["X-One"], ["x-one, X-TWO"], ["X-One", "X-Two"], [], ["*"], ["X-One, *"], [" ,X-Two, "]]
            let vary = cases.one(varies)
            var stored = StoredResponse(
                status: 200, fields: HTTPFields(vary.map { ("Vary", $0) }), requestTime: noon, responseTime: noon)
            stored.varyingFields =
                VaryMatch.selectingFields(of: HTTPFields(one), vary: stored.fields) ?? HTTPFields()
            let expected = Oracle.varyMatches(vary: vary, one: one, other: other)
            let variant = StoredVariant(stored, policy: .hub)
            agree(variant.matches(HTTPFields(other)), expected, "seed \(seed): \(vary): \(one) and \(other)")
            agree(VaryMatch.matches(stored, request: HTTPFields(other)), expected, "seed \(seed)")
        }
    }
}
