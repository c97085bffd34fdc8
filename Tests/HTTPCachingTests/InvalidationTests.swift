import HTTPCaching
import HTTPTypes
import Model
import Testing

/// RFC 9111 section 4.4.
@Suite("An unsafe request that succeeds makes what is stored invalid")
struct InvalidationTests {
    private func urls(
        _ method: String, _ status: Int = 200, url: String = "http://a/x/y?q", _ pairs: (String, String)...
    ) throws -> [String] {
        var fields = HTTPFields()
        for (name, value) in pairs { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let request = CacheRequest(
            method: try #require(HTTPRequest.Method(method)), url: url, fields: HTTPFields())
        return Invalidation.urls(request, status: status, response: fields)
    }

    @Test("methods that change something, and unknown methods; safe ones never")
    func methods() throws {
        for method in ["POST", "PUT", "DELETE", "PATCH", "FOO", "get"] {
            #expect(try urls(method) == ["http://a/x/y?q"], "\(method)")
        }
        for method in ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY"] {
            #expect(try urls(method, 200, ("Location", "/z")).isEmpty, "\(method)")
        }
    }

    @Test("successes and redirects do, errors do not")
    func statuses() throws {
        for status in 100..<600 {
            #expect(try urls("PUT", status).isEmpty != (200..<400).contains(status), "\(status)")
        }
    }

    @Test(
        "Location and Content-Location within the same origin",
        arguments: [
            ("/z", "http://a/z"), ("z", "http://a/x/z"), ("../z", "http://a/z"), ("../../../z", "http://a/z"),
            ("?r", "http://a/x/y?r"), ("./", "http://a/x/"), ("..", "http://a/"), ("http://a/z#f", "http://a/z"),
            ("HTTP://A:80/z", "http://a/z"), ("//a/z", "http://a/z"), ("//A:80/z?q#f", "http://a/z?q"),
            ("http://a", "http://a/"), ("http://a?q", "http://a/?q"), ("/a/./b/../c", "http://a/a/c"),
            ("z?a=b:c", "http://a/x/z?a=b:c"), ("/z:1", "http://a/z:1"),
            ("/z%3a1", "http://a/z%3A1"),
            // Other origins.
            ("https://a/z", nil), ("http://b/z", nil), ("//b/z", nil), ("http://a:81/z", nil), ("http://a.b/z", nil),
            ("http://a@b/z", nil), ("http://user@a/z", nil), ("mailto:x", nil), ("http:z", nil), ("http://", nil),
            ("ftp://a/z", nil),
        ] as [(String, String?)])
    func locations(_ location: String, _ expected: String?) throws {
        for name in ["Location", "Content-Location"] {
            let extra = try urls("POST", 201, (name, location)).filter { $0 != "http://a/x/y?q" }
            #expect(extra == (expected.map { [$0] } ?? []), "\(name): \(location)")
        }
    }

    @Test("both fields, and the target's own normal form")
    func several() throws {
        #expect(
            try urls("POST", 201, url: "HTTP://A:80/x", ("Location", "/1"), ("Content-Location", "/2"))
                == ["HTTP://A:80/x", "http://a/x", "http://a/1", "http://a/2"])
    }

    /// RFC 9110 section 9.3.3.
    @Test("a POST's answer is kept for GET when it says for how long and that it is the content of its own URL")
    func post() throws {
        let rows: [([(String, String)], Bool)] = [
            ([("Cache-Control", "max-age=9"), ("Content-Location", "http://a/x")], true),
            ([("Cache-Control", "max-age=9"), ("Content-Location", "/x")], true),
            ([("Expires", "0"), ("Content-Location", "x")], true),
            ([("Cache-Control", "max-age=9"), ("Content-Location", "/y")], false),
            ([("Cache-Control", "max-age=9"), ("Content-Location", "http://b/x")], false),
            ([("Cache-Control", "max-age=9")], false), ([("Content-Location", "/x")], false),
            ([("Cache-Control", "public"), ("Content-Location", "/x")], false),
            ([("Cache-Control", "max-age=9, no-store"), ("Content-Location", "/x")], false),
        ]
        for (pairs, isStored) in rows {
            var fields = HTTPFields()
            for (name, value) in pairs {
                fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
            }
            for (method, mayBe) in [(HTTPRequest.Method.post, true), (.put, false), (.patch, false), (.delete, false)] {
                let request = CacheRequest(method: method, url: "http://a/x", fields: HTTPFields())
                let decision = Storability.decide(request, status: 200, response: fields, policy: .hub)
                #expect((decision == .store) == (isStored && mayBe), "\(method): \(pairs)")
            }
        }
    }
}
