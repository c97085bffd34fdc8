/// RFC 9111 section 4.2 and its neighbours: for how long an answer is given without asking.
enum FreshnessRules {
    static let all = joined(lifetimes, ages, dates, heuristics, directives, targeted, stale)

    private static let day = "{-864000}"

    /// Answers that are fresh for a minute, whatever they look like.
    private static func fresh(_ name: String, _ says: String...) -> RuleCase {
        var first = RuleStep.fetched()
        first.says = says
        return RuleCase(name, first, .stored(after: 5))
    }

    /// Answers that are to be asked after when they are used again.
    private static func notFresh(_ name: String, _ says: String...) -> RuleCase {
        var first = RuleStep.fetched()
        first.says = says
        var second = RuleStep.fetched()
        second.says = says
        second.after = 1
        second.way = says.contains { $0.hasPrefix("ETag") } ? .validated : .fetched
        return RuleCase(name, first, second)
    }

    private static let lifetimes: [RuleCase] = [
        RuleCase(
            "9111 4.2.1: fresh while the lifetime exceeds the age", .fetched("Cache-Control: max-age=60"),
            .stored(after: 59, sees: ["Age: 59"]), .fetched("Cache-Control: max-age=60", after: 1)),
        fresh("9111 5.3: Expires", "Expires: {+60}"),
        notFresh("9111 5.3: Expires is now", "Expires: {0}"),
        notFresh("9111 5.3: Expires is past", "Expires: {-60}"),
        notFresh("9111 5.3: Expires is 0", "Expires: 0"),
        notFresh("9111 5.3: Expires is no date", "Expires: tomorrow"),
        notFresh("9111 5.3: Expires is empty", "Expires: "),
        notFresh("9111 5.3: Expires is -1", "Expires: -1"),
        notFresh("9111 4.2: Expires in another zone", "Expires: Thu, 18 Aug 2050 02:01:18 AEST"),
        notFresh("9111 4.2: Expires in UTC, which is not GMT", "Expires: Thu, 18 Aug 2050 02:01:18 UTC"),
        notFresh("9111 5.3: Expires without a zone", "Expires: Thu, 18 Aug 2050 02:01:18"),
        notFresh("9111 5.3: Expires with two figures for the year", "Expires: Thu, 18 Aug 50 02:01:18 GMT"),
        notFresh("9111 5.3: Expires with dots in its time", "Expires: Thu, 18 Aug 2050 02.01.18 GMT"),
        fresh("9110 5.6.7: Expires in the form of RFC 850", "Expires: Thursday, 18-Aug-50 02:01:18 GMT"),
        fresh("9110 5.6.7: Expires in the form of asctime", "Expires: Thu Aug 18 02:01:18 2050"),
        fresh("9111 4.2: Expires in lowercase", "Expires: thu, 18 aug 2050 02:01:18 gmt"),
        fresh("9111 5.3: Expires with another weekday", "Expires: Mon, 18 Aug 2050 02:01:18 GMT"),
        fresh("9111 4.2.1: of two Expires the first", "Expires: {+60}", "Expires: {-60}"),
        notFresh("9111 4.2.1: of two Expires the first, which is past", "Expires: {-60}", "Expires: {+60}"),
        fresh("9111 5.3: max-age before Expires", "Cache-Control: max-age=60", "Expires: {-60}"),
        notFresh("9111 5.3: max-age=0 before Expires", "Cache-Control: max-age=0", "Expires: {+60}"),
        fresh("9111 5.3: max-age before Expires that is no date", "Cache-Control: max-age=60", "Expires: 0"),
        fresh("9111 5.2.2.10: s-maxage before max-age", "Cache-Control: max-age=0, s-maxage=60"),
        fresh("9111 5.2.2.10: s-maxage in front", "Cache-Control: s-maxage=60, max-age=0"),
        notFresh("9111 5.2.2.10: s-maxage that is shorter", "Cache-Control: s-maxage=1, max-age=60"),
        fresh("9111 5.2.2.10: s-maxage before Expires", "Cache-Control: s-maxage=60", "Expires: {-60}"),
        fresh("9111 4.2.1: Expires counts from Date", "Date: {-3600}", "Expires: {+60}"),
    ]

    private static let ages: [RuleCase] = [
        notFresh("9111 4.2.3: Age beyond the lifetime", "Cache-Control: max-age=60", "Age: 61"),
        notFresh("9111 4.2.3: Age beyond Expires", "Expires: {+60}", "Age: 61"),
        notFresh("9111 4.2.3: Age as long as the lifetime", "Cache-Control: max-age=60", "Age: 60"),
        RuleCase(
            "9111 5.1: Age goes on from what came", .fetched("Cache-Control: max-age=60", "Age: 20", sees: ["Age: 20"]),
            .stored(after: 10, sees: ["Age: 30"]), .fetched("Cache-Control: max-age=60", after: 30)),
        fresh("9111 5.1: Age 0", "Cache-Control: max-age=60", "Age: 0"),
        fresh("9111 5.1: Age that is negative is ignored", "Cache-Control: max-age=60", "Age: -120"),
        fresh("9111 5.1: Age that is no number is ignored", "Cache-Control: max-age=60", "Age: abc"),
        fresh("9111 5.1: Age with a parameter is ignored", "Cache-Control: max-age=60", "Age: 120;a=b"),
        fresh("9111 5.1: Age with decimals is ignored", "Cache-Control: max-age=60", "Age: 120.0"),
        fresh("9111 5.1: Age in quotes is ignored", "Cache-Control: max-age=60", "Age: \"120\""),
        notFresh("9111 1.2.2: Age beyond 2^31", "Cache-Control: max-age=60", "Age: 2147483649"),
        notFresh("9111 1.2.2: Age beyond 2^64", "Cache-Control: max-age=60", "Age: 99999999999999999999999"),
        fresh("9111 5.1: of several Ages the first", "Cache-Control: max-age=60", "Age: 0, 120"),
        notFresh("9111 5.1: of several Ages the first, which is old", "Cache-Control: max-age=60", "Age: 120, 0"),
        notFresh("9111 5.1: of two lines the first", "Cache-Control: max-age=60", "Age: 120", "Age: 0"),
        RuleCase(
            "9111 5.1: no Age on what comes from the origin", .fetched("Cache-Control: max-age=60", sees: ["!Age"]),
            .stored(sees: ["Age: 0"])),
        RuleCase(
            "9111 4.2.3: the larger of Age and Date counts",
            .fetched("Cache-Control: max-age=60", "Date: {-40}", "Age: 10"), .stored(after: 10, sees: ["Age: 50"])),
    ]

    private static let dates: [RuleCase] = [
        notFresh("9111 4.2.3: Date further back than the lifetime", "Cache-Control: max-age=60", "Date: {-61}"),
        fresh("9111 4.2.3: Date within the lifetime", "Cache-Control: max-age=60", "Date: {-30}"),
        fresh("9111 4.2.3: Date ahead of us makes nothing younger", "Cache-Control: max-age=60", "Date: {+3600}"),
        RuleCase(
            "9111 4.2.3: a Date ahead does not lengthen max-age",
            .fetched("Cache-Control: max-age=60", "Date: {+3600}"), .fetched(after: 61)),
        fresh("9110 6.6.1: Date that is no date", "Cache-Control: max-age=60", "Date: now"),
        RuleCase(
            "9110 6.6.1: who sent no Date gets one, and keeps it",
            .fetched("!Date", "Cache-Control: max-age=60", sees: ["Date: {0}"]),
            .stored(after: 7, sees: ["Date: {-7}", "Age: 7"])),
        RuleCase(
            "9110 6.6.1: also where nothing is kept", .fetched("!Date", "Cache-Control: no-store", sees: ["Date: {0}"])),
        RuleCase(
            "9110 6.6.1: the origin's Date stays",
            .fetched("Cache-Control: max-age=60", "Date: {-5}", sees: ["Date: {-5}"]),
            .stored(after: 7, sees: ["Date: {-12}", "Age: 12"])),
        RuleCase(
            "9111 4.2.1: Expires without a Date counts from the arrival", .fetched("!Date", "Expires: {+60}"),
            .stored(after: 30), .fetched(after: 31)),
    ]

    /// A tenth of the time since the last change.
    private static let heuristics = joined(
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].map { status in
            RuleCase(
                "9111 4.2.2: \(status) without a lifetime, a tenth of its time without change",
                .fetched("Last-Modified: \(day)", status: status, content: "x"),
                .stored(after: 80_000, gets: status), .validated(after: 10_000, gets: status))
        },
        [201, 202, 302, 303, 307, 400, 403, 409, 500, 502, 503, 504, 599].map { status in
            RuleCase(
                "9111 4.2.2: \(status) without a lifetime is not kept",
                .fetched("Last-Modified: \(day)", status: status), .fetched("Last-Modified: \(day)", status: status))
        },
        [
            RuleCase(
                "9111 4.2.2: an unknown status with public has a heuristic lifetime",
                .fetched("Last-Modified: \(day)", "Cache-Control: public", status: 299), .stored(gets: 299)),
            notFresh("9111 4.2.2: nothing to guess from"),
            notFresh("9111 4.2.2: Last-Modified that is no date", "Last-Modified: long ago"),
            notFresh("9111 4.2.2: Last-Modified ahead of Date", "Last-Modified: {+60}", "ETag: \"a\""),
            notFresh(
                "9111 4.2.2: no heuristic where Expires is past", "Last-Modified: \(day)", "Expires: 0", "ETag: \"a\""),
        ])

    private static let directives = joined(
        [
            "max-age=60", "Max-Age=60", "MAX-AGE=60", "max-age=\"60\"", "a=b, max-age=60",
            "max-age=60, a=\"max-age=0\"",
            "a=\"b, no-store\", max-age=60", ", ,max-age=60,", "max-age=60, max-age=0", "max-age=2147483649",
            "max-age=99999999999999999999", "unknown, max-age=60", "max-age=060", "public, max-age=60",
            "max-age=60, no-transform", "a=\"\\\"\", max-age=60", "no-cacheable, max-age=60", "max-age=60\t",
        ].map { value in
            fresh("9111 5.2: Cache-Control: \(value)", "Cache-Control: \(value)")
        },
        [
            "max-age=0", "max-age=-60", "max-age=60.5", "max-age='60'", "max-age", "max-age=", "max-age =60",
            "max-age= 60", "max-age=a", "max-age=60a", "max-age=0, max-age=60", "s-maxage=0, max-age=60",
            "s-maxage=a, max-age=60", "no-cache, max-age=60", "max-age=60, no-cache", "max-age=60, No-Cache",
            "a=\"b, no-cache", "max-age=60, no-cache=\"\"", "max-age=+60", "max-age=0x60",
        ].map { value in
            notFresh("9111 5.2: Cache-Control: \(value)", "Cache-Control: \(value)", "ETag: \"a\"")
        },
        [
            fresh("9110 5.3: several lines are one", "Cache-Control: public", "Cache-Control: max-age=60"),
            notFresh(
                "9110 5.3: several lines are one, with no-cache", "Cache-Control: max-age=60",
                "Cache-Control: no-cache",
                "ETag: \"a\""),
            fresh("9111 5.4: Pragma in an answer means nothing", "Cache-Control: max-age=60", "Pragma: no-cache"),
            fresh("9111 5.4: Pragma in an answer beside Expires", "Expires: {+60}", "Pragma: no-cache"),
            notFresh("9111 5.4: Pragma is no Cache-Control", "Pragma: max-age=60"),
            RuleCase(
                "8246 2: immutable is fresh for a reload while it is fresh",
                .fetched("Cache-Control: max-age=60, immutable", "ETag: \"a\""), .stored("Cache-Control: max-age=0"),
                .validated(asks: ["Cache-Control: no-cache"]), .validated(after: 61)),
        ])

    /// RFC 9213.
    private static let targeted = joined(
        [
            "max-age=60", "max-age=60;a=b", "a, max-age=60", "max-age=0, max-age=60", "max-age=60, no-transform",
        ].map { value in
            RuleCase(
                "9213 2.2: CDN-Cache-Control: \(value) takes the place of the others",
                .fetched(
                    "CDN-Cache-Control: \(value)", "Cache-Control: no-store", "Expires: 0",
                    sees: ["Cache-Control: no-store"]), .stored(after: 5))
        },
        ["max-age=0", "no-cache", "max-age=60, no-cache", "max-age=-1", "max-age=\"60\"", "max-age=1.5"].map { value in
            notFresh(
                "9213 2.2: CDN-Cache-Control: \(value) is not fresh", "CDN-Cache-Control: \(value)",
                "Cache-Control: max-age=60", "ETag: \"a\"")
        },
        ["", "max-age=", "MAX-AGE=0", "max-age=0,", "no-store max-age=0", "max-age=0 ; ; ,", "\"a\""].map { value in
            fresh(
                "9213 2.1: CDN-Cache-Control: “\(value)” is none, so Cache-Control counts",
                "CDN-Cache-Control: \(value)", "Cache-Control: max-age=60")
        },
        [
            notFresh(
                "9213 2.2: CDN-Cache-Control: no-store", "CDN-Cache-Control: no-store", "Cache-Control: max-age=60"),
            notFresh("9213 2.2: CDN-Cache-Control: private", "CDN-Cache-Control: private", "Cache-Control: max-age=60"),
            fresh(
                "9213 2.1: several lines are one", "CDN-Cache-Control: max-age=60", "CDN-Cache-Control: a",
                "Cache-Control: max-age=0"),
            notFresh(
                "9213 2.2: Age counts here, too", "CDN-Cache-Control: max-age=60", "Age: 70", "ETag: \"a\""),
        ])

    /// RFC 5861, and RFC 9111 sections 4.2.4 and 5.2.2.
    private static let stale = joined(
        [500, 502, 503, 504].map { status in
            RuleCase(
                "5861 4: stale-if-error on \(status)",
                .fetched("Cache-Control: max-age=10, stale-if-error=600", content: "old"),
                .fetched(status: status, after: 20, gets: 200, sees: ["Age: 20"], reads: "old"))
        },
        [404, 410, 403, 400, 501].map { status in
            RuleCase(
                "5861 4: stale-if-error not on \(status)", .fetched("Cache-Control: max-age=10, stale-if-error=600"),
                .fetched(status: status, after: 20))
        },
        ["must-revalidate", "proxy-revalidate", "s-maxage=10", "no-cache"].map { directive in
            RuleCase(
                "9111 5.2.2: \(directive) is never served stale",
                .fetched("Cache-Control: max-age=10, stale-if-error=600, \(directive)"),
                .fetched(status: 503, after: 20), .fetched("Cache-Control: max-age=10, \(directive)"),
                .fetched(asks: ["Cache-Control: max-stale=1000"], after: 20))
        },
        [
            RuleCase(
                "9111 5.2.2.2: must-revalidate is used while it is fresh",
                .fetched("Cache-Control: max-age=60, must-revalidate"), .stored(after: 50)),
            RuleCase(
                "5861 4: an old failure does not stand in for a new one",
                .fetched("Cache-Control: max-age=10", status: 503, content: "old"),
                .fetched(status: 503, after: 20, content: "new", reads: "new")),
            RuleCase(
                "5861 3: not beyond the window of stale-while-revalidate",
                .fetched("Cache-Control: max-age=10, stale-while-revalidate=10"), .fetched(after: 20)),
        ])
}
