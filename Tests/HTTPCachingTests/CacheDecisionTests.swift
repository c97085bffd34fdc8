import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 section 4.
@Suite("One value says what to do about a request")
struct CacheDecisionTests {
    /// What is expected, without the details.
    enum Outcome: Equatable {
        case use, revalidate, fetch, notStored, mustRevalidate, onlyIfCached, stale

        init(_ decision: CacheDecision) {
            switch decision {
            case .useStored: self = .use
            case .revalidate: self = .revalidate
            case .fetch: self = .fetch
            case .unsatisfiable(.notStored): self = .notStored
            case .unsatisfiable(.mustRevalidate): self = .mustRevalidate
            case .unsatisfiable(.onlyIfCached): self = .onlyIfCached
            case .unsatisfiable(.stale): self = .stale
            }
        }
    }

    /// A row of the table: the response's Cache-Control, its age of max-age=60, the request's Cache-Control, and what
    /// is to be done with the network and without it.
    struct Row: CustomTestStringConvertible {
        var response: String
        var age: Int
        var request: String
        var online: Outcome
        var offline: Outcome

        init(_ response: String, age: Int, _ request: String, _ online: Outcome, _ offline: Outcome) {
            (self.response, self.age, self.request) = (response, age, request)
            (self.online, self.offline) = (online, offline)
        }

        var testDescription: String { "“\(response)” of age \(age), asked with “\(request)”" }
    }

    static let rows = [
        // Fresh.
        Row("max-age=60", age: 0, "", .use, .use),
        Row("max-age=60", age: 59, "", .use, .use),
        Row("max-age=60, must-revalidate", age: 59, "", .use, .use),
        Row("max-age=60, no-cache", age: 0, "", .revalidate, .mustRevalidate),
        Row("max-age=60, no-cache=\"set-cookie\"", age: 0, "", .use, .use),
        // Stale: better than nothing where there is no network, unless its server forbids that (section 4.2.4).
        Row("max-age=60", age: 60, "", .revalidate, .use),
        Row("max-age=60", age: 1_000_000, "", .revalidate, .use),
        Row("max-age=60, must-revalidate", age: 60, "", .revalidate, .mustRevalidate),
        Row("max-age=60, no-cache", age: 60, "", .revalidate, .mustRevalidate),
        Row("no-cache", age: 0, "", .revalidate, .mustRevalidate),
        Row("", age: 0, "", .revalidate, .use),
        Row("max-age=x", age: 0, "", .revalidate, .use),
        // What the request asks (section 5.2.1). Offline its wish for something newer cannot be met.
        Row("max-age=60", age: 10, "no-cache", .revalidate, .use),
        Row("max-age=60", age: 10, "max-age=10", .use, .use),
        Row("max-age=60", age: 10, "max-age=9", .revalidate, .use),
        Row("max-age=60", age: 10, "max-age=0", .revalidate, .use),
        Row("max-age=60", age: 10, "max-age=abc", .revalidate, .use),
        Row("max-age=60", age: 10, "min-fresh=50", .use, .use),
        Row("max-age=60", age: 10, "min-fresh=51", .revalidate, .use),
        Row("max-age=60", age: 70, "max-stale", .use, .use),
        Row("max-age=60", age: 70, "max-stale=10", .use, .use),
        Row("max-age=60", age: 70, "max-stale=9", .revalidate, .use),
        Row("max-age=60", age: 70, "max-stale, max-age=69", .revalidate, .use),
        Row("max-age=60, must-revalidate", age: 70, "max-stale", .revalidate, .mustRevalidate),
        Row("max-age=60, no-cache", age: 10, "max-stale", .revalidate, .mustRevalidate),
        // The cache or nothing.
        Row("max-age=60", age: 10, "only-if-cached", .use, .use),
        Row("max-age=60", age: 70, "only-if-cached", .onlyIfCached, .use),
        Row("max-age=60", age: 70, "only-if-cached, max-stale", .use, .use),
        Row("max-age=60, must-revalidate", age: 70, "only-if-cached", .onlyIfCached, .mustRevalidate),
    ]

    @Test("the table", arguments: CacheDecisionTests.rows)
    func table(_ row: Row) throws {
        var stored = try response(("ETag", "\"1\""), ("Date", HTTPDate.format(noon)))
        if !row.response.isEmpty { stored.fields[.cacheControl] = row.response }
        let request = try row.request.isEmpty ? fields() : fields(("Cache-Control", row.request))
        func decide(_ network: CacheDecision.Network) -> Outcome {
            Outcome(.decide(now: noon.plus(row.age), request: request, stored: stored, network: network))
        }
        #expect(decide(.available) == row.online)
        #expect(decide(.away) == row.offline)
    }

    @Test("where nothing is stored the network is asked, or the answer is no")
    func nothingStored() throws {
        func decide(_ request: HTTPFields, _ network: CacheDecision.Network) -> CacheDecision {
            .decide(now: noon, request: request, stored: nil, network: network)
        }
        #expect(decide(HTTPFields(), .available) == .fetch)
        #expect(decide(HTTPFields(), .away) == .unsatisfiable(.notStored))
        let onlyIfCached = try fields(("Cache-Control", "only-if-cached"))
        #expect(decide(onlyIfCached, .available) == .unsatisfiable(.onlyIfCached))
        #expect(decide(onlyIfCached, .away) == .unsatisfiable(.notStored))
    }

    @Test("a used response states its age, and since when it is stale")
    func ages() throws {
        let stored = try response(("Cache-Control", "max-age=60"), ("Date", HTTPDate.format(noon)))
        for (age, stale) in [(0, 0), (59, 0), (60, 1), (160, 101)] {
            #expect(
                CacheDecision.decide(now: noon.plus(age), request: HTTPFields(), stored: stored, network: .away)
                    == .useStored(ageSeconds: age, staleBySeconds: stale))
        }
    }

    /// Section 4.3.1.
    @Test("a stale response is asked after by all validators that it has; without one everything is fetched")
    func conditions() throws {
        func decide(_ stored: StoredResponse) -> CacheDecision {
            .decide(now: noon, request: HTTPFields(), stored: stored, network: .available)
        }
        let modified = "Sat, 21 Nov 2020 04:51:00 GMT"
        #expect(decide(try response(("Cache-Control", "max-age=0"))) == .fetch)
        #expect(
            decide(try response(("Cache-Control", "max-age=0"), ("ETag", "W/\"1\""), ("Last-Modified", modified)))
                == .revalidate(conditions: try fields(("If-None-Match", "W/\"1\""), ("If-Modified-Since", modified))))
        #expect(
            decide(try response(("Cache-Control", "max-age=0"), ("Last-Modified", modified)))
                == .revalidate(conditions: try fields(("If-Modified-Since", modified))))
    }

    /// Section 5.4.
    @Test("Pragma counts where Cache-Control is absent")
    func pragma() throws {
        let stored = try response(("Cache-Control", "max-age=60"), ("ETag", "\"1\""))
        func decide(_ request: HTTPFields) -> Outcome {
            Outcome(.decide(now: noon, request: request, stored: stored, network: .available))
        }
        #expect(decide(try fields(("Pragma", "no-cache"))) == .revalidate)
        #expect(decide(try fields(("Pragma", "x, No-Cache"))) == .revalidate)
        #expect(decide(try fields(("Pragma", "no-cache"), ("Cache-Control", "max-age=60"))) == .use)
        #expect(decide(try fields(("Pragma", "x"))) == .use)
        // In a request it names no fields (section 5.2.1.4): the wish is meant all the same.
        #expect(decide(try fields(("Pragma", "no-cache=\"x\""))) == .revalidate)
        #expect(decide(try fields(("Cache-Control", "no-cache=\"x\""))) == .revalidate)
        #expect(decide(try fields(("Cache-Control", "max-age=60, no-cache=foo"))) == .revalidate)
    }

    /// Sections 5.2.2.8 and 5.2.2.10.
    @Test(
        "a shared cache asks again where only shared caches must",
        arguments: ["max-age=60, proxy-revalidate", "s-maxage=60"])
    func shared(_ control: String) throws {
        let stored = try response(("Cache-Control", control), ("ETag", "\"1\""), ("Date", HTTPDate.format(noon)))
        func decide(_ age: Int, isShared: Bool) -> Outcome {
            Outcome(
                .decide(
                    now: noon.plus(age), request: HTTPFields(), stored: stored, network: .away, isShared: isShared))
        }
        #expect(decide(59, isShared: true) == .use)
        #expect(decide(60, isShared: true) == .mustRevalidate)
        #expect(decide(60, isShared: false) == .use)
    }

    @Test("a response that varies by what the request says otherwise is not the one that is stored")
    func varies() throws {
        let stored = try response(
            ("Cache-Control", "max-age=60"), ("Vary", "Accept-Language"), ("ETag", "\"1\""),
            varying: try fields(("Accept-Language", "ru")))
        func decide(_ request: HTTPFields, _ network: CacheDecision.Network = .available) -> Outcome {
            Outcome(.decide(now: noon, request: request, stored: stored, network: network))
        }
        #expect(decide(try fields(("Accept-Language", "ru"))) == .use)
        #expect(decide(try fields(("Accept-Language", "en"))) == .fetch)
        #expect(decide(HTTPFields()) == .fetch)
        #expect(decide(HTTPFields(), .away) == .notStored)
    }
}
