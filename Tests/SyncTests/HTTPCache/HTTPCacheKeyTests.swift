import HTTPCaching
import HTTPTypes
import Simulation
import Sync
import Testing

@Suite("What is one question, and one answer, to the HTTP cache")
struct HTTPCacheKeyTests {
    @Test("in a cache of one user, requests with other credentials do not share an answer that is under way")
    func credentials() async throws {
        let gate = Gate()
        let ground = try CachingFixture(policy: .device) { request in
            await gate.pass()
            return reply(200, [:], "for \(request.headerFields[.authorization] ?? "no one")")
        }
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            for name in ["alice", "bob"] {
                group.addTask { (name, try await ground.get("/me", [.authorization: name]).body) }
            }
            await waitUntil("both ask") { ground.origin.count == 2 }
            gate.open()
            for try await (name, body) in group { #expect(body == "for \(name)") }
        }
    }

    @Test("bodies are kept as they come, whatever the policy says of pulls: a 304 changes their Content-Type")
    func coding() async throws {
        let ground = try CachingFixture(policy: .device) { request in
            if request.headerFields[.ifNoneMatch] != nil {
                return reply(304, [.eTag: "\"1\"", .contentType: "text/html", .cacheControl: "max-age=10"])
            }
            return reply(200, [.eTag: "\"1\"", .contentType: "text/plain", .cacheControl: "max-age=10"], "text")
        }
        _ = try await ground.get()
        ground.pass(seconds: 20)
        #expect(try await ground.get().fields[.contentType] == "text/html")
        #expect(try await ground.get().fields[.contentType] == "text/html")
    }

    @Test("a reserved character of a path and its escape are two (RFC 3986 section 2.2), other spellings are one")
    func reserved() async throws {
        let ground = try CachingFixture { request in reply(200, [.cacheControl: "max-age=60"], request.path ?? "") }
        for path in ["/a:b", "/a%3Ab", "/a(1)", "/a%281%29", "/a+b", "/a%2Bb"] {
            #expect(try await ground.get(path).body == path)
        }
        for (path, first) in [("/a%3ab", "/a%3Ab"), ("/%61:b", "/a:b"), ("/a(%31)", "/a(1)")] {
            let fetched = try await ground.get(path)
            #expect(fetched.body == first && fetched.cacheStatus.contains("hit"))
        }
    }

    @Test("a fragment is no part of what a response is kept under (RFC 9110 section 7.1)")
    func fragment() async throws {
        let ground = try CachingFixture { _ in reply(200, [.cacheControl: "max-age=60"], "one") }
        _ = try await ground.get("/r?a=b")
        #expect(try await ground.get("/r?a=b#x").cacheStatus.contains("hit"))
        for (path, url) in [("#x", "/"), ("/#/x?y", "/"), ("/r#x#y", "/r")] {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "origin.example", path: path)
            #expect(HTTPCache.url(of: request) == "http://origin.example" + url)
        }
    }
}
