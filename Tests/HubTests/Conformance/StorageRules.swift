/// RFC 9111 sections 3 and 4.1: what is kept, and for which requests.
enum StorageRules {
    static let all = joined(statuses, refused, fields, vary, credentials, targets)

    private static let statuses = joined(
        [
            200, 201, 202, 203, 204, 205, 299, 300, 301, 302, 303, 307, 308, 399, 400, 401, 402, 403, 404, 405, 408,
            409,
            410, 411, 413, 414, 415, 417, 418, 422, 451, 499, 500, 501, 502, 503, 504, 505, 599,
        ].map { status in
            RuleCase(
                "9111 3: \(status) with a lifetime is kept",
                .fetched("Cache-Control: max-age=60", "Location: /elsewhere", status: status),
                .stored(after: 5, gets: status, sees: ["Location: /elsewhere", "Age: 5"]))
        },
        [302, 404, 503, 599].map { status in
            RuleCase(
                "9111 3: \(status) with Expires is kept", .fetched("Expires: {+60}", status: status),
                .stored(after: 5, gets: status))
        },
        [428, 429, 431, 511].map { status in
            RuleCase(
                "6585: \(status) is never kept", .fetched("Cache-Control: max-age=60", status: status),
                .fetched("Cache-Control: max-age=60", status: status))
        })

    private static func notKept(_ name: String, _ says: String..., asks: [String] = []) -> RuleCase {
        var step = RuleStep.fetched(asks: asks)
        step.says = says
        return RuleCase(name, step, step)
    }

    private static let refused: [RuleCase] = [
        notKept("9111 5.2.2.5: no-store", "Cache-Control: no-store"),
        notKept("9111 5.2.2.5: no-store beside a lifetime", "Cache-Control: no-store, max-age=60"),
        notKept("9111 5.2.2.5: No-Store behind it", "Cache-Control: max-age=60, No-StOrE"),
        notKept("9111 5.2.2.5: no-store with an argument", "Cache-Control: max-age=60, no-store=\"a\""),
        notKept("9111 5.2.2.5: no-store on a line of its own", "Cache-Control: max-age=60", "Cache-Control: no-store"),
        notKept("9111 5.2.2.7: private", "Cache-Control: private, max-age=60"),
        notKept("9111 5.2.2.7: PRIVATE", "Cache-Control: max-age=60, PRIVATE"),
        notKept(
            "9111 5.2.1.5: no-store in the request", "Cache-Control: max-age=60", asks: ["Cache-Control: no-store"]),
        notKept("9111 4.1: Vary: *", "Cache-Control: max-age=60", "Vary: *"),
        notKept("9111 4.1: * among names", "Cache-Control: max-age=60", "Vary: Accept, *"),
        notKept("9111 4.1: * on a line of its own", "Cache-Control: max-age=60", "Vary: Accept", "Vary: *"),
        RuleCase(
            "9111 5.2.2.3: must-understand lifts no-store where the status is known",
            .fetched("Cache-Control: max-age=60, no-store, must-understand"), .stored()),
        RuleCase(
            "9111 5.2.2.3: must-understand keeps nothing of an unknown status",
            .fetched("Cache-Control: max-age=60, must-understand", status: 599),
            .fetched("Cache-Control: max-age=60", status: 599)),
        RuleCase(
            "9111 5.2.2.5: no-store takes the place of what was kept",
            .fetched("Cache-Control: max-age=60"), .fetched("Cache-Control: no-store", asks: ["Pragma: no-cache"]),
            .fetched("Cache-Control: max-age=60")),
        RuleCase(
            "9111 5.2.2.7: private takes the place of what was kept",
            .fetched("Cache-Control: max-age=60"), .fetched("Cache-Control: private", asks: ["Pragma: no-cache"]),
            .fetched("Cache-Control: max-age=60")),
        RuleCase(
            "5861 4: a failure with no-store leaves what was kept",
            .fetched("Cache-Control: max-age=60, must-revalidate", "ETag: \"a\"", content: "good"),
            .validated("Cache-Control: no-store", status: 503, after: 61, gets: 503),
            .validated("Cache-Control: max-age=60", gets: 200, reads: "good")),
    ]

    private static let fields = joined(
        [
            "Connection: a", "Keep-Alive: timeout=5", "Proxy-Authenticate: Basic", "Proxy-Connection: close",
            "Proxy-Authentication-Info: a=b", "TE: trailers", "Upgrade: h2c", "Trailer: X",
        ].map { line in
            RuleCase(
                "9111 3.1: \(line) is not kept", .fetched("Cache-Control: max-age=60", line),
                .stored(sees: ["!" + line.prefix { $0 != ":" }]))
        },
        [
            "Clear-Site-Data: \"cache\"", "Content-MD5: rL0Y20zC+Fzt72VPzMSk2A==", "Content-Encoding: own",
            "Content-Language: de", "Content-Location: /a", "Content-Security-Policy: default-src 'none'",
            "Content-Type: text/odd; a=b", "ETag: \"a\"", "Expires: Thu, 18 Aug 2050 02:01:18 GMT",
            "Last-Modified: Thu, 18 Aug 2005 02:01:18 GMT", "Link: </a>; rel=next", "Public-Key-Pins: a",
            "Server: me", "Strict-Transport-Security: max-age=3",
            "Test-Header: a, b", "Warning: 214 a \"b\"", "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY",
            "X-XSS-Protection: 1", "Retry-After: 120", "Content-Disposition: attachment", "Refresh: 5",
            "Access-Control-Allow-Origin: *", "Alt-Svc: clear", "Allow: GET", "Accept-Ranges: bytes",
        ].map { line in
            RuleCase(
                "9111 3.1: \(line) is kept", .fetched("Cache-Control: max-age=60", line, sees: [line]),
                .stored(sees: [line]))
        },
        ["Set-Cookie: a=b", "Set-Cookie2: a=b"].map { line in
            RuleCase(
                "9111 7.3: \(line) is for the one who asked", .fetched("Cache-Control: max-age=60", line, sees: [line]),
                .stored(sees: ["!" + line.prefix { $0 != ":" }]))
        },
        ["bytes 0-3/10", "bytes */10", "lines 1-2/3", "odd"].map { value in
            RuleCase(
                "9110 14.4: Content-Range: \(value) of a 200 is a field like any other",
                .fetched("Cache-Control: max-age=60", "Content-Range: \(value)", sees: ["Content-Range: \(value)"]),
                .stored(gets: 200, sees: ["Content-Range: \(value)"]))
        },
        [
            RuleCase(
                "9110 7.6.1: what Connection names is neither passed on nor kept",
                .fetched(
                    "Cache-Control: max-age=60", "Connection: x-one, X-Two", "X-One: 1", "x-two: 2", "X-Three: 3",
                    sees: ["!X-One", "!X-Two", "X-Three: 3"]),
                .stored(sees: ["!X-One", "!X-Two", "X-Three: 3"])),
            RuleCase(
                "9111 5.2.2.4: a field that no-cache names is not given without asking",
                .fetched(
                    "Cache-Control: max-age=60, no-cache=\"x-one, x-two\"", "X-One: 1", "X-Two: 2", "X-Three: 3",
                    sees: ["X-One: 1"]), .stored(sees: ["!X-One", "!X-Two", "X-Three: 3"])),
            RuleCase(
                "9111 5.2.2.4: one name as a token",
                .fetched("Cache-Control: no-cache=x-one, max-age=60", "X-One: 1"), .stored(sees: ["!X-One"])),
            RuleCase(
                "9111 5.2.2.7: a field that private names is not kept",
                .fetched("Cache-Control: max-age=60, private=\"x-one\"", "X-One: 1", "X-Two: 2", sees: ["X-One: 1"]),
                .stored(sees: ["!X-One", "X-Two: 2"])),
            RuleCase(
                "9110 5.3: lines of one name stay apart and in their order",
                .fetched("Cache-Control: max-age=60", "X-B: a=1", "X-A: 1", "X-B: b=2", "X-A: 2"),
                .stored(sees: ["X-B: a=1, b=2", "X-A: 1, 2"])),
            RuleCase(
                "9110 5.5: bytes beyond ASCII pass",
                .fetched("Cache-Control: max-age=60", "X-A: grün", sees: ["X-A: grün"]),
                .stored(sees: ["X-A: grün"])),
            RuleCase(
                "9112 7.1.2: a chunked answer is kept, and sent with its length",
                .fetched(
                    "Cache-Control: max-age=60", "Transfer-Encoding: chunked",
                    content: "5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-T: 1\r\n\r\n", reads: "hello world"),
                .stored(sees: ["Content-Length: 11", "!Transfer-Encoding", "!X-T"], reads: "hello world")),
            RuleCase(
                "9111 3: an empty answer is kept", .fetched("Cache-Control: max-age=60", content: ""),
                .stored(sees: ["Content-Length: 0"])),
        ])

    private static func varied(_ name: String, _ vary: String, _ first: [String], _ second: [String]) -> RuleCase {
        RuleCase(name, .fetched("Cache-Control: max-age=60", "Vary: \(vary)", asks: first), stored(second))
    }

    private static func stored(_ asks: [String]) -> RuleStep {
        var step = RuleStep.stored()
        step.asks = asks
        return step
    }

    private static func apart(_ name: String, _ vary: String, _ first: [String], _ second: [String]) -> RuleCase {
        RuleCase(
            name, .fetched("Cache-Control: max-age=60", "Vary: \(vary)", asks: first),
            .fetched("Cache-Control: max-age=60", "Vary: \(vary)", asks: second))
    }

    private static let vary: [RuleCase] = [
        varied("9111 4.1: the same value", "A", ["A: 1"], ["A: 1"]),
        varied("9111 4.1: names in any case", "a-NAME", ["A-Name: 1"], ["a-name: 1"]),
        varied("9111 4.1: absent both times", "A", [], ["B: 1"]),
        apart("9111 4.1: another value", "A", ["A: 1"], ["A: 2"]),
        apart("9111 4.1: absent the second time", "A", ["A: 1"], []),
        apart("9111 4.1: absent the first time", "A", [], ["A: 1"]),
        apart("9111 4.1: empty is not absent", "A", [], ["A: "]),
        apart("9111 4.1: a value in another case", "A", ["A: x"], ["A: X"]),
        apart("9111 4.1: another order", "A", ["A: 1, 2"], ["A: 2, 1"]),
        apart("9111 4.1: one of two differs", "A, B", ["A: 1", "B: 1"], ["A: 1", "B: 2"]),
        apart("9111 4.1: one of two lines of Vary differs", "A\r\nVary: B", ["A: 1", "B: 1"], ["A: 1", "B: 2"]),
        apart("9111 4.1: one of three is missing", "A, B, C", ["A: 1", "B: 1", "C: 1"], ["A: 1", "C: 1"]),
        varied("9111 4.1: two that are the same", "A, B", ["A: 1", "B: 1"], ["B: 1", "A: 1", "C: 3"]),
        varied("9111 4.1: space around commas", "A", ["A: 1, 2"], ["A: 1,  2"]),
        varied("9111 4.1: lines and lists", "A", ["A: 1, 2"], ["A: 1", "A: 2"]),
        varied(
            "9110 12.5.4: languages in any case", "Accept-Language", ["Accept-Language: en-GB, de"],
            [
                "Accept-Language: EN-gb,DE"
            ]),
        varied(
            "9110 12.5.4: weights say the order", "Accept-Language", ["Accept-Language: en;q=0.5, de"],
            [
                "Accept-Language: de, en; q=0.50"
            ]),
        apart(
            "9110 12.5.4: other weights", "Accept-Language", ["Accept-Language: en;q=0.5, de"],
            [
                "Accept-Language: en, de;q=0.5"
            ]),
        RuleCase(
            "9111 4.1: content in the one language that is preferred above all others",
            .fetched(
                "Cache-Control: max-age=60", "Vary: Accept-Language", "Content-Language: de",
                asks: ["Accept-Language: de"]),
            .stored("Accept-Language: fr;q=0.5, de;q=1.0"), .stored("Accept-Language: DE, *;q=0.1"),
            .fetched("Cache-Control: max-age=60", asks: ["Accept-Language: de, fr"])),
        RuleCase(
            "9111 4.1: a matching request precedes the language",
            .fetched(
                "Cache-Control: max-age=60", "Vary: Accept-Language", "Content-Language: de",
                asks: ["Accept-Language: de"], content: "one"),
            .fetched(
                "Cache-Control: max-age=60", "Vary: Accept-Language", "Content-Language: fr",
                asks: ["Accept-Language: fr, de"], after: 1, content: "two"),
            .stored("Accept-Language: de", reads: "one"), .stored("Accept-Language: fr, de", reads: "two")),
        RuleCase(
            "9111 4.1: content in two languages, or of another field, is not chosen by it",
            .fetched(
                "Cache-Control: max-age=60", "Vary: Accept-Language", "Content-Language: de, fr",
                asks: ["Accept-Language: de"]),
            .fetched("Cache-Control: max-age=60", asks: ["Accept-Language: de, fr;q=0.5"])),
        varied(
            "9110 12.5.3: codings in any order and case", "Accept-Encoding", ["Accept-Encoding: gzip, br"],
            [
                "Accept-Encoding: BR, gzip;q=1.0"
            ]),
        RuleCase(
            "9111 4.1: several live beside one another",
            .fetched("Cache-Control: max-age=60", "Vary: A", asks: ["A: 1"], content: "one"),
            .fetched("Cache-Control: max-age=60", "Vary: A", asks: ["A: 2"], content: "two"),
            .fetched("Cache-Control: max-age=60", "Vary: A", asks: ["A: 3"], content: "three"),
            .stored("A: 1", reads: "one"), .stored("A: 2", reads: "two"), .stored("A: 3", reads: "three")),
        RuleCase(
            "9111 4: of several that fit, the one with the latest Date",
            .fetched("Cache-Control: max-age=600", "Vary: A", asks: ["A: 1", "B: 1"], content: "one"),
            .fetched("Cache-Control: max-age=600", "Vary: B", asks: ["A: 2", "B: 1"], after: 5, content: "two"),
            .stored("A: 1", "B: 1", reads: "two")),
        RuleCase(
            "9111 4.3.1: a tag of another variant is shown, and its content used",
            .fetched("Cache-Control: max-age=60", "Vary: A", "ETag: \"one\"", asks: ["A: 1"], content: "one"),
            .validated(
                "Cache-Control: max-age=60", "Vary: A", "ETag: \"one\"", asks: ["A: 2"],
                hears: ["If-None-Match: \"one\""], gets: 200, reads: "one"),
            .stored("A: 2", reads: "one"), .stored("A: 1", reads: "one")),
    ]

    private static let credentials = joined(
        [
            notKept(
                "9111 3.5: an answer to credentials", "Cache-Control: max-age=60", asks: ["Authorization: Basic YTpi"]),
            notKept("9111 3.5: the same with Expires", "Expires: {+60}", asks: ["Authorization: Basic YTpi"]),
        ],
        ["public", "s-maxage=60", "must-revalidate"].map { directive in
            RuleCase(
                "9111 3.5: unless it says \(directive)",
                .fetched("Cache-Control: max-age=60, \(directive)", asks: ["Authorization: Basic YTpi"]),
                .stored("Authorization: Basic YTpi"), .stored())
        },
        [
            RuleCase(
                "9111 3.5: credentials do not hinder the use of what is kept", .fetched("Cache-Control: max-age=60"),
                .stored("Authorization: Basic YTpi")),
            RuleCase(
                "9111 7.3: a cookie does not hinder it, either",
                .fetched("Cache-Control: max-age=60", "Set-Cookie: a=b", asks: ["Cookie: a=b"]), .stored("Cookie: a=c")),
        ])

    private static let targets: [RuleCase] = [
        RuleCase(
            "9111 2: another query is another URL", .fetched("Cache-Control: max-age=60", suffix: "?a=1", content: "1"),
            .fetched("Cache-Control: max-age=60", suffix: "?a=2"), .fetched("Cache-Control: max-age=60", suffix: "?"),
            .fetched("Cache-Control: max-age=60"), .stored(suffix: "?a=1", reads: "1")),
        RuleCase(
            "9110 4.2.3: paths in other letters are other URLs, and an escape stands for its letter",
            .fetched("Cache-Control: max-age=60", suffix: "/a", content: "a"),
            .fetched("Cache-Control: max-age=60", suffix: "/A"), .stored(suffix: "/%61", reads: "a"),
            .fetched("Cache-Control: max-age=60", suffix: "/a/"), .fetched("Cache-Control: max-age=60", suffix: "//a")),
        RuleCase(
            "9111 3: an answer to a query is kept like any other",
            .fetched("Cache-Control: max-age=60", suffix: "?q=%20&r"), .stored(suffix: "?q=%20&r")),
        RuleCase(
            "9111 4.2.2: also with a guessed lifetime", .fetched("Last-Modified: {-864000}", suffix: "?q"),
            .stored(suffix: "?q", after: 100)),
    ]
}
