import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 sections 4 and 4.1.
@Suite("Of several stored responses the right one is chosen")
struct SelectionTests {
    private func variant(
        vary: String?, _ varying: [(String, String)] = [], date: Int = 0, arrived: Int = 0, etag: String = "\"1\"",
        content: StoredContent = .whole(length: 10)
    ) throws -> StoredVariant {
        var stored = StoredResponse(
            status: 200, fields: HTTPFields(), requestTime: noon.plus(arrived), responseTime: noon.plus(arrived),
            content: content)
        stored.fields[.vary] = vary
        stored.fields[.date] = HTTPDate.format(noon.plus(date))
        stored.fields[.eTag] = etag
        stored.fields[.cacheControl] = "max-age=1000"
        for (name, value) in varying { stored.varyingFields[try #require(HTTPField.Name(name))] = value }
        return StoredVariant(stored, policy: .hub)
    }

    private func chosen(_ request: HTTPFields, _ variants: [StoredVariant]) -> Int? {
        let lookup = CacheLookup.decide(
            now: noon.plus(20), request: CacheRequest(fields: request), variants: variants, policy: .hub)
        guard case .use(let use) = lookup else { return nil }
        return use.index
    }

    @Test("the one whose Vary fits; of several the one with the latest Date, not the latest arrival")
    func latest() throws {
        let german = [("Accept-Language", "de")]
        let variants = [
            try variant(vary: "Accept-Language", german, date: 1, arrived: 9),
            try variant(vary: "Accept-Language", [("Accept-Language", "fr")], date: 9, arrived: 9),
            try variant(vary: "Accept-Language", german, date: 5, arrived: 5),
            try variant(vary: "Accept-Language", german, date: 3, arrived: 3),
        ]
        #expect(chosen(try fields(("Accept-Language", "de")), variants) == 2)
        #expect(chosen(try fields(("Accept-Language", "fr")), variants) == 1)
        #expect(chosen(try fields(("Accept-Language", "it")), variants) == nil)
        #expect(chosen(HTTPFields(), variants) == nil)
    }

    @Test("where several are stored, one that forgot its Vary stands back")
    func forgotten() throws {
        let variants = [
            try variant(vary: nil, date: 9),
            try variant(vary: "X-A", [("X-A", "1")], date: 1),
        ]
        #expect(chosen(try fields(("X-A", "1")), variants) == 1)
        #expect(chosen(try fields(("X-A", "2")), variants) == 0)
        #expect(chosen(HTTPFields(), variants) == 0)
    }

    @Test("Vary: * matches nothing, not even the same request")
    func star() throws {
        let variants = [try variant(vary: "*"), try variant(vary: "X-A, *", [("X-A", "1")])]
        #expect(chosen(try fields(("X-A", "1")), variants) == nil)
        #expect(chosen(HTTPFields(), variants) == nil)
    }

    @Test("a Vary of very many names matches nothing")
    func hostileVary() throws {
        for (count, isFine) in [(64, true), (65, false), (10_000, false)] {
            let stored = try variant(vary: (0..<count).map { "X-\($0)" }.joined(separator: ","))
            #expect((chosen(HTTPFields(), [stored]) != nil) == isFine)
        }
    }

    @Test("where none fits, the origin gets the strong tags of those that are stored", arguments: [true, false])
    func tags(_ isPlain: Bool) throws {
        let variants = [
            try variant(vary: "X-A", [("X-A", "1")], etag: "\"a\""),
            try variant(vary: "X-A", [("X-A", "2")], etag: "W/\"b\""),
            try variant(vary: "X-A", [("X-A", "3")], etag: "\"c\""),
            try variant(vary: "X-A", [("X-A", "4")], etag: "\"a\""),
        ]
        let request = isPlain ? HTTPFields() : try fields(("If-None-Match", "\"mine\""))
        let lookup = CacheLookup.decide(
            now: noon, request: CacheRequest(fields: request), variants: variants, policy: .hub)
        guard case .ask(let question) = lookup else {
            Issue.record("\(lookup)")
            return
        }
        #expect(question.reason == .varyMiss)
        let forwarded = question.forwarded(request)
        #expect(forwarded[.ifNoneMatch] == (isPlain ? "\"a\", \"c\"" : "\"mine\""))
    }

    @Test("a request that only wants the cache, or a network that is away: 504 where nothing fits")
    func unsatisfiable() throws {
        let variants = [try variant(vary: "X-A", [("X-A", "1")])]
        let request = CacheRequest(fields: try fields(("Cache-Control", "only-if-cached")))
        #expect(
            CacheLookup.decide(now: noon, request: request, variants: variants, policy: .hub)
                == .unsatisfiable(.onlyIfCached))
        let away = CacheLookup.decide(
            now: noon, request: CacheRequest(fields: HTTPFields()), variants: variants, policy: .hub, network: .away)
        #expect(away == .unsatisfiable(.notStored))
    }

    /// RFC 9110 section 9.2.3.
    @Test("other methods are never answered from the cache", arguments: ["POST", "PUT", "DELETE", "OPTIONS", "get"])
    func methods(_ name: String) throws {
        let request = CacheRequest(method: try #require(HTTPRequest.Method(name)), fields: HTTPFields())
        let variants = [try variant(vary: nil)]
        let lookup = CacheLookup.decide(now: noon, request: request, variants: variants, policy: .hub)
        #expect(lookup == .ask(OriginQuestion(reason: .method)))
    }
}
