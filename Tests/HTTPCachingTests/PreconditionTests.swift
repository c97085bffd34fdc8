import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 section 4.3.2, RFC 9110 section 13.
@Suite("The client's conditions are answered by the cache")
struct PreconditionTests {
    private static let before = HTTPDate.format(noon.plus(-101))
    private static let changed = HTTPDate.format(noon.plus(-100))
    private static let after = HTTPDate.format(noon.plus(-99))

    private func variant(
        status: Int = 200, etag: String? = "\"1\"", modified: String? = changed
    ) throws -> StoredVariant {
        var stored = try response(
            status: status, ("Cache-Control", "max-age=60"), ("Date", HTTPDate.format(noon)), ("Content-Type", "a/b"),
            ("Vary", "X"), ("Expires", "0"), ("Content-Location", "/x"), ("Set-Cookie", "c"), ("Content-Length", "10"))
        stored.fields[.eTag] = etag
        stored.fields[.lastModified] = modified
        stored.content = .whole(length: 10)
        return StoredVariant(stored, policy: .hub)
    }

    private func plan(
        _ variant: StoredVariant, _ pairs: [(String, String)], head: Bool = false
    ) throws -> StoredAnswer.Plan {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return StoredAnswer.Plan(CacheRequest(method: head ? .head : .get, fields: fields), variant)
    }

    /// RFC 9110 sections 8.8.3.2 and 13.1.2.
    @Test(
        "If-None-Match: a list, a star, weak or not",
        arguments: [
            ("\"1\"", "\"1\"", true), ("\"1\"", "W/\"1\"", true), ("W/\"1\"", "\"1\"", true),
            ("\"1\"", "\"2\"", false), ("\"1\"", "\"2\", \"1\"", true), ("\"1\"", "\"2\" ,\t\"1\" ", true),
            ("\"1\"", "*", true), ("\"1\"", "\"1", false), ("\"a,b\"", "\"a,b\"", true), ("\"a\"", "\"a,b\"", false),
            ("\"1\"", "w/\"1\"", false), ("\"A\"", "\"a\"", false), ("\"1\"", "\"\"", false), ("\"\"", "\"\"", true),
            ("\"1\"", ",,\"1\",", true), ("\"1\"", "\"x\",\"*\"", false), ("\"1\"", "\"x\", *", false),
            // No backslash escapes anything in a tag (RFC 9110 section 8.8.3).
            ("\"abc\"", "\"x\\\", \"abc\"", true),
        ])
    func ifNoneMatch(_ etag: String, _ condition: String, _ matches: Bool) throws {
        let expected: StoredAnswer.Plan = matches ? .notModified : .whole
        for head in [true, false] {
            #expect(try plan(try variant(etag: etag), [("If-None-Match", condition)], head: head) == expected)
        }
        // RFC 9110 section 13.2.2: it comes before Range.
        let ranged = try plan(try variant(etag: etag), [("If-None-Match", condition), ("Range", "bytes=0-1")])
        #expect((ranged == .notModified) == matches)
    }

    @Test("several lines of If-None-Match are one list; a star matches what has no tag")
    func lines() throws {
        #expect(try plan(try variant(), [("If-None-Match", "\"2\""), ("If-None-Match", "\"1\"")]) == .notModified)
        #expect(try plan(try variant(etag: nil), [("If-None-Match", "*")]) == .notModified)
        #expect(try plan(try variant(etag: nil), [("If-None-Match", "\"1\"")]) == .whole)
    }

    /// RFC 9110 section 13.1.3.
    @Test("If-Modified-Since: to the second; ignored when invalid, double, or beside If-None-Match")
    func ifModifiedSince() throws {
        let name = "If-Modified-Since"
        #expect(try plan(try variant(), [(name, Self.before)]) == .whole)
        #expect(try plan(try variant(), [(name, Self.changed)]) == .notModified)
        #expect(try plan(try variant(), [(name, Self.after)]) == .notModified)
        for invalid in ["", "0", "yesterday", Self.after + ", " + Self.after, "2026-11-21T04:51:00Z"] {
            #expect(try plan(try variant(), [(name, invalid)]) == .whole, "\(invalid)")
        }
        #expect(try plan(try variant(), [(name, Self.after), (name, Self.after)]) == .whole)
        #expect(try plan(try variant(), [(name, Self.after), ("If-None-Match", "\"2\"")]) == .whole)
        #expect(try plan(try variant(), [(name, Self.before), ("If-None-Match", "\"1\"")]) == .notModified)
        // RFC 9111 section 4.3.2: the Date counts where nothing says when it changed.
        let undated = try variant(modified: nil)
        #expect(try plan(undated, [(name, HTTPDate.format(noon))]) == .notModified)
        #expect(try plan(undated, [(name, HTTPDate.format(noon.plus(-1)))]) == .whole)
    }

    /// RFC 9110 section 13.2.1.
    @Test("where the answer is no success, conditions do not count", arguments: [301, 404, 410, 500])
    func failures(_ status: Int) throws {
        let stored = try variant(status: status)
        #expect(try plan(stored, [("If-None-Match", "\"1\"")]) == .whole)
        #expect(try plan(stored, [("If-Modified-Since", Self.after)]) == .whole)
        #expect(try plan(stored, [("Range", "bytes=0-1")]) == .whole)
    }

    /// RFC 9110 sections 13.1.1 and 13.1.4: a cache may serve a client that names the stored version, and decides for
    /// no other.
    @Test("If-Match and If-Unmodified-Since that do not fit go to the origin, as they are")
    func origins() throws {
        let rows: [(String, String, Bool)] = [
            ("If-Match", "\"1\"", true), ("If-Match", "*", true), ("If-Match", "\"2\"", false),
            ("If-Match", "W/\"1\"", false), ("If-Match", "\"2\", \"1\"", true),
            ("If-Unmodified-Since", Self.before, false), ("If-Unmodified-Since", Self.changed, true),
            ("If-Unmodified-Since", "0", true),
        ]
        for (name, value, isServed) in rows {
            let request = CacheRequest(fields: try fields((name, value)))
            let lookup = CacheLookup.decide(now: noon, request: request, variants: [try variant()], policy: .hub)
            switch lookup {
            case .use(let use): #expect(isServed && use.plan == .whole, "\(name): \(value)")
            case .ask(let question):
                #expect(!isServed, "\(name): \(value)")
                #expect(question.forwarded(request.fields) == request.fields)
            default: Issue.record("\(lookup)")
            }
        }
    }

    /// RFC 9110 section 15.4.5.
    @Test("a 304 has what a cache needs, and no metadata of content; the date of the change only without a tag")
    func notModifiedFields() throws {
        for etag in ["\"1\"", nil] {
            let stored = try variant(etag: etag)
            let answer = StoredAnswer(stored, plan: .notModified, isHead: false, ageSeconds: 9, boundary: "")
            #expect(answer.status == 304)
            #expect(answer.content == .none)
            for name in [HTTPField.Name.cacheControl, .contentLocation, .date, .expires, .vary] {
                #expect(answer.fields[name] == stored.response.fields[name])
            }
            #expect(answer.fields[.eTag] == etag)
            #expect((answer.fields[.lastModified] == nil) == (etag != nil))
            #expect(answer.fields[.age] == "9")
            for name in [HTTPField.Name.contentLength, .contentType, .setCookie, .contentRange] {
                #expect(answer.fields[name] == nil)
            }
        }
    }

    /// RFC 9111 section 4.3.1.
    @Test("what is stale is asked after by the cache's validators in place of the client's")
    func replacedConditions() throws {
        let request = CacheRequest(
            fields: try fields(
                ("If-None-Match", "\"mine\""), ("If-Modified-Since", Self.before), ("Range", "bytes=0-1"), ("X-A", "1"),
                ("Connection", "X-Hop"), ("X-Hop", "1"), ("TE", "trailers"), ("Keep-Alive", "5")))
        let lookup = CacheLookup.decide(now: noon.plus(60), request: request, variants: [try variant()], policy: .hub)
        guard case .ask(let question) = lookup else {
            Issue.record("\(lookup)")
            return
        }
        #expect(question.reason == .stale)
        #expect(question.index == 0)
        let sent = question.forwarded(request.fields)
        #expect(
            sent
                == (try fields(
                    ("If-None-Match", "\"1\""), ("If-Modified-Since", Self.changed), ("Range", "bytes=0-1"),
                    ("X-A", "1"))))
    }

    /// RFC 5861 section 3.
    @Test("what is asked in the background is about the whole")
    func background() throws {
        var stored = try variant().response
        stored.fields[.cacheControl] = "max-age=60, stale-while-revalidate=30"
        let request = CacheRequest(
            fields: try fields(("Range", "bytes=0-1"), ("If-Range", "\"1\""), ("If-None-Match", "\"x\"")))
        let lookup = CacheLookup.decide(
            now: noon.plus(89), request: request, variants: [StoredVariant(stored, policy: .hub)], policy: .hub)
        guard case .use(let use) = lookup, let refresh = use.refresh else {
            Issue.record("\(lookup)")
            return
        }
        #expect(use.staleBySeconds == 30)
        let sent = refresh.forwarded(request.fields)
        #expect(sent == (try fields(("If-None-Match", "\"1\""), ("If-Modified-Since", Self.changed))))
        #expect(refresh.unconditional.forwarded(request.fields).isEmpty)
    }
}
