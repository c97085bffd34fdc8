import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 section 4.3.
@Suite("What an answer of the origin means for what is stored")
struct ValidationTests {
    private func variant(
        _ pairs: (String, String)..., status: Int = 200, content: StoredContent = .whole(length: 10), at time: Int = 0,
        varying: HTTPFields = HTTPFields()
    ) throws -> StoredVariant {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        if fields[.date] == nil { fields[.date] = HTTPDate.format(noon.plus(time)) }
        let stored = StoredResponse(
            status: status, fields: fields, requestTime: noon.plus(time), responseTime: noon.plus(time),
            varyingFields: varying, content: content)
        return StoredVariant(stored, policy: .hub)
    }

    private func reply(
        _ status: Int, _ pairs: (String, String)..., at time: Int = 1000
    ) throws -> ValidationOutcome.Reply {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return ValidationOutcome.Reply(
            status: status, fields: fields, requestTime: noon.plus(time), responseTime: noon.plus(time))
    }

    /// Asks about what is stale and hears `reply`.
    private func outcome(
        _ reply: ValidationOutcome.Reply, request: CacheRequest = CacheRequest(url: "http://a/", fields: HTTPFields()),
        _ variants: [StoredVariant], policy: CachePolicy = .hub
    ) throws -> ValidationOutcome {
        let lookup = CacheLookup.decide(now: reply.requestTime, request: request, variants: variants, policy: policy)
        guard case .ask(let question) = lookup else {
            Issue.record("nothing was asked: \(lookup)")
            return .replaced
        }
        return ValidationOutcome(reply, to: question, request: request, variants: variants, policy: policy)
    }

    private func confirmed(_ outcome: ValidationOutcome) throws -> (updates: [ValidationOutcome.Update], use: Int) {
        guard case .confirmed(let updates, let use) = outcome else {
            Issue.record("not confirmed: \(outcome)")
            return ([], 0)
        }
        return (updates, use)
    }

    private func request(_ pairs: (String, String)...) throws -> CacheRequest { try request(pairs) }

    private func request(_ pairs: [(String, String)]) throws -> CacheRequest {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return CacheRequest(url: "http://a/", fields: fields)
    }

    // MARK: - 304

    /// Section 4.3.4, first rule.
    @Test("a strong tag confirms every stored response that has it and fits the request, and no other")
    func strong() throws {
        let one = try variant(("ETag", "\"1\""), ("Cache-Control", "max-age=1"), at: 0)
        let same = try variant(("ETag", "\"1\""), ("Cache-Control", "max-age=1"), at: 1)
        let other = try variant(("ETag", "\"2\""), ("Cache-Control", "max-age=1"), at: 2)
        let news = try reply(304, ("ETag", "\"1\""), ("Cache-Control", "max-age=60"))
        let result = try confirmed(outcome(news, [one, same, other]))
        #expect(result.updates.map(\.index) == [0, 1])
        #expect(result.use == 1)
        #expect(result.updates.allSatisfy { $0.fate == .updated && $0.response.fields[.cacheControl] == "max-age=60" })
        let fresh = StoredVariant(result.updates[0].response, policy: .hub)
        #expect(fresh.ageSeconds(now: noon.plus(1059)) == 59)
        #expect(fresh.isFresh(now: noon.plus(1059)))
        #expect(!fresh.isFresh(now: noon.plus(1060)))
    }

    @Test("an unknown strong tag updates nothing: everything is asked for again")
    func unknownTag() throws {
        let stored = try variant(("ETag", "\"1\""))
        #expect(try outcome(try reply(304, ("ETag", "\"2\"")), [stored]) == .repeatWithoutConditions)
        let weak = try variant(("ETag", "W/\"1\""))
        #expect(try outcome(try reply(304, ("ETag", "\"1\"")), [weak]) == .repeatWithoutConditions)
        // Said twice, it is the same tag.
        let twice = try reply(304, ("ETag", "\"1\""), ("ETag", "\"1\""))
        #expect(try confirmed(outcome(twice, [stored])).use == 0)
    }

    @Test("a 304 to a request without conditions is for no client: what is stored is served, where it may be")
    func unasked() throws {
        let asked = CacheRequest(url: "http://a/", fields: HTTPFields())
        let news = try reply(304, ("ETag", "\"2\""))
        func outcome(_ control: String) throws -> ValidationOutcome {
            let stored = try variant(("ETag", "\"1\""), ("Cache-Control", control))
            return ValidationOutcome(
                news, to: OriginQuestion(reason: .stale), request: asked, variants: [stored], policy: .hub)
        }
        guard case .servedStale(let use) = try outcome("max-age=60") else {
            Issue.record("not served")
            return
        }
        #expect(use.index == 0 && use.plan == .whole)
        #expect(try outcome("max-age=60, must-revalidate") == .passedOn)
    }

    /// Section 4.3.4, second rule.
    @Test("a weak tag, or a date alone, confirms the most recent response that has it")
    func weak() throws {
        let tagged = [("W/\"1\"", "W/\"1\""), ("\"1\"", "W/\"1\"")]
        for (stored, sent) in tagged {
            let old = try variant(("ETag", stored), at: 0)
            let new = try variant(("ETag", stored), at: 5)
            let result = try confirmed(outcome(try reply(304, ("ETag", sent)), [new, old]))
            #expect(result.updates.map(\.index) == [0])
        }
        let modified = HTTPDate.format(noon.plus(-10))
        let dated = [
            try variant(("Last-Modified", modified), at: 5), try variant(("Last-Modified", modified), at: 0),
            try variant(("Last-Modified", HTTPDate.format(noon.plus(-9))), at: 3),
        ]
        let result = try confirmed(outcome(try reply(304, ("Last-Modified", modified)), dated))
        #expect(result.updates.map(\.index) == [0])
        #expect(
            try outcome(try reply(304, ("Last-Modified", HTTPDate.format(noon))), dated) == .repeatWithoutConditions)
    }

    @Test("a date of change that is strong confirms all that have it")
    func strongDate() throws {
        let modified = HTTPDate.format(noon.plus(-10))
        let variants = [
            try variant(("Last-Modified", modified), at: 5), try variant(("Last-Modified", modified), at: 0),
        ]
        let news = try reply(304, ("Last-Modified", modified), ("Date", HTTPDate.format(noon.plus(1000))))
        let result = try confirmed(outcome(news, variants))
        #expect(result.updates.map(\.index) == [0, 1])
        #expect(result.use == 0)
    }

    @Test("without validators it is about the response whose validators were sent")
    func withoutValidators() throws {
        let stored = try variant(("ETag", "\"1\""), ("Last-Modified", HTTPDate.format(noon.plus(-5))))
        let result = try confirmed(outcome(try reply(304), [stored]))
        #expect(result.updates.map(\.index) == [0])
        #expect(result.updates[0].response.etag == "\"1\"")
    }

    @Test("a 304 that says no-store or private serves once, and goes", arguments: ["no-store", "private"])
    func forbidding(_ control: String) throws {
        let stored = try variant(("ETag", "\"1\""), ("Cache-Control", "max-age=1"))
        let result = try confirmed(outcome(try reply(304, ("ETag", "\"1\""), ("Cache-Control", control)), [stored]))
        #expect(result.updates.map(\.fate) == [.removed])
    }

    /// Sections 3.5 and 5.2.1.5.
    @Test(
        "a 304 to a client's own condition answers it, and leaves what is stored as it is",
        arguments: [
            (["Authorization": "Bearer anna"], "max-age=60", ValidationOutcome.Fate.untouched),
            (["Cache-Control": "no-store"], "max-age=60", .untouched),
            (["Authorization": "Bearer anna"], "public, max-age=60", .updated),
            (["Authorization": "Bearer anna"], "private, max-age=60", .removed),
            (["Cache-Control": "no-store"], "private, max-age=60", .removed),
            (["Cache-Control": "no-store"], "no-store", .removed),
        ])
    func personal(_ asked: [String: String], _ control: String, _ fate: ValidationOutcome.Fate) throws {
        let stored = try variant(("ETag", "\"1\""), ("Cache-Control", "max-age=1"))
        let request = try self.request(asked.map { ($0.key, $0.value) })
        let news = try reply(304, ("ETag", "\"1\""), ("Cache-Control", control))
        let result = try confirmed(outcome(news, request: request, [stored]))
        #expect(result.updates.map(\.fate) == [fate])
        #expect(result.updates[0].response.fields[.cacheControl] == control)
    }

    /// Section 3.4: who may not be stored by itself does not join what is.
    @Test(
        "a 206 that may not be stored does not join the stored bytes, and leaves none of its fields",
        arguments: [
            ([:], "private, max-age=60"), ([:], "no-store"), (["Authorization": "Bearer anna"], "max-age=60"),
            (["Cache-Control": "no-store"], "max-age=60"),
        ] as [([String: String], String)])
    func unjoined(_ asked: [String: String], _ control: String) throws {
        let content = StoredContent.partial([try #require(ByteRange(0, through: 4))], completeLength: 10)
        let stored = try variant(("ETag", "\"1\""), ("Cache-Control", "max-age=60"), content: content)
        let request = try self.request(asked.map { ($0.key, $0.value) } + [("Range", "bytes=5-9")])
        func answer(_ control: String) throws -> ValidationOutcome.Reply {
            try reply(206, ("ETag", "\"1\""), ("Cache-Control", control), ("Content-Range", "bytes 5-9/10"), at: 10)
        }
        #expect(try outcome(answer(control), request: request, [stored]) == .replaced)
        let plain = try self.request([("Range", "bytes=5-9")])
        guard case .combined = try outcome(answer("max-age=60"), request: plain, [stored]) else {
            Issue.record("what may be stored joins")
            return
        }
    }

    @Test("tags that Unicode holds for equivalent, or that are no text, are not one version")
    func bytesOfTags() throws {
        let content = StoredContent.partial([try #require(ByteRange(0, through: 4))], completeLength: 10)
        let request = try self.request([("Range", "bytes=5-9")])
        for (mine, theirs) in [("\"é\"", "\"e\u{301}\""), ("\"K\"", "\"\u{212A}\""), ("\"\u{FFFD}\"", "\"\u{FFFD}\"")] {
            let stored = try variant(("ETag", mine), ("Cache-Control", "max-age=60"), content: content)
            let news = try reply(
                206, ("ETag", theirs), ("Cache-Control", "max-age=60"), ("Content-Range", "bytes 5-9/10"), at: 10)
            #expect(try outcome(news, request: request, [stored]) == .replaced, "\(mine) \(theirs)")
            #expect(!Validators.ifNoneMatch(theirs, matches: mine))
        }
        #expect(Validators.ifNoneMatch("\"é\"", matches: "\"é\""))
    }

    @Test("a 304 to the client's own condition goes on to the client")
    func passedOn() throws {
        let asked = try request(("If-None-Match", "\"mine\""))
        #expect(try outcome(try reply(304, ("ETag", "\"mine\"")), request: asked, []) == .passedOn)
        let bare = try variant(("Cache-Control", "max-age=1"))
        #expect(try outcome(try reply(304, ("ETag", "\"mine\"")), request: asked, [bare]) == .passedOn)
    }

    /// Sections 4.1 and 4.3.1: none fits by Vary, and the origin says which one is right all the same.
    @Test("a 304 may say that a response stored for other Vary fields is the right one")
    func adopted() throws {
        let german = try fields(("Accept-Language", "de"))
        let french = try request(("Accept-Language", "fr"))
        let stored = try variant(
            ("ETag", "\"de\""), ("Vary", "Accept-Language"), ("Cache-Control", "max-age=1"), varying: german)
        let lookup = CacheLookup.decide(now: noon, request: french, variants: [stored], policy: .hub)
        guard case .ask(let question) = lookup else {
            Issue.record("\(lookup)")
            return
        }
        #expect(question.reason == .varyMiss)
        #expect(question.conditions[.ifNoneMatch] == "\"de\"")
        let news = try reply(304, ("ETag", "\"de\""), ("Cache-Control", "max-age=9"))
        guard case .adopted(0, let response) = try outcome(news, request: french, [stored]) else {
            Issue.record("not adopted")
            return
        }
        #expect(response.varyingFields == french.fields)
        #expect(response.fields[.cacheControl] == "max-age=9")
        // A weak tag does not distinguish representations.
        let weak = try reply(304, ("ETag", "W/\"de\""))
        #expect(try outcome(weak, request: french, [stored]) == .repeatWithoutConditions)
        #expect(try outcome(try reply(304), request: french, [stored]) == .repeatWithoutConditions)
    }

    /// Section 4.1: the fields that a new Vary names are those of the updating request.
    @Test("a 304 may change Vary")
    func newVary() throws {
        let stored = try variant(("ETag", "\"1\""))
        let asked = try request(("X-A", "1"))
        let result = try confirmed(
            outcome(try reply(304, ("ETag", "\"1\""), ("Vary", "X-A")), request: asked, [stored]))
        let updated = StoredVariant(result.updates[0].response, policy: .hub)
        #expect(updated.matches(asked.fields))
        #expect(!updated.matches(HTTPFields()))
    }

    /// Section 3.2.
    @Test("a 304 replaces each field that it has, save the length and what may not be stored")
    func replacedFields() throws {
        let stored = try variant(
            ("ETag", "\"1\""), ("Content-Length", "10"), ("Content-Type", "text/plain"), ("Content-Encoding", "gzip"),
            ("X-Old", "a"), ("X-Both", "a"), ("X-Both", "b"), ("Age", "7"), ("Expires", "0"))
        let news = try reply(
            304, ("ETag", "\"1\""), ("Content-Length", "0"), ("Content-Type", "text/html"), ("X-Both", "c"),
            ("X-New", "n"), ("Connection", "X-Hop"), ("X-Hop", "h"), ("Proxy-Authenticate", "p"),
            ("Cache-Control", "no-cache=\"x-secret\", private=\"x-mine\""), ("X-Secret", "s"), ("X-Mine", "m"),
            ("Transfer-Encoding", "chunked"), ("Content-Range", "bytes 0-1/2"))
        let result = try confirmed(outcome(news, [stored])).updates[0].response.fields
        func value(_ name: String) throws -> String? { result[try #require(HTTPField.Name(name))] }
        #expect(try value("Content-Length") == "10")
        #expect(try value("Content-Type") == "text/html")
        #expect(try value("Content-Encoding") == "gzip")
        #expect(try value("X-Old") == "a")
        #expect(try value("X-Both") == "c")
        #expect(try value("X-New") == "n")
        #expect(try value("Expires") == "0")
        #expect(try value("Date") == HTTPDate.format(noon.plus(1000)))
        for name in [
            "Age", "X-Hop", "Connection", "Proxy-Authenticate", "X-Secret", "X-Mine", "Transfer-Encoding",
            "Content-Range",
        ] { #expect(try value(name) == nil, "\(name)") }
    }

    // MARK: - Errors

    /// Section 4.3.3 and RFC 5861 section 4.
    @Test("an error while asking is hidden behind what is stored, where that may be")
    func errors() throws {
        for status in [400, 404, 500, 501, 502, 503, 504] {
            let mayHide = [500, 502, 503, 504].contains(status)
            for (control, strict) in [
                ("max-age=1", false), ("max-age=1, must-revalidate", true), ("s-maxage=1", true),
                ("max-age=1, proxy-revalidate", true), ("no-cache", true),
            ] {
                let stored = try variant(("ETag", "\"1\""), ("Cache-Control", control))
                let result = try outcome(try reply(status), [stored])
                if mayHide, !strict {
                    guard case .servedStale(let use) = result else {
                        Issue.record("\(status), \(control): \(result)")
                        continue
                    }
                    #expect(use.ageSeconds == 1000)
                    #expect(use.remainingSeconds == -999)
                } else {
                    #expect(result == .replaced, "\(status), \(control)")
                }
            }
        }
    }

    @Test("without the offline policy stale-if-error alone hides an error, for as long as it says")
    func staleIfError() throws {
        let policy = CachePolicy(isShared: true, servesStaleOffline: false)
        for (control, wish, expected) in [
            ("max-age=1", "", false), ("max-age=1, stale-if-error=999", "", false),
            ("max-age=1, stale-if-error=1000", "", true), ("max-age=1", "stale-if-error=1000", true),
            ("max-age=1", "stale-if-error=999", false), ("max-age=1, stale-if-error=1000, must-revalidate", "", false),
        ] {
            let stored = try variant(("ETag", "\"1\""), ("Cache-Control", control))
            let asked = try wish.isEmpty ? request() : request(("Cache-Control", wish))
            let use = CacheLookup.afterFailure(
                now: noon.plus(1000), request: asked, variants: [stored], policy: policy, status: nil)
            #expect((use != nil) == expected, "\(control) / \(wish)")
            let result = try outcome(try reply(503), request: asked, [stored], policy: policy)
            #expect((result != .replaced) == expected, "\(control) / \(wish)")
        }
    }
}
