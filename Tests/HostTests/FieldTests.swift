import HTTPTypes
import Model
import Testing

@testable import Host

@Suite("Header fields and addresses are read as their standards say")
struct FieldTests {
    @Test(
        "Accept-Encoding with its weights (RFC 9110 section 12.5.3)",
        arguments: [
            (nil as String?, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("br, gzip", true),
            ("gzip;q=0", false), ("gzip; q=0.000", false), ("gzip ; Q=0.5", true), ("*", true), ("*;q=0", false),
            ("gzip;q=0, *", false), ("identity, gzip;q=0.5", false), ("identity;q=0.5, gzip", true), ("br", false),
            ("identity;q=0", false), ("gzip;q=x", false), ("deflate, gzip;q=1.0, *;q=0.5", true),
        ])
    func acceptEncoding(_ field: String?, _ expected: Bool) {
        #expect(ContentCoding.prefersGzip(acceptEncoding: field) == expected)
    }

    @Test("Content-Digest (RFC 9530): the example of appendix B, and what is around it")
    func contentDigest() throws {
        // {"hello": "world"} and a line feed.
        let field = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
        let digest = Digest(sha256Of: "{\"hello\": \"world\"}\n".utf8)
        #expect(DigestField.format(digest) == field)
        #expect(try DigestFields.sha256(in: field) == digest)
        #expect(try DigestFields.sha256(in: "md5=:AAAA:, \(field);x=1") == digest)
        #expect(try DigestFields.sha256(in: "sha-512=:AAAA:") == nil)
        #expect(try DigestFields.sha256(in: "") == nil)
        for broken in ["sha-256=", "sha-256=:", "sha-256=::", "sha-256=:AAAA:", "sha-256=:*:", "sha-256=abc"] {
            #expect(throws: Problem.self, "\(broken)") { try DigestFields.sha256(in: broken) }
        }
    }

    @Test("entity tags in a list, weak ones too, commas inside them not minded")
    func entityTags() {
        #expect(Validators.entityTags("\"a\", W/\"b,c\" ,\"\"") == ["\"a\"", "\"b,c\"", "\"\""])
        #expect(Validators.entityTags("\"open").isEmpty)
    }

    @Test(
        "If-Match and If-Unmodified-Since (RFC 9110 sections 13.1.1, 13.1.4 and 13.2.2)",
        arguments: [
            ([:], true), ([.ifMatch: "\"a\""], true), ([.ifMatch: "\"b\", \"a-gzip\""], true), ([.ifMatch: "*"], true),
            ([.ifMatch: "\"x\""], false), ([.ifMatch: "W/\"a\""], false), ([.ifMatch: "W/\"x\", \"a\""], true),
            ([.ifMatch: "\"x\"", .ifNoneMatch: "\"a\""], false),
            ([.ifUnmodifiedSince: "Thu, 01 Jan 1970 00:01:40 GMT"], true),
            ([.ifUnmodifiedSince: "Thu, 01 Jan 1970 00:01:39 GMT"], false), ([.ifUnmodifiedSince: "soon"], true),
            // The tag counts, and not the date.
            ([.ifMatch: "\"a\"", .ifUnmodifiedSince: "Thu, 01 Jan 1970 00:01:39 GMT"], true),
        ] as [(HTTPFields, Bool)])
    func preconditions(_ fields: HTTPFields, _ holds: Bool) {
        let validators = Validators(tag: "a", lastModified: Timestamp(secondsSinceEpoch: 100))
        let refusal = validators.refusal(of: fields)
        #expect((refusal == nil) == holds && refusal?.status ?? .preconditionFailed == .preconditionFailed)
    }

    @Test(
        "an id survives the way into a URL and back",
        arguments: ["a b", "ё/ж", "100%", "a+b", "?#&=", "\u{1F600}", "~._-"])
    func percentEncoding(_ text: String) {
        let encoded = PercentEncoding.encode(text)
        #expect(PercentEncoding.decode(encoded[...]) == text)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    }

    @Test("what is not percent-encoded UTF-8 is nothing", arguments: ["%", "%4", "%zz", "%ff", "%c0%80", "%ed%a0%80"])
    func brokenPercentEncoding(_ text: String) { #expect(PercentEncoding.decode(text[...]) == nil) }

    @Test(
        "an address to listen on",
        arguments: [
            ("127.0.0.1:8484", "127.0.0.1", 8484, true), ("[::1]:0", "::1", 0, true),
            ("localhost:1", "localhost", 1, true),
            ("0.0.0.0:65535", "0.0.0.0", 65_535, false), ("[::]:80", "::", 80, false),
            ("example.org:80", "example.org", 80, false),
        ])
    func address(_ text: String, _ host: String, _ port: Int, _ isLoopback: Bool) throws {
        let address = try #require(HostAndPort(text))
        #expect(address == HostAndPort(host: host, port: port))
        #expect(address.isLoopback == isLoopback)
        #expect(address.description == text)
    }

    @Test(
        "what is no address is refused",
        arguments: ["", "8484", ":8484", "127.0.0.1", "127.0.0.1:", "a:65536", "::1:80", "a:-1", "a b:1"])
    func brokenAddress(_ text: String) {
        #expect(HostAndPort(text) == nil)
    }

    @Test("the names of the host's files are read back, in one spelling only")
    func layout() throws {
        let id = TestID.random()
        let name = try #require(HostLayout.test(id).lastComponent?.string)
        #expect(HostLayout.testID(ofFile: name) == id)
        #expect(HostLayout.testID(ofFile: "x" + name) == nil)
        #expect(HostLayout.testID(ofFile: name + "x") == nil)
        #expect(HostLayout.testID(ofFile: try #require(HostLayout.receipt(id).lastComponent?.string)) == nil)
        let loud = try #require(TestID("ABCDEF00-0000-4000-8000-000000000000"))
        #expect(HostLayout.testID(ofFile: "ABCDEF00-0000-4000-8000-000000000000.test.json") == nil)
        #expect(HostLayout.testID(ofFile: "\(loud).test.json") == loud)
    }
}
