import HTTPCaching
import HTTPTypes
import Simulation
import Testing

@Suite("Cache-Control is read as RFC 9111 section 5.2 has it")
struct CacheControlTests {
    @Test(
        "directives are read in any case, with and without arguments",
        arguments: [
            ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60),
            (" ,, max-age=60,,", 60),
            ("public, max-age=60", 60), ("foo=\"a, max-age=1\", max-age=60", 60),
            ("max-age=0", 0),
            ("max-age=007", 7), ("foo=\"\\\"\", max-age=60", 60), ("private=\"set-cookie\",max-age=60", 60),
            ("\tmax-age=60\t", 60),
        ])
    func maxAge(_ value: String, _ expected: Int) {
        #expect(CacheControl(value).maxAge == expected)
    }

    /// Section 4.2.1: a response with invalid freshness counts as stale.
    @Test(
        "a number that is none makes the response stale",
        arguments: [
            "max-age", "max-age=", "max-age=-1", "max-age=+1", "max-age=1.5", "max-age=abc", "max-age=0x10",
            "max-age=\"\"",
            "max-age=\"-5\"", "max-age=٣", "max-age==5", "max-age=60s", "max-age = 60", "max-age= 60", "max-age =60",
            "max-age=60;foo", "max-age=60 60", "max-age='60'", "max-age=\"60", "max-age=\"60\"0",
        ])
    func invalid(_ value: String) {
        #expect(CacheControl(value).maxAge == 0)
    }

    @Test(
        "a directive that is absent has no number",
        arguments: ["", "public", "xmax-age=5", "foo=max-age=5", "\"max-age=5\""])
    func absent(_ value: String) {
        #expect(CacheControl(value).maxAge == nil)
    }

    /// Section 1.2.2.
    @Test(
        "a number beyond 2³¹ is taken for 2³¹",
        arguments: [
            "2147483648", "2147483649", "9223372036854775807", "9223372036854775808",
            String(repeating: "9", count: 1000),
        ])
    func overflow(_ number: String) {
        #expect(CacheControl("max-age=" + number).maxAge == 1 << 31)
    }

    @Test("of a repeated directive the first counts, over all fields of the message")
    func duplicates() throws {
        #expect(CacheControl("max-age=1, max-age=2").maxAge == 1)
        let message = try fields(("Cache-Control", "max-age=1"), ("cache-control", "max-age=2, no-store"))
        #expect(CacheControl(message).maxAge == 1)
        #expect(CacheControl(message).noStore)
        #expect(!CacheControl(HTTPFields()).noStore)
    }

    @Test(
        "no-cache that names fields is about these fields; without names it is about all",
        arguments: [
            ("no-cache", true), ("NO-CACHE", true), ("no-cache=\"\"", true), ("no-cache=\"set-cookie\"", false),
            ("no-cache=\"set-cookie, x\", max-age=5", false), ("no-cache=\"set-cookie\", no-cache", true),
            ("no-cache, no-cache=\"set-cookie\"", true), ("foo=no-cache", false), ("foo=\"no-cache\"", false),
            ("no-cachex", false),
        ])
    func noCache(_ value: String, _ expected: Bool) {
        #expect(CacheControl(value).noCache == expected)
    }

    @Test(
        "what stands in quotes is no directive",
        arguments: ["foo=\"no-store\"", "foo=\"a, no-store, b\"", "\"no-store\""])
    func quotes(_ value: String) {
        #expect(!CacheControl(value).noStore)
    }

    /// A quoted string that never ends must not swallow what forbids something.
    @Test(
        "what follows an open quotation mark is read",
        arguments: ["foo=\"a, no-store", "\", no-store", "a=\\\", no-store"])
    func openQuote(_ value: String) {
        #expect(CacheControl(value).noStore)
    }

    @Test("unknown directives do no harm")
    func unknown() {
        let control = CacheControl("stale-while-revalidate=30, x-Foo=\"B a\", must-revalidate, x=1, =, ;, \"\"")
        #expect(control.staleWhileRevalidate == 30)
        #expect(control.mustRevalidate)
        #expect(control == CacheControl("must-revalidate, stale-while-revalidate=30"))
    }

    @Test("junk never crashes the reader, and a number is always one", arguments: 0..<20)
    func junk(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = [
            "max-age", "no-store", "=", ",", "\"", "\\", ";", " ", "\t", "60", "-", "99999999999999999999", "é", "\0",
            "\u{7F}", "a",
            "no-cache", "==", ",,", "\"\"",
        ]
        for _ in 0..<500 {
            let value = (0..<Int.random(in: 0...12, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let control = CacheControl(value)
            let numbers = [control.maxAge, control.sharedMaxAge, control.minFresh, control.staleIfError]
            for seconds in numbers.compactMap({ $0 }) {
                #expect((0...CacheControl.maximumSeconds).contains(seconds), "seed \(seed): \(value)")
            }
        }
    }
}
