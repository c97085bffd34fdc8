import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Sync
import Synchronization
import Testing

@Suite("The HTTP cache, by the rules of RFC 9111")
struct HTTPCacheTests {
    @Test("a fresh response is served without asking, with Age and Cache-Status (sections 4.2, 5.1; RFC 9211)")
    func fresh() async throws {
        let start = ManualClock.start
        let ground = try CachingFixture { _ in
            reply(200, [.cacheControl: "max-age=60", .xTest: "1"], "hello", at: start)
        }
        let first = try await ground.get()
        #expect(first.body == "hello" && first.cacheStatus == "hub; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(first.age == nil)
        ground.pass(seconds: 59)
        let second = try await ground.get()
        #expect(second.body == "hello" && second.fields[.xTest] == "1")
        #expect(second.age == 59 && second.cacheStatus == "hub; hit; ttl=1")
        #expect(ground.origin.count == 1)
        ground.pass(seconds: 1)
        #expect(try await ground.get().cacheStatus.contains("fwd=stale"))
        #expect(ground.origin.count == 2)
    }

    @Test("an unstated lifetime is a tenth of the time since the last change (section 4.2.2)")
    func heuristic() async throws {
        let changed = HTTPDate.format(ManualClock.start.adding(seconds: -1000))
        let start = ManualClock.start
        let ground = try CachingFixture { _ in reply(200, [.lastModified: changed], "x", at: start) }
        _ = try await ground.get()
        ground.pass(seconds: 99)
        #expect(try await ground.get().cacheStatus.contains("hit"))
        ground.pass(seconds: 1)
        _ = try await ground.get()
        #expect(ground.origin.count == 2)
        #expect(ground.origin.requests[1].headerFields[.ifModifiedSince] == changed)
    }

    @Test("what is stale is asked after with its validators; a 304 freshens it, a 200 replaces it (section 4.3)")
    func validation() async throws {
        let changes = Mutex(false)
        let ground = try CachingFixture { request in
            if request.headerFields[.ifNoneMatch] == "\"1\"", !changes.withLock({ $0 }) {
                return reply(304, [.eTag: "\"1\"", .cacheControl: "max-age=30", .xTest: "new"])
            }
            let isNew = changes.withLock { $0 }
            return reply(200, [.eTag: isNew ? "\"2\"" : "\"1\"", .cacheControl: "max-age=10"], isNew ? "two" : "one")
        }
        #expect(try await ground.get().body == "one")
        ground.pass(seconds: 20)
        let confirmed = try await ground.get()
        #expect(confirmed.status == 200 && confirmed.body == "one" && confirmed.fields[.xTest] == "new")
        #expect(confirmed.cacheStatus.contains("fwd=stale; fwd-status=304"))
        ground.pass(seconds: 29)
        #expect(try await ground.get().cacheStatus.contains("hit"))
        ground.pass(seconds: 10)
        changes.withLock { $0 = true }
        #expect(try await ground.get().body == "two")
        #expect(try await ground.get().cacheStatus.contains("hit"))
        #expect(ground.origin.count == 3 && ground.http.statistics.revalidated == 1)
    }

    @Test("responses of one URL live beside one another, as Vary says (section 4.1)")
    func variants() async throws {
        let ground = try CachingFixture { request in
            let language = request.headerFields[.acceptLanguage] ?? "none"
            return reply(200, [.vary: "Accept-Language", .cacheControl: "max-age=60"], "in \(language)")
        }
        for language in ["en", "ru", "de"] {
            #expect(try await ground.get("/a", [.acceptLanguage: language]).body == "in \(language)")
        }
        #expect(try await ground.get().body == "in none")
        for language in ["ru", "en", "de"] {
            let again = try await ground.get("/a", [.acceptLanguage: language])
            #expect(again.body == "in \(language)" && again.cacheStatus.contains("hit"))
        }
        #expect(ground.origin.count == 4)
        let entry = try #require(try ground.cache.entry(url: ground.url).value)
        #expect(entry.variants.count == 3)
        #expect(try ground.cache.survey.verify().isClean && ground.cache.space.statistics().entries == 1)
        // Another process finds them in the same file.
        let after = try CachingFixture(disk: ground.disk) { _ in reply(500) }
        #expect(try await after.get("/a", [.acceptLanguage: "ru"]).body == "in ru")
        #expect(after.origin.count == 0)
    }

    @Test("ranges and HEAD are answered from a stored GET (RFC 9110 sections 9.3.2 and 14)")
    func ranges() async throws {
        let ground = try CachingFixture { _ in
            reply(200, [.cacheControl: "max-age=60", .eTag: "\"1\"", .contentType: "text/plain"], "0123456789")
        }
        _ = try await ground.get()
        let part = try await ground.get("/a", [.range: "bytes=2-4"])
        #expect(part.status == 206 && part.body == "234" && part.fields[.contentRange] == "bytes 2-4/10")
        let suffix = try await ground.get("/a", [.range: "bytes=-3", .ifRange: "\"1\""])
        #expect(suffix.status == 206 && suffix.body == "789")
        #expect(try await ground.get("/a", [.range: "bytes=2-4", .ifRange: "\"2\""]).body == "0123456789")
        let none = try await ground.get("/a", [.range: "bytes=10-"])
        #expect(none.status == 416 && none.fields[.contentRange] == "bytes */10")
        let several = try await ground.get("/a", [.range: "bytes=0-0,9-9"])
        #expect(several.status == 206 && several.fields[.contentLength] == String(several.body.utf8.count))
        #expect(
            several.body.contains("Content-Range: bytes 0-0/10\r\n\r\n0\r\n") && several.body.contains("\r\n\r\n9\r\n"))
        let head = try await ground.get(method: .head)
        #expect(head.status == 200 && head.body.isEmpty && head.fields[.contentLength] == "10")
        #expect(ground.origin.count == 1)
    }

    @Test("parts are kept, served, joined, and completed by asking for the rest alone (sections 3.3 and 3.4)")
    func parts() async throws {
        let text = "0123456789"
        let ground = try CachingFixture { request in
            let fields: [HTTPField.Name: String] = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            guard let specs = RangeSpec.parse(request.headerFields), specs.count == 1,
                let range = specs[0].resolved(length: 10)
            else { return reply(200, fields, text) }
            let piece = String(text.dropFirst(Int(range.first)).prefix(Int(range.count)))
            return reply(
                206, fields.merging([.contentRange: "bytes \(range.first)-\(range.last)/10"]) { $1 }, piece)
        }
        #expect(try await ground.get("/a", [.range: "bytes=2-4"]).body == "234")
        let again = try await ground.get("/a", [.range: "bytes=3-4"])
        #expect(again.status == 206 && again.body == "34" && again.cacheStatus.contains("hit"))
        #expect(try await ground.get("/a", [.range: "bytes=4-6"]).body == "456")
        let across = try await ground.get("/a", [.range: "bytes=2-6"])
        #expect(across.body == "23456" && across.cacheStatus.contains("hit"))
        #expect(ground.origin.count == 2)
        let whole = try await ground.get()
        #expect(whole.status == 200 && whole.body == text && whole.fields[.contentLength] == "10")
        #expect(ground.origin.requests.last?.headerFields[.range] == "bytes=0-9")
        let hit = try await ground.get()
        #expect(hit.body == text && hit.status == 200 && hit.cacheStatus.contains("hit"))
        #expect(ground.origin.count == 3)
        #expect(try ground.cache.survey.verify().isClean)
    }

    @Test("the client's conditions are answered from what is stored (section 4.3.2)")
    func conditions() async throws {
        let ground = try CachingFixture { _ in reply(200, [.cacheControl: "max-age=60", .eTag: "W/\"1\""], "x") }
        _ = try await ground.get()
        let same = try await ground.get("/a", [.ifNoneMatch: "\"0\", \"1\""])
        #expect(same.status == 304 && same.body.isEmpty && same.fields[.eTag] == "W/\"1\"" && same.age == 0)
        #expect(try await ground.get("/a", [.ifNoneMatch: "\"0\""]).status == 200)
        #expect(ground.origin.count == 1)
        // Stale: the cache asks with its own validator, and answers the client's condition from what comes.
        ground.pass(seconds: 100)
        #expect(try await ground.get("/a", [.ifNoneMatch: "W/\"1\""]).status == 304)
        #expect(ground.origin.count == 2)
    }

    @Test(
        "a change makes what is stored invalid: its target, Location, Content-Location (section 4.4)",
        arguments: [HTTPRequest.Method.post, .put, .delete])
    func invalidation(_ method: HTTPRequest.Method) async throws {
        let ground = try CachingFixture { request in
            if request.method != .get {
                return reply(
                    200, [.location: "/b", .contentLocation: "http://origin.example/c"], "changed")
            }
            return reply(200, [.cacheControl: "max-age=60", .eTag: "\"1\""], request.path ?? "")
        }
        for path in ["/a", "/b", "/c", "/d"] { _ = try await ground.get(path) }
        let changed = try await ground.get("/a", method: method)
        #expect(changed.body == "changed" && changed.cacheStatus == "hub; fwd=method; fwd-status=200")
        for path in ["/a", "/b", "/c"] {
            #expect(try await ground.get(path).cacheStatus.contains("fwd="), "\(path)")
        }
        #expect(try await ground.get("/d").cacheStatus.contains("hit"))
    }

    /// A change made what is stored invalid; what was asked before it, and answered after it, does not undo that.
    @Test(
        "an answer that was under way during a change makes nothing valid again (section 4.4)",
        arguments: [HTTPRequest.Method.get, .head], [nil, "bytes=5-9"])
    func underWay(_ method: HTTPRequest.Method, _ range: String?) async throws {
        let gate = Gate()
        let isSlow = Mutex(false)
        let ground = try CachingFixture { request in
            if request.method == .put { return reply(204) }
            if isSlow.withLock({ $0 }) { await gate.pass() }
            let fields: [HTTPField.Name: String] = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            if request.headerFields.contains(.ifNoneMatch) { return reply(304, fields) }
            guard let wanted = request.headerFields[.range] else { return reply(200, fields, "0123456789") }
            let part = wanted == "bytes=5-9" ? "56789" : "01234"
            let place = wanted == "bytes=5-9" ? "5-9" : "0-4"
            return reply(206, fields.merging([.contentRange: "bytes \(place)/10"]) { $1 }, part)
        }
        _ = try await ground.get("/a", range == nil ? [:] : [.range: "bytes=0-4"])
        _ = try await ground.get(method: .put)
        isSlow.withLock { $0 = true }
        let asked = ground.origin.count
        let slow = Task { try await ground.get("/a", range.map { [.range: $0] } ?? [:], method: method) }
        await waitUntil("the origin is asked") { ground.origin.count > asked }
        _ = try await ground.get(method: .put)
        isSlow.withLock { $0 = false }
        gate.open()
        _ = try await slow.value
        await ground.http.finishBackgroundWork()
        let before = ground.origin.count
        let next = try await ground.get("/a", range.map { [.range: $0] } ?? [:])
        #expect(ground.origin.count > before, "\(next.cacheStatus)")
        #expect(next.body == (range == nil ? "0123456789" : "56789"))
    }

    @Test("a change that failed makes nothing invalid (section 4.4)")
    func failedChange() async throws {
        let ground = try CachingFixture { request in
            request.method == .get ? reply(200, [.cacheControl: "max-age=60"], "x") : reply(403)
        }
        _ = try await ground.get()
        #expect(try await ground.get(method: .delete).status == 403)
        #expect(try await ground.get().cacheStatus.contains("hit"))
    }

    @Test("negative answers and redirects are kept like others (RFC 9110 section 15.1)", arguments: [301, 404, 410])
    func negative(_ status: Int) async throws {
        let ground = try CachingFixture { _ in
            reply(status, [.cacheControl: "max-age=60", .location: "/elsewhere"], "gone")
        }
        _ = try await ground.get()
        let again = try await ground.get()
        #expect(again.status == status && again.body == "gone" && again.fields[.location] == "/elsewhere")
        #expect(ground.origin.count == 1)
    }

    @Test("a response without a body is kept, and may be asked for at once")
    func empty() async throws {
        let ground = try CachingFixture { _ in reply(204, [.cacheControl: "max-age=60"]) }
        _ = try await ground.send()
        let again = try await ground.get()
        #expect(again.status == 204 && again.cacheStatus.contains("hit") && ground.origin.count == 1)
    }

    @Test(
        "what may not be kept is not (sections 3, 3.5, 5.2.2)",
        arguments: ["no-store, max-age=60", "private, max-age=60"])
    func notKept(_ control: String) async throws {
        let ground = try CachingFixture { _ in reply(200, [.cacheControl: control], "x") }
        for _ in 0..<2 { #expect(try await ground.get().body == "x") }
        #expect(ground.origin.count == 2)
        #expect(try ground.cache.space.statistics().entries == 0)
    }

    @Test("fields that are not UTF-8 come out of the cache as they went in")
    func bytesOfFields() async throws {
        let name = HTTPField.Name.contentDisposition
        let latin = Array("attachment; filename=\"".utf8) + [0xE9] + Array(".pdf\"".utf8)
        let ground = try CachingFixture { _ in
            var answer = reply(200, [.cacheControl: "max-age=60"], "x")
            answer.head.headerFields[fields: name] = [HTTPField(name: name, value: latin)]
            return answer
        }
        _ = try await ground.get()
        let hit = try await ground.get()
        #expect(ground.origin.count == 1)
        #expect(hit.fields[fields: name].map { $0.withUnsafeBytesOfValue { Array($0) } } == [latin])
    }

    @Test("an answer to a request with credentials is for others only where it says so (section 3.5)")
    func authorization() async throws {
        let ground = try CachingFixture { request in
            reply(200, [.cacheControl: request.path == "/a" ? "max-age=60" : "public, max-age=60"], "x")
        }
        for _ in 0..<2 { _ = try await ground.get("/a", [.authorization: "Bearer 1"]) }
        #expect(ground.origin.count == 2)
        for _ in 0..<2 { _ = try await ground.get("/b", [.authorization: "Bearer 1"]) }
        #expect(ground.origin.count == 3)
    }

    @Test("what the origin now forbids to keep is forgotten")
    func forgotten() async throws {
        let isStrict = Mutex(false)
        let ground = try CachingFixture { _ in
            reply(200, [.cacheControl: isStrict.withLock { $0 } ? "no-store" : "max-age=1"], "x")
        }
        _ = try await ground.get()
        isStrict.withLock { $0 = true }
        ground.pass(seconds: 5)
        _ = try await ground.get()
        #expect(try ground.cache.space.statistics().entries == 0)
    }

    @Test("only-if-cached gets a 504 where nothing may answer (section 5.2.1.7)")
    func onlyIfCached() async throws {
        let ground = try CachingFixture { _ in reply(200, [.cacheControl: "max-age=60"], "x") }
        let none = try await ground.get("/a", [.cacheControl: "only-if-cached"])
        #expect(none.status == 504 && none.fields[.contentType] == "application/problem+json")
        #expect(none.cacheStatus == "hub; detail=unsatisfiable" && ground.origin.count == 0)
        _ = try await ground.get()
        #expect(try await ground.get("/a", [.cacheControl: "only-if-cached"]).status == 200)
    }

    @Test("several fields of one name stay several, and what belongs to one connection goes (sections 3.1 and 7.6.1)")
    func fields() async throws {
        let ground = try CachingFixture { _ in
            var answer = reply(200, [.cacheControl: "max-age=60", .connection: "X-Hop"], "x")
            answer.head.headerFields.append(HTTPField(name: .xTest, value: "</a>"))
            answer.head.headerFields.append(HTTPField(name: .xTest, value: "</b>, </c>"))
            return answer
        }
        for _ in 0..<2 {
            let answer = try await ground.get()
            #expect(answer.fields[values: .xTest] == ["</a>", "</b>, </c>"])
            #expect(answer.fields[.connection] == nil)
        }
        #expect(ground.origin.count == 1)
    }

    @Test("content with a coding of its own is kept as it came (RFC 9110 section 8.4)")
    func coded() async throws {
        let ground = try CachingFixture { _ in
            reply(200, [.cacheControl: "max-age=60", .contentEncoding: "x-own", .contentType: "text/html"], "coded")
        }
        for _ in 0..<2 {
            let answer = try await ground.get()
            #expect(answer.body == "coded" && answer.fields[.contentEncoding] == "x-own")
        }
    }

    @Test("a rule of the owner takes the place of the origin's Cache-Control")
    func overrides() async throws {
        let ground = try CachingFixture(
            overrides: [CacheControlOverride(pattern: "*/a", value: "max-age=60")]
        ) { _ in reply(200, [.cacheControl: "no-store"], "x") }
        for _ in 0..<2 { _ = try await ground.get() }
        #expect(ground.origin.count == 1)
    }

    @Test("HEAD that shows another version makes the stored one stale (section 4.3.5)")
    func head() async throws {
        let tag = Mutex("\"1\"")
        let ground = try CachingFixture { request in
            var answer = reply(200, [.eTag: tag.withLock { $0 }, .cacheControl: "max-age=10"], "x")
            if request.method == .head { answer.body = .empty }
            return answer
        }
        _ = try await ground.get()
        ground.pass(seconds: 20)
        tag.withLock { $0 = "\"2\"" }
        _ = try await ground.get(method: .head)
        #expect(ground.origin.requests[1].method == .head)
        #expect(try await ground.get().cacheStatus.contains("fwd="))
    }
}
