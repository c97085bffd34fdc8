import HTTPCaching
import HTTPTypes
import Model
import Testing

@Suite("Fields: which go on, which are kept, which a targeted one overrules, and Cache-Status")
struct FieldFilterTests {
    /// RFC 9110 section 7.6.1.
    @Test("fields of one connection do not go on, nor those that Connection names")
    func forwarded() throws {
        let message = try fields(
            ("Connection", "close, X-Hop,,"), ("connection", "x-other"), ("X-Hop", "1"), ("X-Other", "1"),
            ("Keep-Alive", "5"), ("Proxy-Connection", "x"), ("TE", "x"), ("Transfer-Encoding", "chunked"),
            ("Upgrade", "h2"), ("X-Kept", "1"), ("Cache-Control", "max-age=5"), ("Trailer", "X-T"),
            ("Proxy-Authenticate", "x"))
        #expect(
            FieldFilter.forwarded(message)
                == (try fields(
                    ("X-Kept", "1"), ("Cache-Control", "max-age=5"), ("Trailer", "X-T"), ("Proxy-Authenticate", "x"))))
        // Cache-Control is for everybody.
        let strange = try fields(("Connection", "Cache-Control"), ("Cache-Control", "no-store"))
        #expect(FieldFilter.forwarded(strange) == (try fields(("Cache-Control", "no-store"))))
    }

    /// RFC 9111 sections 3.1, 5.2.2.4 and 5.2.2.7.
    @Test("what is kept: everything unknown, nothing of one connection, one proxy, or named by no-cache and private")
    func stored() throws {
        let message = try fields(
            ("X-Unknown", "1"), ("Connection", "X-Hop"), ("X-Hop", "1"), ("Proxy-Authenticate", "x"),
            ("Proxy-Authentication-Info", "x"), ("Proxy-Authorization", "x"), ("Set-Cookie", "a"), ("Set-Cookie", "b"),
            ("Cache-Control", "no-cache=\"X-A, x-b\", private=X-C"), ("X-A", "1"), ("X-B", "1"), ("X-C", "1"))
        let common = try fields(
            ("X-Unknown", "1"), ("Set-Cookie", "a"), ("Set-Cookie", "b"),
            ("Cache-Control", "no-cache=\"X-A, x-b\", private=X-C"))
        // RFC 9111 section 7.3: what was said to one person is not replayed to others.
        var shared = common
        shared[values: .setCookie] = []
        #expect(FieldFilter.stored(message, policy: .hub) == shared)
        let former = StoredVariant(
            StoredResponse(status: 200, fields: common, requestTime: noon, responseTime: noon), policy: .hub)
        #expect(!former.response.fields.contains(.setCookie))
        var own = common
        own.append(HTTPField(name: try #require(HTTPField.Name("X-C")), value: "1"))
        #expect(FieldFilter.stored(message, policy: .device) == own)
    }

    @Test(
        "names that are none make the directive one about everything",
        arguments: [
            "no-cache=\"a b\"", "no-cache=\"\"", "no-cache=", "no-cache=\"x", "no-cache=\"x\" y", "no-cache=\",\"",
            "no-cache=\"x, Content-Encoding\"", "no-cache=vary",
        ])
    func badNames(_ value: String) {
        #expect(CacheControl(value).noCache)
        #expect(CacheControl(value.replacing("no-cache", with: "private")).isPrivate)
    }

    /// RFC 9110 section 6.6.1.
    @Test("a response without Date gets that of its arrival when it is kept")
    func date() throws {
        let reply = ValidationOutcome.Reply(status: 200, fields: HTTPFields(), requestTime: noon, responseTime: noon)
        let kept = try #require(StoredResponse.kept(reply, request: HTTPFields(), policy: .hub))
        #expect(kept.fields[.date] == HTTPDate.format(noon))
    }

    /// RFC 9213 sections 2.1 and 2.2.
    @Test(
        "the first targeted field that says something goes before Cache-Control and Expires",
        arguments: [
            (["max-age=10"], 10), (["max-age=10;foo=1, x=(1 2)"], 10), (["foo"], 0), (["x", "max-age=10"], 10),
            (["max-age=10, max-age=20"], 20), (["max-age=\"10\""], 0), (["max-age=10.5"], 0), (["max-age=-1"], 0),
            (["max-age"], 0), (["no-store=?0, max-age=10"], 10),
            // Empty or malformed: ignored.
            ([""], 60), (["max-age=10,"], 60), (["MAX-AGE=10"], 60), (["max-age=10;"], 60), (["max-age = 10"], 60),
            (["&"], 60), (["max-age=99999999999999999999"], 60), (["max-age=10", ","], 60),
        ])
    func targeted(_ values: [String], _ lifetime: Int) throws {
        var stored = try response(("Cache-Control", "max-age=60"), ("Expires", HTTPDate.format(noon.plus(99))))
        for value in values { stored.fields.append(HTTPField(name: .cdnCacheControl, value: value)) }
        #expect(StoredVariant(stored, policy: .hub).lifetimeSeconds == lifetime)
        // Not for a cache that has no such field on its list.
        #expect(StoredVariant(stored, policy: CachePolicy(isShared: true)).lifetimeSeconds == 60)
    }

    @Test("a targeted field alone says what may be stored; the order of the list counts")
    func targetedStorage() throws {
        let request = CacheRequest(fields: HTTPFields())
        let own = try #require(HTTPField.Name("Hub-Cache-Control"))
        func decide(_ pairs: (String, String)...) throws -> Bool {
            var fields = HTTPFields()
            for (name, value) in pairs {
                fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            let policy = CachePolicy(isShared: true, targetedFields: [own, .cdnCacheControl])
            return Storability.decide(request, status: 200, response: fields, policy: policy) == .store
        }
        #expect(try decide(("Cache-Control", "no-store"), ("CDN-Cache-Control", "max-age=5")))
        #expect(try !decide(("Cache-Control", "max-age=5"), ("CDN-Cache-Control", "no-store")))
        #expect(try decide(("Hub-Cache-Control", "max-age=5"), ("CDN-Cache-Control", "no-store")))
        #expect(try !decide(("Hub-Cache-Control", "=,"), ("CDN-Cache-Control", "private")))
        #expect(try decide(("CDN-Cache-Control", "private=\"x-a\"")))
        #expect(try !decide(("Cache-Control", "no-store"), ("CDN-Cache-Control", "")))
    }

    /// RFC 9211 section 2.
    @Test("Cache-Status says what was done, behind what other caches said")
    func cacheStatus() throws {
        let rows: [(CacheStatus, String)] = [
            (CacheStatus(cache: "hub.example", handling: .hit, ttlSeconds: 376), "hub.example; hit; ttl=376"),
            (
                CacheStatus(cache: "a", handling: .hit, ttlSeconds: -412, detail: "OFFLINE"),
                "a; hit; ttl=-412; detail=OFFLINE"
            ),
            (
                CacheStatus(
                    cache: "my hub", handling: .forwarded(.uriMiss, status: 200), isStored: true, isCollapsed: true),
                "\"my hub\"; fwd=uri-miss; fwd-status=200; stored; collapsed"
            ),
            (
                CacheStatus(cache: "a\"b\\cé", handling: .forwarded(.stale, status: nil), detail: "so it is"),
                "\"a\\\"b\\\\c\"; fwd=stale; detail=\"so it is\""
            ),
            (
                CacheStatus(cache: "1", handling: .forwarded(.varyMiss, status: 304)),
                "\"1\"; fwd=vary-miss; fwd-status=304"
            ),
        ]
        for (status, text) in rows { #expect(status.value == text) }
        var message = try fields(("Cache-Status", "origin; hit"), ("Cache-Status", "cdn; fwd=method"))
        rows[0].0.append(to: &message)
        #expect(message[values: .cacheStatus] == ["origin; hit, cdn; fwd=method, hub.example; hit; ttl=376"])
    }
}
