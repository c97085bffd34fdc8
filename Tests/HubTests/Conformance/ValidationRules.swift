/// RFC 9111 sections 4.3 and 4.4: what is asked, what a 304 changes, and what a change makes invalid.
enum ValidationRules {
    static let all = joined(questions, codings, updates, invalidation, posts, passing)

    private static let modified = "Thu, 18 Aug 2005 02:01:18 GMT"

    private static let questions: [RuleCase] = [
        RuleCase(
            "9111 4.3.1: both validators are shown",
            .fetched("Cache-Control: max-age=10", "ETag: \"a\"", "Last-Modified: \(modified)"),
            .validated(after: 20, hears: ["If-None-Match: \"a\"", "If-Modified-Since: \(modified)"])),
        RuleCase(
            "9111 4.3.1: the tag alone", .fetched("Cache-Control: max-age=10", "ETag: W/\"a\""),
            .validated(after: 20, hears: ["If-None-Match: W/\"a\"", "!If-Modified-Since"])),
        RuleCase(
            "9111 4.3.1: the date alone, letter by letter",
            .fetched("Cache-Control: max-age=10", "Last-Modified: Thursday, 18-Aug-05 02:01:18 GMT"),
            .validated(after: 20, hears: ["!If-None-Match", "If-Modified-Since: Thursday, 18-Aug-05 02:01:18 GMT"])),
        RuleCase(
            "9111 4.3.1: no validators, no conditions", .fetched("Cache-Control: max-age=10"), .fetched(after: 20)),
        RuleCase(
            "9111 4.3.1: a tag without quotes is shown as it came",
            .fetched("Cache-Control: max-age=10", "ETag: abc"), .validated(after: 20, hears: ["If-None-Match: abc"])),
        RuleCase(
            "9111 5.2.2.4: no-cache is kept and asked after each time",
            .fetched("Cache-Control: no-cache", "ETag: \"a\"", content: "x"), .validated(reads: "x"),
            .validated(reads: "x")),
        RuleCase(
            "9111 4.3.1: max-age=0, too", .fetched("Cache-Control: max-age=0", "ETag: \"a\"", content: "x"),
            .validated(reads: "x")),
        RuleCase(
            "9111 4.3.1: the client's own tag is kept back",
            .fetched("Cache-Control: max-age=10", "ETag: \"a\""),
            .validated(asks: ["If-None-Match: \"z\""], after: 20, hears: ["If-None-Match: \"a\""], gets: 200)),
    ]

    private static let codings: [RuleCase] = [
        RuleCase(
            "9110 12.5.3: what a client cannot read is not offered as its answer",
            .fetched(
                "Cache-Control: max-age=600", "ETag: \"a-gzip\"", "Vary: Accept-Encoding", "Content-Encoding: gzip",
                asks: ["Accept-Encoding: gzip"], content: "packed"),
            .fetched(
                "Cache-Control: max-age=600", "ETag: \"a\"", "Vary: Accept-Encoding", content: "plain",
                hears: ["!If-None-Match"]),
            .validated(
                "Cache-Control: max-age=600", "ETag: \"a\"", "Vary: Accept-Encoding",
                asks: ["Accept-Encoding: br, gzip;q=0"], status: 200, content: "plain",
                hears: ["If-None-Match: \"a\""])),
        RuleCase(
            "9110 12.5.3: what it can read is",
            .fetched(
                "Cache-Control: max-age=600", "ETag: \"a-gzip\"", "Vary: Accept-Encoding", "Content-Encoding: gzip",
                asks: ["Accept-Encoding: gzip"], content: "packed"),
            .validated(
                "ETag: \"a-gzip\"", asks: ["Accept-Encoding: gzip, br"], hears: ["If-None-Match: \"a-gzip\""],
                reads: "packed")),
    ]

    private static func updated(_ line: String, _ new: String) -> RuleCase {
        RuleCase(
            "9111 3.2: a 304 sets \(new)", .fetched("Cache-Control: max-age=10", "ETag: \"a\"", line),
            .validated("Cache-Control: max-age=600", "ETag: \"a\"", new, after: 20, sees: [new]),
            .stored(after: 100, sees: [new]))
    }

    private static let updates = joined(
        [
            updated("X-A: 1", "X-A: 2"), updated("X-B: 1", "X-C: 2"),
            updated("Content-Type: text/a", "Content-Type: text/b"),
            updated("Content-Language: a", "Content-Language: b"),
            updated("Last-Modified: \(modified)", "Last-Modified: Thu, 18 Aug 2005 02:01:19 GMT"),
            updated("Content-Location: /a", "Content-Location: /b"), updated("Server: a", "Server: b"),
            updated("X-Frame-Options: DENY", "X-Frame-Options: SAMEORIGIN"), updated("Refresh: 1", "Refresh: 2"),
            updated("Content-MD5: a", "Content-MD5: b"), updated("Warning: 299 a \"b\"", "Warning: 299 a \"c\""),
        ],
        [
            RuleCase(
                "9111 7.3: a cookie of a 304 is for the one who asked",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\"", "Set-Cookie: a=1"),
                .validated("Cache-Control: max-age=600", "Set-Cookie: a=2", after: 20, sees: ["Set-Cookie: a=2"]),
                .stored(after: 100, sees: ["!Set-Cookie"])),
            RuleCase(
                "9111 3.2: a 304 does not change the length",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\"", content: "0123456789"),
                .validated("ETag: \"a\"", "Content-Length: 3", after: 20, sees: ["Content-Length: 10"])),
            RuleCase(
                "9111 3.2: nor anything with what belongs to a connection",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\""),
                .validated(
                    "ETag: \"a\"", "Cache-Control: max-age=60", "Connection: X-A", "X-A: 1", "Keep-Alive: timeout=3",
                    after: 20, sees: ["!X-A", "!Keep-Alive"]),
                .stored(sees: ["!X-A"])),
            RuleCase(
                "9111 4.3.4: fields that the 304 does not have stay",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\"", "X-A: 1"),
                .validated(after: 61, sees: ["X-A: 1", "ETag: \"a\""]), .stored(after: 59, sees: ["X-A: 1"])),
            RuleCase(
                "9111 4.2.3: a 304 makes it young again",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\"", "Age: 50"), .validated(after: 10),
                .stored(after: 59, sees: ["Age: 59"])),
            RuleCase(
                "9111 4.2.3: unless the 304 was old itself",
                .fetched("Cache-Control: max-age=60", "ETag: \"a\""), .validated("Age: 50", after: 61),
                .stored(after: 9, sees: ["Age: 59"]), .validated(after: 1)),
            RuleCase(
                "9111 4.3.4: a 304 about another version confirms nothing",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\""),
                RuleStep(way: .any, after: 20, status: 200, says: ["Cache-Control: max-age=60", "ETag: \"b\""]),
                .stored(sees: ["ETag: \"b\""])),
            RuleCase(
                "9111 4.3.3: a 200 takes the place of what was there",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\"", "X-A: 1"),
                .validated("Cache-Control: max-age=60", "ETag: \"b\"", status: 200, after: 20, sees: ["!X-A"]),
                .stored(sees: ["ETag: \"b\"", "!X-A"])),
            RuleCase(
                "9111 4.3.3: so does a 404 that is kept",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\""),
                .validated("Cache-Control: max-age=60", status: 404, after: 20), .stored(gets: 404)),
            RuleCase(
                "9111 5.2.2.5: a 304 with no-store serves once",
                .fetched("Cache-Control: max-age=10", "ETag: \"a\""),
                .validated("Cache-Control: no-store", after: 20), .fetched()),
            RuleCase(
                "9111 4.3.4: a weak tag confirms", .fetched("Cache-Control: max-age=60", "ETag: W/\"a\""),
                .validated("ETag: W/\"a\"", after: 61), .stored()),
            RuleCase(
                "9111 4.3.4: so does the date", .fetched("Cache-Control: max-age=60", "Last-Modified: \(modified)"),
                .validated("Last-Modified: \(modified)", after: 61), .stored()),
        ])

    private static let kept = RuleStep.fetched("Cache-Control: max-age=600", "ETag: \"a\"")

    private static let invalidation = joined(
        ["POST", "PUT", "DELETE", "PATCH", "FOO", "M-SEARCH", "LOCK"].flatMap { method in
            joined(
                [200, 204, 301, 303].map { status in
                    RuleCase(
                        "9111 4.4: \(method) that is answered \(status) makes it invalid", kept,
                        .fetched(method: method, status: status, content: "", sends: "x"),
                        .validated(status: 200))
                },
                [400, 404, 409, 500].map { status in
                    RuleCase(
                        "9111 4.4: \(method) that is answered \(status) does not", kept,
                        .fetched(method: method, status: status, content: "", sends: "x", reads: ""),
                        RuleStep(way: .stored, reads: "content 0 of {path}"))
                })
        },
        ["OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH"].map { method in
            RuleCase(
                "9110 9.2.1: \(method) is safe", kept, .fetched(method: method, content: "x"),
                RuleStep(way: .stored, reads: "content 0 of {path}"))
        },
        ["Location", "Content-Location"].flatMap { name in
            joined(
                [
                    "{path}/b", "http://{origin}{path}/b", "http://{hub}{path}/b", "//{origin}{path}/b",
                    "{path}/c/../b",
                    "{path}/b#f",
                ].map { url in
                    RuleCase(
                        "9111 4.4: \(name): \(url) is invalid, too",
                        .fetched("Cache-Control: max-age=600", "ETag: \"a\"", suffix: "/b"),
                        .fetched("\(name): \(url)", method: "POST", status: 201, sends: "x"),
                        RuleStep(way: .validated, suffix: "/b", status: 200))
                },
                ["http://elsewhere.example{path}/b", "http://127.0.0.1:9{path}/b", "mailto:{path}/b"].map { url in
                    RuleCase(
                        "9111 4.4: \(name): \(url) is another origin's",
                        .fetched("Cache-Control: max-age=600", "ETag: \"a\"", suffix: "/b", content: "b"),
                        .fetched("\(name): \(url)", method: "POST", status: 201, sends: "x"),
                        .stored(suffix: "/b", reads: "b"))
                })
        })

    private static let posts: [RuleCase] = [
        RuleCase(
            "9110 9.3.3: a POST's answer that says it is the content of its URL answers GET",
            .fetched("Cache-Control: max-age=60", "Content-Location: {path}", method: "POST", sends: "x"), .stored()),
        RuleCase(
            "9110 9.3.3: also by the name that the client has for it",
            .fetched("Cache-Control: max-age=60", "Content-Location: http://{hub}{path}", method: "POST", sends: "x"),
            .stored()),
        RuleCase(
            "9110 9.3.3: not without a lifetime",
            .fetched("Last-Modified: \(modified)", "Content-Location: {path}", method: "POST", sends: "x"), .fetched()),
        RuleCase(
            "9110 9.3.3: not without Content-Location",
            .fetched("Cache-Control: max-age=60", method: "POST", sends: "x"),
            .fetched()),
        RuleCase(
            "9110 9.3.3: no POST is answered from the cache",
            .fetched("Cache-Control: max-age=60", "Content-Location: {path}", method: "POST", sends: "x"),
            .fetched("Cache-Control: max-age=60", "Content-Location: {path}", method: "POST", sends: "x")),
        RuleCase(
            "9111 3: answers to PUT are not kept", .fetched("Cache-Control: max-age=60", method: "PUT", sends: "x"),
            .fetched()),
        RuleCase(
            "9110 9.3.7: answers to OPTIONS are not kept",
            .fetched("Cache-Control: max-age=60", method: "OPTIONS"),
            .fetched("Cache-Control: max-age=60", method: "OPTIONS")),
    ]

    private static let passing = joined(
        [
            "Accept: a/b;c=d", "Accept-Encoding: own", "Authorization: Own abc", "Cookie: a=b; c=d", "X-Odd: é, \"x\"",
            "Content-Type: a/b", "Origin: null", "Referer: http://a/", "User-Agent: u (v)", "Cache-Control: max-age=3",
            "Pragma: x", "DNT: 1", "If-Range: \"a\"", "Range: lines=1",
            "Priority: u=1",
        ].map { line in
            RuleCase("9110 7.6: \(line) goes to the origin", .fetched(asks: [line], hears: [line]))
        },
        [
            "Connection: X-A", "Keep-Alive: 1", "Proxy-Connection: keep-alive", "TE: gzip", "Upgrade: h2c",
            "Proxy-Authorization: Basic a", "Forwarded: for=a", "X-Forwarded-For: 1.2.3.4",
        ].map { line in
            RuleCase(
                "9110 7.6.1: \(line) does not",
                .fetched(
                    asks: [line, "X-A: 1"],
                    hears: ["!" + line.prefix { $0 != ":" }] + (line.hasSuffix("X-A") ? ["!X-A"] : ["X-A: 1"])))
        },
        [
            RuleCase(
                "9110 7.6.3: Via is added to what is there",
                .fetched("Via: 1.0 before", asks: ["Via: 1.0 fred"], hears: ["Via"], sees: ["Via"])),
            RuleCase(
                "9211 2: every answer says how it was come by",
                .fetched(
                    "Cache-Control: max-age=60",
                    sees: ["Cache-Status: quire-hub; fwd=uri-miss; fwd-status=200; ttl=60; stored"]),
                .stored(after: 10, sees: ["Cache-Status: quire-hub; hit; ttl=50"])),
            RuleCase(
                "9211 2: behind the member of the cache before",
                .fetched(
                    "Cache-Control: no-store", "Cache-Status: \"far\"; hit",
                    sees: ["Cache-Status: \"far\"; hit, quire-hub; fwd=uri-miss; fwd-status=200"])),
        ])
}
