import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 section 4.3.5.
@Suite("The answer to HEAD updates the stored answer to GET, or marks it as invalid")
struct HeadTests {
    @Test(
        "validators and length that are the same update, others invalidate, absent ones say nothing",
        arguments: [
            ([], true), ([("ETag", "\"1\"")], true), ([("ETag", "\"2\"")], false), ([("ETag", "W/\"1\"")], false),
            ([("Content-Length", "10")], true), ([("Content-Length", "11")], false), ([("Content-Length", "x")], false),
            ([("Last-Modified", "Sat, 21 Nov 2020 04:51:00 GMT")], true),
            ([("Last-Modified", "Saturday, 21-Nov-20 04:51:00 GMT")], true),
            ([("Last-Modified", "Sat, 21 Nov 2020 04:51:01 GMT")], false),
            ([("ETag", "\"1\""), ("Content-Length", "9")], false),
            ([("ETag", "\"1\""), ("Content-Length", "10"), ("Last-Modified", "Sat, 21 Nov 2020 04:51:00 GMT")], true),
        ])
    func updates(_ pairs: [(String, String)], _ isSame: Bool) throws {
        var stored = try response(
            ("ETag", "\"1\""), ("Last-Modified", "Sat, 21 Nov 2020 04:51:00 GMT"), ("Cache-Control", "max-age=60"),
            ("Vary", "X-A"))
        stored.content = .whole(length: 10)
        var other = stored
        other.varyingFields = try fields(("X-A", "1"))
        var head = HTTPFields()
        for (name, value) in pairs { head.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        head[.cacheControl] = "max-age=5"
        let later = noon.plus(100)
        let reply = ValidationOutcome.Reply(status: 200, fields: head, requestTime: later, responseTime: later)
        let variants = [stored, other].map { StoredVariant($0, policy: .hub) }
        let request = CacheRequest(method: .head, url: "http://a/", fields: HTTPFields())
        let updates = HeadUpdate.updates(reply, request: request, variants: variants, policy: .hub)
        // The other variant could not have been chosen for this request.
        #expect(updates.keys.sorted() == [0])
        switch updates[0] {
        case .updated(let response):
            #expect(isSame)
            #expect(response.fields[.cacheControl] == "max-age=5")
            #expect(StoredVariant(response, policy: .hub).isFresh(now: later))
        case .invalidated(let response):
            #expect(!isSame)
            let variant = StoredVariant(response, policy: .hub)
            #expect(!variant.isFresh(now: noon))
            // Not even with the network away, nor for who takes anything stale.
            let eager = CacheRequest(fields: try fields(("Cache-Control", "max-stale")))
            for network in [CacheDecision.Network.available, .away] {
                let lookup = CacheLookup.decide(
                    now: noon, request: eager, variants: [variant], policy: .hub, network: network)
                if case .use = lookup { Issue.record("used: \(lookup)") }
            }
        case nil: Issue.record("no update")
        }
    }

    /// Section 4.4.
    @Test(
        "what a change made invalid stays so, unless this very version is named",
        arguments: [([], true), ([("ETag", "\"1\"")], false), ([("ETag", "\"1\""), ("ETag", "\"1\"")], false)])
    func invalidated(_ pairs: [(String, String)], _ isInvalidated: Bool) throws {
        var stored = try response(("ETag", "\"1\""), ("Cache-Control", "max-age=60"))
        stored.isInvalidated = true
        var head = HTTPFields()
        for (name, value) in pairs { head.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let reply = ValidationOutcome.Reply(status: 200, fields: head, requestTime: noon, responseTime: noon)
        let updates = HeadUpdate.updates(
            reply, request: CacheRequest(method: .head, url: "http://a/", fields: HTTPFields()),
            variants: [StoredVariant(stored, policy: .hub)], policy: .hub)
        guard case .updated(let updated) = updates[0] else {
            Issue.record("\(updates)")
            return
        }
        #expect(updated.isInvalidated == isInvalidated)
    }

    /// Sections 3.5 and 5.2.1.5.
    @Test("a private answer does not reach others", arguments: ["Authorization", "Cache-Control"])
    func personal(_ name: String) throws {
        let variant = StoredVariant(try response(("ETag", "\"1\""), ("Cache-Control", "max-age=60")), policy: .hub)
        let asked = try fields((name, name == "Authorization" ? "Basic x" : "no-store"))
        let request = CacheRequest(method: .head, url: "http://a/", fields: asked)
        func updates(_ tag: String, _ control: String) throws -> [Int: HeadUpdate] {
            let head = try fields(("ETag", tag), ("X-User", "anna"), ("Cache-Control", control))
            let reply = ValidationOutcome.Reply(status: 200, fields: head, requestTime: noon, responseTime: noon)
            return HeadUpdate.updates(reply, request: request, variants: [variant], policy: .hub)
        }
        #expect(try updates("\"1\"", "max-age=60").isEmpty)
        // Another version is another version, whichever client learns of it.
        #expect(try updates("\"2\"", "max-age=60").count == 1)
    }

    @Test("only a 200 to HEAD says so")
    func others() throws {
        let variant = StoredVariant(try response(("ETag", "\"1\"")), policy: .hub)
        let fields = try fields(("ETag", "\"2\""))
        for (method, status) in [(HTTPRequest.Method.get, 200), (.head, 404), (.head, 304), (.head, 206), (.post, 200)]
        {
            let reply = ValidationOutcome.Reply(status: status, fields: fields, requestTime: noon, responseTime: noon)
            let request = CacheRequest(method: method, url: "http://a/", fields: HTTPFields())
            #expect(HeadUpdate.updates(reply, request: request, variants: [variant], policy: .hub).isEmpty)
        }
    }

    /// RFC 9110 section 9.3.2 and RFC 9111 section 4.
    @Test("HEAD is answered from a stored GET, with its length and without its content")
    func headFromGet() throws {
        var stored = try response(("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Content-Length", "77"))
        stored.content = .whole(length: 10)
        let variant = StoredVariant(stored, policy: .hub)
        let request = CacheRequest(method: .head, fields: try fields(("Range", "bytes=0-1")))
        guard
            case .use(let use) = CacheLookup.decide(
                now: noon.plus(3), request: request, variants: [variant], policy: .hub)
        else {
            Issue.record("not used")
            return
        }
        let answer = StoredAnswer(variant, plan: use.plan, isHead: true, ageSeconds: use.ageSeconds, boundary: "b")
        #expect(answer.status == 200)
        #expect(answer.content == .none)
        #expect(answer.fields[.contentLength] == "10")
        #expect(answer.fields[.age] == "3")
    }
}
