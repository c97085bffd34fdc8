import HTTPCaching
import HTTPTypes
import Testing

/// RFC 9111 section 4.1.
@Suite("Vary decides which requests share a response")
struct VaryTests {
    private func matches(_ vary: [String], stored: HTTPFields, asked: HTTPFields) throws -> Bool {
        var response = HTTPFields()
        for value in vary { response.append(HTTPField(name: .vary, value: value)) }
        guard let selected = VaryMatch.selectingFields(of: stored, vary: response) else { return false }
        return VaryMatch.matches(
            StoredResponse(
                status: 200, fields: response, requestTime: noon, responseTime: noon, varyingFields: selected),
            request: asked)
    }

    @Test("without Vary every request matches")
    func noVary() throws {
        #expect(try matches([], stored: fields(("Accept", "a")), asked: fields(("Accept", "b"))))
        #expect(try matches([""], stored: fields(("Accept", "a")), asked: fields()))
        #expect(try matches([" , "], stored: fields(("Accept", "a")), asked: fields()))
    }

    @Test("a star matches nothing", arguments: [["*"], ["Accept, *"], ["Accept", " * "]])
    func star(_ vary: [String]) throws {
        #expect(try !matches(vary, stored: fields(), asked: fields()))
    }

    @Test("the fields that it names must be equal, and no others")
    func named() throws {
        let stored = try fields(("Accept", "a"), ("User-Agent", "x"))
        #expect(try matches(["accept"], stored: stored, asked: fields(("ACCEPT", "a"), ("User-Agent", "y"))))
        #expect(try !matches(["Accept"], stored: stored, asked: fields(("Accept", "b"))))
        #expect(try !matches(["Accept"], stored: stored, asked: fields()))
        #expect(try !matches(["Accept"], stored: fields(), asked: fields(("Accept", "a"))))
        #expect(try matches(["Accept"], stored: fields(), asked: fields(("User-Agent", "y"))))
        #expect(try !matches(["Accept", "User-Agent"], stored: stored, asked: fields(("Accept", "a"))))
        #expect(try !matches(["Accept,User-Agent"], stored: stored, asked: fields(("Accept", "a"))))
    }

    @Test("of a list of preferences the weights count, not the order, the case and the spaces (RFC 9110 section 12.5)")
    func preferences() throws {
        for (one, other) in [
            ("a, b;q=0.5", "b;q=0.5, a"), ("GZIP,br", "br, gzip;q=1"), ("a;q=0.50", "A; Q=0.5"), ("a;q=1.000", "a"),
            ("text/a;P=\"x;y\";q=0.3", "TEXT/A ; p=\"x;y\" ; q=0.300"),
        ] {
            for name in ["Accept", "Accept-Encoding", "Accept-Language"] {
                #expect(try matches([name], stored: fields((name, one)), asked: fields((name, other))), "\(one)")
            }
            #expect(try !matches(["X"], stored: fields(("X", one)), asked: fields(("X", other))), "\(one)")
        }
        for (one, other) in [
            ("a, b;q=0.5", "b, a;q=0.5"), ("a", "a;q=0.9"), ("a;p=X", "a;p=x"), ("a", "a, b"), ("", "a"),
            ("a;q=0", "a"),
        ] {
            #expect(
                try !matches(["Accept"], stored: fields(("Accept", one)), asked: fields(("Accept", other))), "\(one)")
        }
    }

    @Test("spaces and the split over several fields do not matter")
    func normalised() throws {
        let stored = try fields(("Accept", "a, b;q=0.5"))
        #expect(try matches(["Accept"], stored: stored, asked: fields(("Accept", " a ,  b;q=0.5 "))))
        #expect(try matches(["Accept"], stored: stored, asked: fields(("Accept", "a"), ("Accept", "b;q=0.5"))))
        #expect(try matches(["Accept, accept"], stored: stored, asked: stored))
    }

    @Test("what stands within a value counts byte for byte")
    func bytes() throws {
        for (one, other) in [
            ("a  b", "a b"), ("a\tb", "a b"), ("é", "e\u{301}"), ("K", "\u{212A}"), ("\u{FFFD}", "\u{FFFD}"),
        ] {
            #expect(try !matches(["X-A"], stored: fields(("X-A", one)), asked: fields(("X-A", other))), "\(one)")
        }
        #expect(try matches(["X-A"], stored: fields(("X-A", "a  b ,c")), asked: fields(("X-A", " a  b,  c"))))
        // A comma in these is a character like others.
        #expect(
            try !matches(
                ["User-Agent"], stored: fields(("User-Agent", "x (KHTML, like)")),
                asked: fields(("User-Agent", "x (KHTML,like)"))))
    }

    @Test("of two values whose bytes are no text none matches, and a response to one is not stored")
    func noText() throws {
        let name = try #require(HTTPField.Name("X-A"))
        let first = HTTPFields([HTTPField(name: name, value: [0x4A, 0xF6, 0x72])])
        let second = HTTPFields([HTTPField(name: name, value: [0x4A, 0xFC, 0x72])])
        #expect(try !matches(["X-A"], stored: first, asked: second))
        #expect(try !matches(["X-A"], stored: fields(("X-A", "a")), asked: second))
        let request = CacheRequest(url: "http://a/", fields: first)
        let response = try fields(("Vary", "X-A"), ("Cache-Control", "max-age=60"))
        #expect(
            Storability.decide(request, status: 200, response: response, policy: .hub) == .refuse(.varyStar))
    }

    @Test("the content's one language is chosen by who would have it before all others")
    func languages() throws {
        func chosen(_ content: String, _ accept: String) throws -> Bool {
            let stored = try response(
                ("Vary", "Accept-Language"), ("Content-Language", content), varying: fields(("Accept-Language", "x")))
            return try StoredVariant(stored, policy: .hub).matches(fields(("Accept-Language", accept)))
        }
        for (content, accept) in [
            ("de", "fr;q=0.5, de;q=1.0"), ("de", "de"), ("DE", "de, en;q=0.9"), ("de-AT", "DE-at;q=0.3, de;q=0.2"),
            ("de", "de;q=0.001"), ("de", "de, *;q=0.5"),
        ] {
            #expect(try chosen(content, accept), "\(content) for \(accept)")
        }
        for (content, accept) in [
            ("de", "fr, de;q=0.9"), ("de", "de, fr"), ("de", "de;q=0"), ("de, fr", "de"), ("de", "*"), ("de", "de-AT"),
            ("de-AT", "de"), ("", ""), ("de", "de;q=x"), ("de", "fr"),
        ] {
            #expect(try !chosen(content, accept), "\(content) for \(accept)")
        }
        // Another field that Vary names still counts.
        let stored = try response(
            ("Vary", "Accept-Language, Accept"), ("Content-Language", "de"), varying: fields(("Accept", "a")))
        let variant = StoredVariant(stored, policy: .hub)
        #expect(try variant.matches(fields(("Accept-Language", "de"), ("Accept", "a"))))
        #expect(try !variant.matches(fields(("Accept-Language", "de"), ("Accept", "b"))))
    }

    @Test("names that no field can have are passed over", arguments: ["a b", ":path", "(x)", "é"])
    func impossibleNames(_ vary: String) throws {
        #expect(try matches([vary], stored: fields(("Accept", "a")), asked: fields(("Accept", "b"))))
    }
}
