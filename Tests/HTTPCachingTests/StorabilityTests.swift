import HTTPCaching
import HTTPTypes
import Model
import Testing

@Suite("What may be kept, what its owner says instead, and what a 304 changes")
struct StorabilityTests {
    /// RFC 9111 section 3.
    @Test(
        "a response is kept unless it or its request forbids that",
        arguments: [
            (200, "", "", Storability.store), (203, "", "", .store), (200, "max-age=0", "no-cache", .store),
            (200, "private", "", .store), (200, "no-cache", "", .store), (200, "no-store", "", .refuse(.noStore)),
            (200, "max-age=60, No-Store", "", .refuse(.noStore)), (200, "", "no-store", .refuse(.noStore)),
            (200, "no-store, must-understand", "", .store),
            (299, "no-store, must-understand", "", .refuse(.notUnderstood)),
            (200, "no-store, must-understand", "no-store", .refuse(.noStore)), (206, "", "", .refuse(.range)),
            (301, "", "", .store), (302, "", "", .refuse(.status(302))), (404, "max-age=60", "", .store),
            (500, "", "", .refuse(.status(500))), (304, "", "", .refuse(.status(304))),
        ])
    func decide(_ status: Int, _ control: String, _ wish: String, _ expected: Storability) throws {
        let request = try wish.isEmpty ? fields() : fields(("Cache-Control", wish))
        let response = try control.isEmpty ? fields() : fields(("Cache-Control", control))
        #expect(Storability.decide(request: request, status: status, response: response) == expected)
    }

    /// RFC 9111 sections 3, 3.5 and 5.2.2, RFC 9110 section 15, RFC 6585: what a shared cache keeps.
    @Test(
        "a shared cache keeps what is for everybody",
        arguments: [
            (200, "private", "", Storability.refuse(.isPrivate)), (200, "private, max-age=9", "", .refuse(.isPrivate)),
            (200, "private=\"set-cookie\"", "", .store), (200, "private=\"\"", "", .refuse(.isPrivate)),
            (200, "", "Basic x", .refuse(.authorization)), (200, "max-age=9", "Basic x", .refuse(.authorization)),
            (200, "public", "Basic x", .store), (200, "s-maxage=9", "Basic x", .store),
            (200, "must-revalidate", "Basic x", .store), (200, "s-maxage=x", "Basic x", .store),
            (200, "proxy-revalidate, max-age=9", "Basic x", .refuse(.authorization)),
            (302, "s-maxage=9", "", .store), (302, "max-age=0", "", .store), (302, "", "", .refuse(.status(302))),
            (404, "", "", .store), (410, "", "", .store), (500, "max-age=9", "", .store),
            (503, "", "", .refuse(.status(503))), (599, "public", "", .store), (299, "", "", .refuse(.status(299))),
            (299, "max-age=9, must-understand", "", .refuse(.notUnderstood)),
            (206, "max-age=9", "", .refuse(.range)), (304, "max-age=9", "", .refuse(.status(304))),
            (412, "max-age=9", "", .refuse(.status(412))), (416, "max-age=9", "", .refuse(.status(416))),
            (429, "max-age=9", "", .refuse(.status(429))), (511, "public", "", .refuse(.status(511))),
            (103, "max-age=9", "", .refuse(.status(103))),
        ])
    func shared(_ status: Int, _ control: String, _ credentials: String, _ expected: Storability) throws {
        var request = HTTPFields()
        if !credentials.isEmpty { request[.authorization] = credentials }
        var response = HTTPFields()
        if !control.isEmpty { response[.cacheControl] = control }
        let decision = Storability.decide(
            CacheRequest(url: "http://a/", fields: request), status: status, response: response, policy: .hub)
        #expect(decision == expected)
    }

    @Test("a response that varies by everything is not kept")
    func varyStar() throws {
        let decision = Storability.decide(request: HTTPFields(), status: 200, response: try fields(("Vary", "a, *")))
        #expect(decision == .refuse(.varyStar))
    }

    // MARK: - Overrides

    @Test(
        "a star in a pattern stands for any run of characters",
        arguments: [
            ("*", "", true), ("*", "http://a/b", true), ("", "", true), ("", "a", false), ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true), ("a*", "ba", false), ("*a", "bba", true), ("*a", "ab", false), ("a*c", "abbc", true),
            ("a*c", "abcd", false), ("*/media/*", "http://a/media/x.jpg", true), ("*/media/*", "http://a/media", false),
            ("**", "x", true), ("a**b", "ab", true), ("a*b*c", "a-b-b-c", true), ("a*b*c", "acb", false),
            ("http://a/*", "http://a/b/c?d", true), ("*.json", "http://a/b.json.gz", false), ("*й*", "тайна", true),
            ("*aab", "aaaaab", true), ("a?c", "abc", false), ("[a]", "a", false),
        ])
    func globs(_ pattern: String, _ url: String, _ expected: Bool) {
        #expect(CacheControlOverride(pattern: pattern, value: "x").matches(url) == expected)
    }

    @Test("a pattern of many stars on a long URL is decided, too")
    func hardGlob() {
        let pattern = String(repeating: "a*", count: 50) + "b"
        #expect(!CacheControlOverride(pattern: pattern, value: "x").matches(String(repeating: "a", count: 5000)))
    }

    @Test("the first rule that fits takes the place of what the server says; Expires goes")
    func apply() throws {
        let rules = [
            CacheControlOverride(pattern: "*/media/*", value: "max-age=86400"),
            CacheControlOverride(pattern: "http://a/*", value: "no-store"),
            CacheControlOverride(pattern: "*", value: "max-age=1"),
        ]
        let stated = try fields(
            ("Cache-Control", "max-age=5"), ("Cache-Control", "private"), ("Expires", "0"), ("ETag", "\"1\""))
        func value(_ url: String) -> String? {
            let result = CacheControlOverride.apply(rules, to: stated, url: url)
            #expect(result[values: .cacheControl].count == 1)
            #expect(result[.expires] == nil)
            #expect(result[.eTag] == "\"1\"")
            return result[.cacheControl]
        }
        #expect(value("http://a/media/x") == "max-age=86400")
        #expect(value("http://a/x") == "no-store")
        #expect(value("http://b/x") == "max-age=1")
        #expect(CacheControlOverride.apply([], to: stated, url: "http://a/") == stated)
        #expect(CacheControlOverride.apply([rules[0]], to: stated, url: "http://a/") == stated)
    }

    // MARK: - Validators

    /// RFC 9110 section 13.1.2.
    @Test(
        "If-None-Match is a list that is compared weakly, or a star",
        arguments: [
            ("\"1\"", "\"1\"", true), ("\"1\"", "\"2\"", false), ("W/\"1\"", "\"1\"", true), ("\"1\"", "W/\"1\"", true),
            ("W/\"1\"", "W/\"1\"", true), ("\"0\", \"1\"", "\"1\"", true), ("\"0\",W/\"1\" , \"2\"", "\"1\"", true),
            ("*", "\"1\"", true), (" * ", "\"1\"", true), ("*x", "\"1\"", false), ("\"*\"", "\"1\"", false),
            ("\"a,b\"", "\"a,b\"", true),
            ("\"a,b\"", "\"a\"", false), ("\"a\", \"b,c\"", "\"b,c\"", true), ("", "\"1\"", false),
            ("\"\"", "\"\"", true),
            ("1", "\"1\"", false), ("\"A\"", "\"a\"", false), ("w/\"1\"", "\"1\"", false), ("\"a b\"", "\"a b\"", true),
            ("\"a b\"", "\"ab\"", false), (",, \"1\",", "\"1\"", true), ("\"1", "\"1\"", false),
        ])
    func ifNoneMatch(_ condition: String, _ etag: String, _ expected: Bool) {
        #expect(Validators.ifNoneMatch(condition, matches: etag) == expected)
    }

    // MARK: - 304

    /// RFC 9111 section 3.2.
    @Test("a 304 updates fields and times, and nothing about a body that did not come")
    func notModified() throws {
        let stored = try response(
            ("ETag", "\"1\""), ("Cache-Control", "max-age=5"), ("Content-Type", "application/json"),
            ("Content-Length", "10"),
            ("X-Old", "kept"), ("Set-Cookie", "a"), ("Set-Cookie", "b"))
        let news = try fields(
            ("ETag", "\"2\""), ("Cache-Control", "max-age=9"), ("Cache-Control", "private"), ("Content-Length", "0"),
            ("Content-Type", "text/html"), ("Content-Encoding", "br"), ("Set-Cookie", "c"),
            ("Date", HTTPDate.format(noon.plus(100))))
        let updated = stored.updated(by: news, requestTime: noon.plus(99), responseTime: noon.plus(100))
        #expect(updated.etag == "\"2\"")
        #expect(updated.fields[values: .cacheControl] == ["max-age=9", "private"])
        #expect(updated.fields[.contentType] == "application/json")
        #expect(updated.fields[.contentLength] == "10")
        #expect(updated.fields[.contentEncoding] == nil)
        #expect(updated.fields[values: .setCookie] == ["c"])
        #expect(updated.fields[try #require(HTTPField.Name("X-Old"))] == "kept")
        #expect(updated.requestTime == noon.plus(99))
        #expect(updated.responseTime == noon.plus(100))
        #expect(updated.status == 200)
    }

    @Test("a response that a 304 has confirmed is as young as the 304, though it has no Date and no Age")
    func confirmedIsYoung() throws {
        let stored = try response(
            ("Cache-Control", "max-age=60"), ("Date", HTTPDate.format(noon)), ("Age", "50"), ("ETag", "\"1\""))
        let later = noon.plus(1000)
        #expect(!Freshness(of: stored, now: later).isFresh)
        let updated = stored.updated(by: HTTPFields(), requestTime: later, responseTime: later)
        #expect(Freshness(of: updated, now: later).ageSeconds == 0)
        #expect(Freshness(of: updated, now: later.plus(59)).isFresh)
        #expect(!Freshness(of: updated, now: later.plus(60)).isFresh)
        let aged = stored.updated(by: try fields(("Age", "20")), requestTime: later, responseTime: later)
        #expect(Freshness(of: aged, now: later).ageSeconds == 20)
    }
}
