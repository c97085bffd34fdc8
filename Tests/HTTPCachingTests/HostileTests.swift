import HTTPCaching
import HTTPTypes
import Model
import Testing

@Suite("Fields of thirty thousand bytes take no more than one pass")
struct HostileTests {
    /// Code that takes the square of their length would run for minutes.
    static let values: [String] = [
        ",", "\"", "a=\"", "\\\"", "=", " ", "a,", "a=\"\\\",", "no-cache=\"a,", "max-age=\"", "\"a\",", "W/\"a\", ",
        "1-2,", "a;",
        "private=\"x\",", "9", "a b,", ", ,", "a=1,", "../",
    ].map { String(String(repeating: $0, count: 30_000 / $0.utf8.count)) }

    @Test("as a response", arguments: values)
    func response(_ value: String) throws {
        let names = [
            "Cache-Control", "CDN-Cache-Control", "Vary", "Age", "Expires", "Date", "ETag", "Last-Modified",
            "Connection",
            "Content-Range", "Location", "Content-Location",
        ]
        var message = HTTPFields()
        for name in names { message.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        let reply = ValidationOutcome.Reply(status: 200, fields: message, requestTime: noon, responseTime: noon)
        let request = CacheRequest(method: .post, url: "http://a/", fields: HTTPFields())
        #expect(Invalidation.urls(request, status: 200, response: message).count <= 3)
        _ = Storability.decide(request, status: 200, response: message, policy: .hub)
        let stored = StoredResponse(status: 200, fields: message, requestTime: noon, responseTime: noon)
        let variant = StoredVariant(stored, policy: .hub)
        #expect(variant.ageSeconds(now: noon) >= 0)
        let get = CacheRequest(url: "http://a/", fields: message)
        let lookup = CacheLookup.decide(now: noon, request: get, variants: [variant], policy: .hub)
        if case .ask(let question) = lookup {
            _ = ValidationOutcome(reply, to: question, request: get, variants: [variant], policy: .hub)
        }
        #expect(FieldFilter.stored(message, policy: .hub).count <= names.count)
    }

    @Test("as a request", arguments: values)
    func request(_ value: String) throws {
        var stored = try HTTPCachingTests.response(
            ("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Vary", "Accept, X-A"),
            ("Last-Modified", "Sat, 21 Nov 2020 04:51:00 GMT"))
        stored.content = .whole(length: 1 << 40)
        var message = HTTPFields()
        message[.cacheControl] = value
        message[try #require(HTTPField.Name("Pragma"))] = value
        message[.range] = "bytes=" + value
        message[.ifRange] = value
        message[.ifNoneMatch] = value
        message[.ifModifiedSince] = value
        message[.ifMatch] = value
        message[.ifUnmodifiedSince] = value
        message[.accept] = value
        message[.connection] = value
        let request = CacheRequest(url: "http://a/", fields: message)
        stored.varyingFields = try #require(VaryMatch.selectingFields(of: message, vary: stored.fields))
        let variant = StoredVariant(stored, policy: .hub)
        #expect(variant.matches(message))
        _ = StoredAnswer.Plan(request, variant)
        _ = CacheLookup.decide(now: noon, request: request, variants: [variant], policy: .hub)
        #expect(FieldFilter.forwarded(message).contains(.ifNoneMatch))
    }
}
