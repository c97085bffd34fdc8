/// RFC 9111 section 5.2.1 and 4.3.2: what a client may wish, and its conditions.
enum RequestRules {
    static let all = joined(wishes, conditions, ranges, heads)

    private static let kept = RuleStep.fetched("Cache-Control: max-age=60", "ETag: \"a\"")

    private static let wishes = joined(
        ["no-cache", "max-age=0", "No-Cache", "a=b, no-cache", "max-age=\"0\"", "max-age=a", "min-fresh=61"].map {
            wish in
            RuleCase(
                "9111 5.2.1: Cache-Control: \(wish) asks the origin", kept,
                .validated(asks: ["Cache-Control: \(wish)"]))
        },
        ["max-age=60", "min-fresh=30", "max-stale=10", "only-if-cached", "unknown", "no-store", "no-transform"].map {
            wish in
            RuleCase(
                "9111 5.2.1: Cache-Control: \(wish) is met by what is fresh", kept,
                RuleStep(way: .stored, asks: ["Cache-Control: \(wish)"], after: 5))
        },
        [
            RuleCase(
                "9111 5.2.1.1: max-age that is younger than what is there", kept,
                .stored("Cache-Control: max-age=10", after: 10),
                .validated(asks: ["Cache-Control: max-age=10"], after: 1)),
            RuleCase(
                "9111 5.2.1.1: max-age counts the Age that came",
                .fetched("Cache-Control: max-age=600", "Age: 100", "ETag: \"a\""),
                .stored("Cache-Control: max-age=100"), .validated(asks: ["Cache-Control: max-age=99"])),
            RuleCase(
                "9111 5.2.1.3: min-fresh of what is nearly stale", kept,
                .stored("Cache-Control: min-fresh=10", after: 50),
                .validated(asks: ["Cache-Control: min-fresh=10"], after: 1)),
            RuleCase(
                "9111 5.2.1.2: max-stale allows what is stale by no more", kept,
                .stored("Cache-Control: max-stale=10", after: 70),
                .validated(asks: ["Cache-Control: max-stale=10"], after: 1)),
            RuleCase(
                "9111 5.2.1.2: max-stale without a number allows anything", kept,
                .stored("Cache-Control: max-stale", after: 100_000)),
            RuleCase(
                "9111 5.2.1.2: max-stale and max-age together", kept,
                .validated(asks: ["Cache-Control: max-stale=1000, max-age=10"], after: 100)),
            RuleCase(
                "9111 5.2.1.7: only-if-cached and nothing there",
                .stored("Cache-Control: only-if-cached", gets: 504)),
            RuleCase(
                "9111 5.2.1.7: only-if-cached and stale", kept,
                .stored("Cache-Control: only-if-cached", after: 61, gets: 504)),
            RuleCase("9111 5.4: Pragma: no-cache", kept, .validated(asks: ["Pragma: no-cache"])),
            RuleCase("9111 5.4: Pragma in any case", kept, .validated(asks: ["pRaGmA: No-Cache"])),
            RuleCase(
                "9111 5.4: Pragma beside Cache-Control does not count", kept,
                .stored("Pragma: no-cache", "Cache-Control: max-stale=3")),
            RuleCase("9111 5.4: another Pragma", kept, .stored("Pragma: akamai-x-cache-on")),
            RuleCase(
                "9111 5.2.1.5: no-store does not spoil what is there", kept, .stored("Cache-Control: no-store"),
                .stored()),
            RuleCase(
                "9111 5.2.1.4: the response to a reload is kept", kept,
                .validated(
                    "Cache-Control: max-age=60", "ETag: \"b\"", asks: ["Cache-Control: no-cache"], status: 200),
                .stored(sees: ["ETag: \"b\""])),
            RuleCase(
                "5861 4: stale-if-error of the request",
                .fetched("Cache-Control: max-age=10", content: "old"),
                .fetched(asks: ["Cache-Control: stale-if-error=600"], status: 500, after: 30, gets: 200, reads: "old")),
            RuleCase(
                "9110 9.3.1: a GET with content goes to the origin", kept,
                RuleStep(way: .fetched, sends: "query", says: ["Cache-Control: max-age=60"]),
                .stored(reads: "content 0 of {path}")),
        ])

    private static let modified = "Thu, 18 Aug 2005 02:01:18 GMT"
    private static let tagged = RuleStep.fetched(
        "Cache-Control: max-age=60", "ETag: \"a\"", "Last-Modified: \(modified)", "Content-Type: text/a", "X-A: 1")

    private static let conditions = joined(
        ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "\"b\",W/\"a\" , \"c\"", "*", "\"b\"\r\nIf-None-Match: \"a\""].map { tag in
            RuleCase(
                "9110 13.1.2: If-None-Match: \(tag)", tagged,
                .stored(
                    "If-None-Match: \(tag)", gets: 304,
                    sees: ["ETag: \"a\"", "Cache-Control: max-age=60", "!Content-Type", "!Content-Length"]))
        },
        ["\"b\"", "a", "\"A\"", "W/\"b\"", "\"b\", \"c\""].map { tag in
            RuleCase(
                "9110 13.1.2: If-None-Match: \(tag), which is another", tagged,
                .stored("If-None-Match: \(tag)", gets: 200))
        },
        [modified, "{-5}", "Thursday, 18-Aug-05 02:01:18 GMT", "Thu Aug 18 02:01:18 2005"].map { date in
            RuleCase(
                "9110 13.1.3: If-Modified-Since: \(date)", tagged, .stored("If-Modified-Since: \(date)", gets: 304))
        },
        ["Thu, 18 Aug 2005 02:01:17 GMT", "yesterday", "0", "\(modified)\r\nIf-Modified-Since: \(modified)"].map {
            date in
            RuleCase(
                "9110 13.1.3: If-Modified-Since: \(date), which is not met or no date", tagged,
                .stored("If-Modified-Since: \(date)", gets: 200))
        },
        [
            RuleCase(
                "9110 13.1.3: If-Modified-Since does not count beside If-None-Match", tagged,
                .stored("If-None-Match: \"b\"", "If-Modified-Since: {0}", gets: 200),
                .stored("If-None-Match: \"a\"", "If-Modified-Since: Thu, 18 Aug 1995 02:01:18 GMT", gets: 304)),
            RuleCase(
                "9110 8.8.3.2: a weak tag is compared weakly",
                .fetched("Cache-Control: max-age=60", "ETag: W/\"a\""), .stored("If-None-Match: \"a\"", gets: 304),
                .stored("If-None-Match: W/\"a\"", gets: 304)),
            RuleCase(
                "9111 4.3.2: without Last-Modified the Date counts", .fetched("Cache-Control: max-age=60"),
                .stored("If-Modified-Since: {0}", gets: 304), .stored("If-Modified-Since: {-90}", gets: 200)),
            RuleCase(
                "9111 4.3.2: without Last-Modified and Date the time of arrival counts",
                .fetched("Cache-Control: max-age=60", "!Date"), .stored("If-Modified-Since: {0}", gets: 304),
                .stored("If-Modified-Since: {-90}", gets: 200)),
            RuleCase(
                "9111 4.3.2: an entity tag does not change that",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\"", "Date: {-30}"),
                .stored("If-Modified-Since: {-30}", gets: 304), .stored("If-Modified-Since: {-31}", gets: 200)),
            RuleCase(
                "9110 13.2.1: conditions do not count where the answer is no success",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\"", status: 404),
                .stored("If-None-Match: \"a\"", gets: 404)),
            RuleCase(
                "9111 4.3.1: a client's condition goes on where nothing is kept",
                .fetched(asks: ["If-None-Match: \"z\""], status: 304, hears: ["If-None-Match: \"z\""], gets: 304)),
            RuleCase(
                "9111 4.3.1: what comes in its place is kept",
                .fetched("Cache-Control: max-age=60", "ETag: \"y\"", asks: ["If-None-Match: \"z\""]),
                .stored(sees: ["ETag: \"y\""])),
            RuleCase(
                "9111 4.3.1: a client with the new version gets its 304 from what comes",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\"", "Last-Modified: \(modified)"),
                .validated(
                    "Cache-Control: max-age=60", "ETag: \"b\"", asks: ["If-None-Match: \"b\""], status: 200, after: 61,
                    hears: ["If-None-Match: \"a\"", "If-Modified-Since: \(modified)"], gets: 304),
                .stored(sees: ["ETag: \"b\""])),
            RuleCase(
                "9110 13.1.1: If-Match that is met is answered", tagged, .stored("If-Match: \"a\"", gets: 200)),
            RuleCase(
                "9110 13.1.1: one that is not is the origin's to judge", tagged,
                .fetched(asks: ["If-Match: \"b\""], status: 412, hears: ["If-Match: \"b\""])),
            RuleCase(
                "9110 13.1.4: If-Unmodified-Since", tagged, .stored("If-Unmodified-Since: \(modified)", gets: 200),
                .fetched(asks: ["If-Unmodified-Since: Thu, 18 Aug 1995 02:01:18 GMT"], status: 412)),
        ])

    private static let long = RuleStep.fetched(
        "Cache-Control: max-age=600", "ETag: \"a\"", "Last-Modified: \(modified)", content: "0123456789")

    private static func part(_ asked: String, _ told: String, _ text: String) -> RuleCase {
        RuleCase(
            "9110 14.1.2: Range: \(asked)", long,
            .stored(
                "Range: \(asked)", gets: 206,
                sees: ["Content-Range: bytes \(told)/10", "Content-Length: \(text.count)"],
                reads: text))
    }

    private static let ranges = joined(
        [
            part("bytes=0-0", "0-0", "0"), part("bytes=2-4", "2-4", "234"), part("bytes=5-", "5-9", "56789"),
            part("bytes=-3", "7-9", "789"), part("bytes=-30", "0-9", "0123456789"), part("bytes=8-100", "8-9", "89"),
            part("BYTES=2-4", "2-4", "234"), part("bytes=2-4,3-6", "2-6", "23456"), part("bytes= 2-4", "2-4", "234"),
            part("bytes=9-9,20-30", "9-9", "9"),
        ],
        ["bytes=4-2", "bytes=a-b", "bytes=", "pages=1-2", "bytes 2-4", "bytes=2-4\r\nRange: bytes=5-6", "bytes=--1"].map
        {
            RuleCase("9110 14.2: Range: \($0) is ignored", long, .stored("Range: \($0)", gets: 200))
        },
        ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=20-30,40-50"].map {
            RuleCase(
                "9110 15.5.17: Range: \($0) is beyond the end", long,
                .stored("Range: \($0)", gets: 416, sees: ["Content-Range: bytes */10"]))
        },
        ["\"a\"", modified].map {
            RuleCase(
                "9110 13.1.5: If-Range: \($0) is the version", long,
                .stored("Range: bytes=2-4", "If-Range: \($0)", gets: 206, reads: "234"))
        },
        ["\"b\"", "W/\"a\"", "Thu, 18 Aug 2005 02:01:19 GMT", "Thu, 18 Aug 2005 02:01:17 GMT", "a"].map {
            RuleCase(
                "9110 13.1.5: If-Range: \($0) is not", long,
                .stored("Range: bytes=2-4", "If-Range: \($0)", gets: 200))
        },
        [
            RuleCase(
                "9110 8.8.2.2: a date is strong only where it is older than its answer",
                .fetched("Cache-Control: max-age=60", "Last-Modified: {0}", content: "0123456789"),
                .stored("Range: bytes=2-4", "If-Range: {0}", gets: 200)),
            RuleCase(
                "9110 13.2.2: conditions come before Range", long,
                .stored("Range: bytes=2-4", "If-None-Match: \"a\"", gets: 304)),
            RuleCase(
                "9110 14.2: Range of a HEAD is ignored", long, .stored("Range: bytes=2-4", method: "HEAD", gets: 200)),
            RuleCase(
                "9110 14.2: Range where the answer is no 200",
                .fetched("Cache-Control: max-age=60", status: 404, content: "0123456789"),
                .stored("Range: bytes=2-4", gets: 404)),
            RuleCase(
                "9111 3.3: a 206 is kept, and answers what it has",
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 2-6/10",
                    asks: ["Range: bytes=2-6"], status: 206, content: "23456"),
                .stored("Range: bytes=2-6", gets: 206, reads: "23456"),
                .stored("Range: bytes=3-4", gets: 206, sees: ["Content-Range: bytes 3-4/10"], reads: "34")),
            RuleCase(
                "9111 3.3: not what it has not",
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 2-6/10",
                    asks: ["Range: bytes=2-6"], status: 206, content: "23456"),
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 0-1/10",
                    asks: ["Range: bytes=0-1"], status: 206, content: "01", hears: ["Range: bytes=0-1"]),
                .stored("Range: bytes=0-6", gets: 206, reads: "0123456")),
            RuleCase(
                "9111 3.4: the rest is asked for, and the parts are one",
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 0-5/10",
                    asks: ["Range: bytes=0-5"], status: 206, content: "012345"),
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 6-9/10", status: 206,
                    content: "6789", hears: ["Range: bytes=6-9", "If-Range: \"a\""], gets: 200,
                    sees: ["!Content-Range"],
                    reads: "0123456789"),
                .stored(gets: 200, reads: "0123456789")),
            RuleCase(
                "9111 3.4: parts of two versions are none",
                .fetched(
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes 0-5/10",
                    asks: ["Range: bytes=0-5"], status: 206, content: "012345"),
                .fetched("Cache-Control: max-age=60", "ETag: \"b\"", hears: ["If-Range: \"a\""], gets: 200),
                .stored(sees: ["ETag: \"b\""])),
            RuleCase(
                "9111 3.4: parts with a weak tag are not joined",
                .fetched(
                    "Cache-Control: max-age=60", "ETag: W/\"a\"", "Content-Range: bytes 0-5/10",
                    asks: ["Range: bytes=0-5"], status: 206, content: "012345"),
                .fetched(
                    "Cache-Control: max-age=60", "ETag: W/\"a\"", "Content-Range: bytes 6-9/10",
                    asks: ["Range: bytes=6-9"], status: 206, content: "abcd"),
                .stored("Range: bytes=6-7", gets: 206, reads: "ab"),
                .fetched("Cache-Control: max-age=60", asks: ["Range: bytes=0-9"], content: "012345abcd")),
            RuleCase(
                "9110 15.3.7: a 206 that does not say how long the whole is passes unkept",
                .fetched(
                    "Cache-Control: max-age=60", "Content-Range: bytes 2-6/*", asks: ["Range: bytes=2-6"], status: 206,
                    content: "23456"),
                .fetched(
                    "Cache-Control: max-age=60", "Content-Range: bytes 2-6/*", asks: ["Range: bytes=2-6"], status: 206,
                    content: "23456")),
            RuleCase(
                "9110 15.5.17: a 416 is for its client alone",
                .fetched("Cache-Control: max-age=60", asks: ["Range: bytes=90-"], status: 416),
                .fetched("Cache-Control: max-age=60")),
        ])

    private static let heads: [RuleCase] = [
        RuleCase(
            "9110 9.3.2: HEAD is answered from a GET", long,
            .stored(method: "HEAD", gets: 200, sees: ["ETag: \"a\"", "Content-Length: 10", "Age: 0"])),
        RuleCase(
            "9110 9.3.2: conditions of a HEAD, too", long, .stored("If-None-Match: \"a\"", method: "HEAD", gets: 304)),
        RuleCase(
            "9111 3: a HEAD's answer is none to a GET",
            .fetched("Cache-Control: max-age=60", "Content-Length: 100", method: "HEAD", sees: ["Content-Length: 100"]),
            .fetched("Cache-Control: max-age=60")),
        RuleCase(
            "9111 4.3.5: a HEAD freshens what is the same", kept,
            .validated(
                "Cache-Control: max-age=600", "ETag: \"a\"", "X-A: new", method: "HEAD", status: 200, after: 61),
            .stored(after: 500, sees: ["X-A: new"])),
        RuleCase(
            "9111 4.3.5: a HEAD with another tag makes what is stored invalid",
            .fetched("Cache-Control: max-age=600", "ETag: \"a\""),
            .validated(
                "Cache-Control: max-age=600", "ETag: \"b\"", asks: ["Cache-Control: no-cache"], method: "HEAD",
                status: 200),
            .validated("ETag: \"b\"", status: 200)),
        RuleCase(
            "9111 4.3.5: a HEAD with another length, too",
            .fetched("Cache-Control: max-age=600", "ETag: \"a\"", content: "0123456789"),
            .validated(
                "Cache-Control: max-age=600", "ETag: \"a\"", "Content-Length: 11", asks: ["Cache-Control: no-cache"],
                method: "HEAD", status: 200),
            .validated("ETag: \"b\"", status: 200, content: "01234567890")),
    ]
}
