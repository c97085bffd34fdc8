import HTTPCaching
import HTTPTypes
import Model
import Simulation
import Testing

/// RFC 9111 section 4.2.
@Suite("A response is fresh as long as RFC 9111 says, to the second")
struct FreshnessTests {
    private let date = HTTPDate.format(noon)

    // MARK: - Lifetime

    @Test(
        "a response is fresh until the last second of its lifetime, and stale from then on",
        arguments: [
            1, 2, 60, 86_400, 1 << 31,
        ])
    func boundary(_ lifetime: Int) throws {
        for stated in [
            try response(("Cache-Control", "max-age=\(lifetime)"), ("Date", date)),
            try response(("Expires", HTTPDate.format(noon.plus(lifetime))), ("Date", date)),
            try response(("Expires", HTTPDate.format(noon.plus(lifetime)))),
        ] {
            #expect(Freshness(of: stated, now: noon).isFresh)
            #expect(Freshness(of: stated, now: noon.plus(lifetime - 1)).isFresh)
            #expect(!Freshness(of: stated, now: noon.plus(lifetime)).isFresh)
            #expect(Freshness.freshUntil(stated) == noon.plus(lifetime))
            #expect(!Freshness(of: stated, now: noon).isHeuristic)
        }
    }

    @Test("max-age goes before Expires, s-maxage before both in a shared cache alone")
    func precedence() throws {
        let expires = HTTPDate.format(noon.plus(1000))
        let all = try response(("Cache-Control", "max-age=10, s-maxage=20"), ("Expires", expires), ("Date", date))
        #expect(Freshness(of: all, now: noon).lifetimeSeconds == 10)
        #expect(Freshness(of: all, now: noon, isShared: true).lifetimeSeconds == 20)
        let shared = try response(("Cache-Control", "s-maxage=20"), ("Expires", expires), ("Date", date))
        #expect(Freshness(of: shared, now: noon).lifetimeSeconds == 1000)
    }

    /// Section 5.3.
    @Test(
        "an Expires that is wrong or past is in the past, whatever follows",
        arguments: [
            ["0"], ["-1"], ["tomorrow"], ["Sat, 21 Nov 2026 04:50:00 GMT"],
            ["0", "Sat, 21 Nov 2026 06:51:00 GMT"], [""],
        ])
    func badExpires(_ values: [String]) throws {
        var stored = try response(("Date", date), ("Last-Modified", "Sat, 21 Nov 2020 04:51:00 GMT"))
        for value in values { stored.fields.append(HTTPField(name: .expires, value: value)) }
        #expect(Freshness(of: stored, now: noon).lifetimeSeconds == 0)
        #expect(!Freshness(of: stored, now: noon).isFresh)
    }

    /// Section 4.2.1.
    @Test("of several Expires fields the first counts")
    func doubleExpires() throws {
        let expires = HTTPDate.format(noon.plus(50))
        let stored = try response(("Expires", expires), ("Expires", HTTPDate.format(noon.plus(90))), ("Date", date))
        #expect(Freshness(of: stored, now: noon).lifetimeSeconds == 50)
    }

    @Test("Expires is measured from the server's own Date, whatever our clock says")
    func skewedServer() throws {
        let ahead = try response(
            ("Expires", HTTPDate.format(noon.plus(7200 + 60))), ("Date", HTTPDate.format(noon.plus(7200))))
        #expect(Freshness(of: ahead, now: noon).lifetimeSeconds == 60)
        #expect(Freshness(of: ahead, now: noon.plus(59)).isFresh)
        #expect(!Freshness(of: ahead, now: noon.plus(60)).isFresh)
    }

    /// Section 4.2.2.
    @Test(
        "without a stated lifetime it is a tenth of the time since the last change, at most a day",
        arguments: [
            (0, 0), (9, 0), (10, 1), (1000, 100), (864_000, 86_400), (10_000_000, 86_400), (-100, 0),
        ])
    func heuristic(_ since: Int, _ lifetime: Int) throws {
        let stored = try response(("Last-Modified", HTTPDate.format(noon.plus(-since))), ("Date", date))
        #expect(Freshness(of: stored, now: noon).lifetimeSeconds == lifetime)
        #expect(Freshness(of: stored, now: noon).isHeuristic)
    }

    @Test("a guess is made for the statuses that allow it alone, or where the server says public")
    func heuristicStatus() throws {
        let modified = ("Last-Modified", HTTPDate.format(noon.plus(-1000)))
        for status in [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501] {
            #expect(Freshness(of: try response(status: status, modified), now: noon).lifetimeSeconds == 100)
        }
        for status in [201, 302, 303, 307, 400, 403, 500, 503] {
            #expect(Freshness(of: try response(status: status, modified), now: noon).lifetimeSeconds == 0)
            let open = try response(status: status, modified, ("Cache-Control", "public"))
            #expect(Freshness(of: open, now: noon).lifetimeSeconds == 100)
        }
        #expect(Freshness(of: try response(("Last-Modified", "long ago")), now: noon).lifetimeSeconds == 0)
    }

    // MARK: - Age

    @Test(
        "the age is the greater of the age by Date and the Age field, and the time since",
        arguments: [
            (0, 0, 0, 0, 0), (10, 0, 0, 0, 10), (0, 10, 0, 0, 10), (10, 20, 0, 0, 20), (20, 10, 0, 0, 20),
            (0, 0, 5, 0, 5),
            (0, 10, 5, 0, 15), (12, 10, 5, 0, 15), (20, 10, 5, 100, 120), (-50, 0, 0, 7, 7),
        ])
    func age(dateBefore: Int, stated: Int, delay: Int, since: Int, expected: Int) throws {
        let stored = StoredResponse(
            status: 200,
            fields: try fields(("Date", HTTPDate.format(noon.plus(-dateBefore))), ("Age", String(stated))),
            requestTime: noon.plus(-delay), responseTime: noon)
        #expect(Freshness(of: stored, now: noon.plus(since)).ageSeconds == expected)
    }

    /// Section 5.1.
    @Test(
        "of several ages the first counts, and what is no number is ignored",
        arguments: [
            (["5", "10"], 5), (["5, 10"], 5), (["-5"], 0), (["x"], 0), ([""], 0), (["1.5"], 0), (["5 6"], 0),
            ([" 5 "], 5), (["", "7200"], 7200),
            (["99999999999999999999"], 1 << 31), (["٣"], 0),
        ])
    func statedAge(_ values: [String], _ expected: Int) throws {
        var stored = try response(("Date", date))
        for value in values { stored.fields.append(HTTPField(name: .age, value: value)) }
        #expect(Freshness(of: stored, now: noon).ageSeconds == expected)
    }

    @Test("a clock that was set back makes nothing younger than it was")
    func clockSetBack() throws {
        let stored = try response(("Age", "30"), ("Date", date), ("Cache-Control", "max-age=60"))
        #expect(Freshness(of: stored, now: noon.plus(-1_000_000)).ageSeconds == 30)
    }

    // MARK: - Generated

    @Test("generated responses are judged as a plain reading of the RFC judges them", arguments: 0..<30)
    func oracle(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func maybe(_ range: ClosedRange<Int>) -> Int? {
            Bool.random(using: &generator) ? Int.random(in: range, using: &generator) : nil
        }
        for round in 0..<200 {
            let plain = PlainResponse(
                maxAge: maybe(0...100), sMaxage: maybe(0...100), expires: maybe(-50...100), date: maybe(-50...50),
                lastModified: maybe(-2000...10), age: maybe(0...60), delay: Int.random(in: 0...5, using: &generator))
            let stored = try plain.stored()
            let isShared = Bool.random(using: &generator)
            let since = Int.random(in: 0...150, using: &generator)
            let freshness = Freshness(of: stored, now: noon.plus(since), isShared: isShared)
            #expect(
                freshness.lifetimeSeconds == plain.lifetime(isShared: isShared),
                "seed \(seed), round \(round): \(plain)")
            #expect(freshness.ageSeconds == plain.currentAge(since), "seed \(seed), round \(round): \(plain)")
            #expect(freshness.isFresh == (plain.lifetime(isShared: isShared) > plain.currentAge(since)))
        }
    }

    @Test(
        "the end of freshness that the lists show is the moment in which it ends, to the millisecond", arguments: 0..<20
    )
    func freshUntil(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<100 {
            var stored = try response(
                ("Cache-Control", "max-age=\(Int.random(in: 0...100, using: &generator))"),
                ("Age", String(Int.random(in: 0...80, using: &generator))), ("Date", date))
            stored.responseTime = noon.adding(seconds: Double.random(in: 0...3, using: &generator))
            let end = Freshness.freshUntil(stored)
            #expect(!Freshness(of: stored, now: end).isFresh, "seed \(seed), round \(round)")
            let before = end.adding(seconds: -0.001)
            if before >= stored.responseTime {
                #expect(Freshness(of: stored, now: before).isFresh, "seed \(seed), round \(round)")
            }
        }
    }
}

/// The arithmetic of RFC 9111 sections 4.2.1 to 4.2.3 in whole seconds around `noon`, as its text has it.
private struct PlainResponse {
    var maxAge, sMaxage, expires, date, lastModified, age: Int?
    var delay: Int

    func stored() throws -> StoredResponse {
        var result = HTTPFields()
        let directives = [maxAge.map { "max-age=\($0)" }, sMaxage.map { "s-maxage=\($0)" }].compactMap { $0 }
        if !directives.isEmpty { result[.cacheControl] = directives.joined(separator: ", ") }
        if let expires { result[.expires] = HTTPDate.format(noon.plus(expires)) }
        if let date { result[.date] = HTTPDate.format(noon.plus(date)) }
        if let lastModified { result[.lastModified] = HTTPDate.format(noon.plus(lastModified)) }
        if let age { result[.age] = String(age) }
        return StoredResponse(status: 200, fields: result, requestTime: noon.plus(-delay), responseTime: noon)
    }

    func lifetime(isShared: Bool) -> Int {
        // RFC 9110 section 6.6.1: a message without a Date gets the time of its receipt.
        let dateValue = date ?? 0
        if isShared, let sMaxage { return sMaxage }
        if let maxAge { return maxAge }
        if let expires { return max(0, expires - dateValue) }
        if let lastModified { return max(0, min((dateValue - lastModified) / 10, 86_400)) }
        return 0
    }

    func currentAge(_ since: Int) -> Int {
        let apparentAge = max(0, 0 - (date ?? 0))
        let correctedAgeValue = (age ?? 0) + delay
        let correctedInitialAge = max(apparentAge, correctedAgeValue)
        return correctedInitialAge + since
    }
}
