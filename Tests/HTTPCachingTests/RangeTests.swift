import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9110 section 14, RFC 9111 sections 3.3 and 3.4.
@Suite("Ranges are read, served, and put together")
struct RangeTests {
    /// Of ten bytes, changed well before it was sent.
    private func variant(
        _ content: StoredContent = .whole(length: 10), etag: String? = "\"1\"", modified: Int? = -100,
        control: String = "max-age=60"
    ) throws -> StoredVariant {
        var stored = try response(("Cache-Control", control), ("Date", HTTPDate.format(noon)), ("Content-Type", "a/b"))
        stored.fields[.eTag] = etag
        stored.fields[.lastModified] = modified.map { HTTPDate.format(noon.plus($0)) }
        stored.content = content
        return StoredVariant(stored, policy: .hub)
    }

    private func request(_ pairs: (String, String)...) throws -> CacheRequest {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return CacheRequest(url: "http://a/", fields: fields)
    }

    private func range(_ first: Int64, _ last: Int64) throws -> ByteRange {
        try #require(ByteRange(first, through: last))
    }

    /// Section 14.1.2.
    @Test("the bytes that are served are those that were named", arguments: 0..<6)
    func generated(_ seed: UInt64) throws {
        var cases = Cases(seed: seed)
        let pieces = [
            "0-0", "0-", "-1", "-0", "3-5", "4-9", "9-", "10-", "-10", "-99", "5-3", "x", "2-2", "6-99", "", "-",
        ]
        for _ in 0..<800 {
            let unit = cases.chance(90) ? "bytes=" : cases.one(["Bytes=", "bits=", "bytes ", "=", ""])
            let members = (0..<cases.number(1...3)).map { _ in cases.one(pieces) }
            let value = unit + members.joined(separator: cases.one([",", ", ", " , "]))
            let length = cases.one([0, 1, 5, 10])
            let plan = StoredAnswer.Plan(
                try request(("Range", Oracle.trimmed(value))), try variant(.whole(length: Int64(length))))
            let expected = Oracle.bytes(value.lowercased(), length: length)
            func note() -> String { "seed \(seed): “\(value)” of \(length): \(plan)" }
            switch plan {
            case .whole: agree(expected == nil || length == 0, true, note())
            case .unsatisfiableRange(let complete):
                agree(expected, [], note())
                agree(complete, Int64(length), note())
            case .ranges(let ranges, let complete):
                agree(complete, Int64(length), note())
                let bytes = ranges.flatMap { Int($0.first)...Int($0.last) }
                agree(Set(bytes), expected, note())
                agree(Set(bytes).count, bytes.count, "twice, " + note())
            default: Issue.record("\(note())")
            }
        }
    }

    @Test("numbers beyond all bounds, and more ranges than anybody needs")
    func hostile() throws {
        let huge = String(repeating: "9", count: 100)
        #expect(
            StoredAnswer.Plan(try request(("Range", "bytes=0-\(huge)")), try variant())
                == .ranges([try range(0, 9)], completeLength: 10))
        #expect(
            StoredAnswer.Plan(try request(("Range", "bytes=-\(huge)")), try variant())
                == .ranges([try range(0, 9)], completeLength: 10))
        #expect(
            StoredAnswer.Plan(try request(("Range", "bytes=\(huge)-")), try variant())
                == .unsatisfiableRange(completeLength: 10))
        let many = "bytes=" + (0..<5000).map { "\($0)-\($0)" }.joined(separator: ",")
        #expect(StoredAnswer.Plan(try request(("Range", many)), try variant(.whole(length: 100_000))) == .whole)
        #expect(StoredAnswer.Plan(try request(("Range", "bytes=0-1"), ("Range", "bytes=2-3")), try variant()) == .whole)
    }

    /// Sections 14.2, 15.3.7 and 15.5.17.
    @Test("a range is a 206 with its own length, one beyond the end a 416")
    func answers() throws {
        let stored = try variant()
        func answer(_ value: String) throws -> StoredAnswer {
            let plan = StoredAnswer.Plan(try request(("Range", value)), stored)
            return StoredAnswer(stored, plan: plan, isHead: false, ageSeconds: 4, boundary: "BB")
        }
        let one = try answer("bytes=2-4")
        #expect(one.status == 206)
        #expect(one.content == .range(try range(2, 4)))
        #expect(one.fields[.contentRange] == "bytes 2-4/10")
        #expect(one.fields[.contentLength] == "3")
        for name in [HTTPField.Name.eTag, .date, .cacheControl, .lastModified] { #expect(one.fields[name] != nil) }
        #expect(one.fields[.age] == "4")

        let beyond = try answer("bytes=10-")
        #expect(beyond.status == 416)
        #expect(beyond.fields[.contentRange] == "bytes */10")
        #expect(beyond.content == .none)
        #expect(beyond.fields[.eTag] == nil && beyond.fields[.age] == "4")

        // Several that touch are one; several apart are multipart, in the client's order.
        #expect(try answer("bytes=2-3,4-5, 5-7").content == .range(try range(2, 7)))
        let several = try answer("bytes=8-9, 0-1")
        #expect(several.fields[.contentType] == "multipart/byteranges; boundary=BB")
        #expect(several.fields[.contentRange] == nil)
        guard case .multipart(let parts, let end) = several.content else {
            Issue.record("\(several)")
            return
        }
        #expect(parts.map(\.range) == [try range(8, 9), try range(0, 1)])
        #expect(parts[0].header == "\r\n--BB\r\nContent-Type: a/b\r\nContent-Range: bytes 8-9/10\r\n\r\n")
        #expect(end == "\r\n--BB--\r\n")
        let length = parts.map { $0.header.utf8.count + 2 }.reduce(end.utf8.count, +)
        #expect(several.fields[.contentLength] == String(length))
    }

    /// Sections 13.1.5 and 8.8.2.2.
    @Test("If-Range: only the very version, by a strong tag or a strong date, makes it a range")
    func ifRange() throws {
        let date = HTTPDate.format(noon.plus(-100))
        let rows: [(etag: String?, modified: Int?, condition: String, isRange: Bool)] = [
            ("\"1\"", -100, "\"1\"", true), ("\"1\"", -100, "\"2\"", false), ("W/\"1\"", -100, "W/\"1\"", false),
            ("W/\"1\"", -100, "\"1\"", false), ("\"1\"", -100, "W/\"1\"", false), (nil, -100, "\"1\"", false),
            ("\"1\"", -100, date, true), (nil, -100, date, true), (nil, -99, date, false), (nil, -101, date, false),
            (nil, nil, date, false), ("\"1\"", -100, "*", false), ("\"1\"", -100, "1", false), ("1", -100, "1", false),
            // Changed in the second in which it was sent: it may have changed again since.
            ("\"1\"", 0, HTTPDate.format(noon), false), ("\"1\"", -1, HTTPDate.format(noon.plus(-1)), true),
        ]
        for row in rows {
            let plan = StoredAnswer.Plan(
                try request(("Range", "bytes=0-1"), ("If-Range", row.condition)),
                try variant(etag: row.etag, modified: row.modified))
            #expect((plan != .whole) == row.isRange, "\(row)")
        }
        // Without Range it means nothing.
        #expect(StoredAnswer.Plan(try request(("If-Range", "\"1\"")), try variant()) == .whole)
    }

    /// RFC 9111 section 3.3.
    @Test("what is incomplete answers the ranges that it holds, and nothing else")
    func partial() throws {
        let stored = try variant(.partial([try range(0, 3), try range(6, 7)], completeLength: 10))
        for (value, isServed) in [
            ("bytes=0-3", true), ("bytes=1-2", true), ("bytes=6-7", true), ("bytes=0-4", false), ("bytes=3-6", false),
            ("bytes=8-", false), ("bytes=-3", false), ("bytes=0-0, 7-7", true), ("bytes=0-0, 8-8", false),
        ] {
            let lookup = CacheLookup.decide(
                now: noon, request: try request(("Range", value)), variants: [stored], policy: .hub)
            switch lookup {
            case .use: #expect(isServed, "\(value)")
            case .ask(let question):
                #expect(!isServed, "\(value)")
                #expect(question.reason == .partial)
                #expect(question.forwarded(try request(("Range", value)).fields)[.range] == value)
            default: Issue.record("\(lookup)")
            }
            let away = CacheLookup.decide(
                now: noon, request: try request(("Range", value)), variants: [stored], policy: .hub, network: .away)
            if !isServed { #expect(away == .unsatisfiable(.notStored)) }
        }
        // The end is known, so a range beyond it is answered, too.
        #expect(
            StoredAnswer.Plan(try request(("Range", "bytes=10-")), stored) == .unsatisfiableRange(completeLength: 10))
    }

    /// RFC 9111 section 3.4.
    @Test("for all of it only the rest is asked for, if it is still the same")
    func rest() throws {
        let held = StoredContent.partial([try range(0, 3), try range(6, 7)], completeLength: 10)
        for (etag, modified, validator) in [
            ("\"1\"", nil, "\"1\""), (nil, -100, HTTPDate.format(noon.plus(-100))), ("W/\"1\"", nil, nil),
            (nil, 0, nil),
        ] as [(String?, Int?, String?)] {
            let stored = try variant(held, etag: etag, modified: modified)
            let lookup = CacheLookup.decide(now: noon, request: try request(), variants: [stored], policy: .hub)
            guard case .ask(let question) = lookup else {
                Issue.record("\(lookup)")
                continue
            }
            #expect(question.conditions[.ifRange] == validator)
            #expect(question.conditions[.range] == validator.map { _ in "bytes=4-9" })
            #expect(question.asksForRest == (validator != nil))
            guard validator != nil else { continue }
            // A request on the cache's own account gives the client no answer unless it matches.
            for status in [206, 416] {
                let reply = ValidationOutcome.Reply(
                    status: status, fields: HTTPFields(), requestTime: noon, responseTime: noon)
                let outcome = ValidationOutcome(
                    reply, to: question, request: try request(), variants: [stored], policy: .hub)
                #expect(outcome == .repeatWithoutConditions)
            }
            let changed = ValidationOutcome.Reply(
                status: 200, fields: HTTPFields(), requestTime: noon, responseTime: noon)
            #expect(
                ValidationOutcome(changed, to: question, request: try request(), variants: [stored], policy: .hub)
                    == .replaced)
        }
        // With the client's own condition the origin hears that one.
        let lookup = CacheLookup.decide(
            now: noon, request: try request(("If-None-Match", "\"x\"")), variants: [try variant(held)], policy: .hub)
        if case .ask(let question) = lookup { #expect(!question.isConditional) }
    }

    /// RFC 9111 section 3.3: a 200 that broke off is kept as the part that came.
    @Test("a body that broke off answers the ranges that came, and is completed with If-Range")
    func brokenOff() throws {
        let reply = ValidationOutcome.Reply(
            status: 200,
            fields: try fields(("ETag", "\"1\""), ("Content-Length", "10"), ("Cache-Control", "max-age=60")),
            requestTime: noon, responseTime: noon)
        let content = StoredContent.partial([try range(0, 5)], completeLength: 10)
        let kept = try #require(
            StoredResponse.kept(reply, request: HTTPFields(), content: content, policy: .hub))
        let stored = StoredVariant(kept, policy: .hub)
        let ranged = CacheLookup.decide(
            now: noon, request: try request(("Range", "bytes=4-5")), variants: [stored], policy: .hub)
        guard case .use(let use) = ranged else {
            Issue.record("\(ranged)")
            return
        }
        #expect(use.plan == .ranges([try range(4, 5)], completeLength: 10))
        let all = CacheLookup.decide(now: noon, request: try request(), variants: [stored], policy: .hub)
        guard case .ask(let question) = all else {
            Issue.record("\(all)")
            return
        }
        #expect(question.conditions == (try fields(("Range", "bytes=6-9"), ("If-Range", "\"1\""))))
        // HEAD, too, is about the whole.
        let head = CacheRequest(method: .head, url: "http://a/", fields: HTTPFields())
        let lookup = CacheLookup.decide(now: noon, request: head, variants: [stored], policy: .hub)
        #expect(lookup == .ask(OriginQuestion(reason: .partial)))
    }

    /// RFC 9111 section 3.4: bytes join where both have the same strong validator, and nowhere else.
    @Test("ranges that arrive in any order become the whole", arguments: 0..<4)
    func combining(_ seed: UInt64) throws {
        var cases = Cases(seed: seed)
        for _ in 0..<100 {
            var held: Set<Int64> = []
            var stored: StoredVariant?
            for _ in 0..<cases.number(1...8) {
                let first = Int64(cases.number(0...19))
                let arriving = try range(first, Int64(cases.number(Int(first)...19)))
                let isSame = cases.chance(85)
                var fields = try fields(("Cache-Control", "max-age=60"), ("Date", HTTPDate.format(noon)))
                fields[.eTag] = isSame ? "\"1\"" : cases.one(["\"2\"", "W/\"1\"", ""])
                fields[.contentRange] = ContentRange.range(arriving, completeLength: 20).value
                let reply = ValidationOutcome.Reply(status: 206, fields: fields, requestTime: noon, responseTime: noon)
                let asked = try request(("Range", "bytes=\(arriving.first)-\(arriving.last)"))
                guard let before = stored else {
                    guard isSame else { continue }
                    let kept = try #require(StoredResponse.kept(reply, request: asked.fields, policy: .hub))
                    stored = StoredVariant(kept, policy: .hub)
                    held = Set(arriving.first...arriving.last)
                    continue
                }
                let outcome = ValidationOutcome(
                    reply, to: OriginQuestion(reason: .partial), request: asked, variants: [before], policy: .hub)
                guard case .combined(0, let response, arriving) = outcome else {
                    #expect(!isSame, "seed \(seed)")
                    continue
                }
                #expect(isSame, "seed \(seed)")
                held.formUnion(arriving.first...arriving.last)
                stored = StoredVariant(response, policy: .hub)
            }
            guard let stored else { continue }
            switch stored.response.content {
            case .whole(let length):
                #expect(held.count == 20)
                #expect(length == 20)
            case .partial(let ranges, let length):
                #expect(length == 20)
                #expect(Set(ranges.flatMap { $0.first...$0.last }) == held)
                #expect(ByteRange.joined(ranges) == ranges)
                let missing = ByteRange.missing(from: ranges, length: 20).flatMap { $0.first...$0.last }
                #expect(Set(missing) == Set(0..<20).subtracting(held))
            }
            #expect(stored.response.status == 200)
            #expect(stored.response.fields[.contentRange] == nil)
        }
    }

    @Test("a 206 that does not say what it is, is not kept", arguments: ["", "bytes 0-1/*", "bytes */10", "x 0-1/2"])
    func unnamed(_ value: String) throws {
        var fields = try fields(("Cache-Control", "max-age=60"))
        if !value.isEmpty { fields[.contentRange] = value }
        let reply = ValidationOutcome.Reply(status: 206, fields: fields, requestTime: noon, responseTime: noon)
        #expect(StoredResponse.kept(reply, request: HTTPFields(), policy: .hub) == nil)
        let decision = Storability.decide(
            CacheRequest(fields: HTTPFields()), status: 206, response: fields, policy: .hub)
        #expect(decision == .refuse(.range))
    }

    /// RFC 9110 section 14.4.
    @Test(
        "Content-Range",
        arguments: [
            ("bytes 0-4/10", "bytes 0-4/10"), ("Bytes 0-4/*", "bytes 0-4/*"), ("bytes */10", "bytes */10"),
            ("bytes 0-9/10", "bytes 0-9/10"), ("bytes 0-10/10", nil), ("bytes 5-4/10", nil), ("bytes */*", nil),
            ("bytes 0-4", nil), ("bytes=0-4/10", nil), ("bytes -4/10", nil), ("bytes 0-/10", nil), ("0-4/10", nil),
            ("bytes 0-4/10/11", nil), ("bytes 0-1-2/10", nil), ("bytes a-b/c", nil),
        ] as [(String, String?)])
    func contentRange(_ text: String, _ expected: String?) throws {
        #expect(ContentRange(try fields(("Content-Range", text)))?.value == expected)
    }
}
