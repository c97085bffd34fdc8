import HTTPTypes
import HummingbirdTesting
import Model
import Testing

@testable import Web

@Suite("Who is let in, and what is refused")
struct AccessTests {
    private static let pages = ["/", "/outbox", "/results", "/settings", "/q/capitals", "/events", "/media/x/0/0/y"]

    @Test("without the cookie nothing is shown and nothing is changed", arguments: Way.allCases)
    func stranger(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, _ in
            var stranger = browser
            for cookie in [
                "", "quire-80=0123.abcd", browser.cookie + "0", browser.cookie.replacing("quire-80", with: "quire-81"),
            ] {
                stranger.cookie = cookie
                for page in Self.pages {
                    let reply = try await stranger.get(page)
                    #expect(reply.status == .unauthorized, "\(page)")
                    #expect(!reply.text.contains("Capitals"))
                }
                #expect(try await stranger.post("/q/capitals/begin").status == .unauthorized)
            }
            #expect(try fixture.store.tests().isEmpty)
        }
    }

    @Test(
        "the code lets one browser in, once; the cookie is out of reach of scripts and other sites",
        arguments: Way.allCases)
    func code(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, opened in
            var other = browser
            other.cookie = ""
            let code = opened.keeper.code
            let reply = try await other.get("/open?code=\(code)")
            #expect(reply.status == .seeOther && reply.location == "/")
            let cookie = reply.headers[.setCookie] ?? ""
            #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
            other.cookie = String(cookie.prefix { $0 != ";" })
            #expect(try await other.get("/").status == .ok)
            other.cookie = ""
            #expect(try await other.get("/open?code=\(code)").status == .forbidden)
            #expect(try await other.post("/open", [("code", "wrong")], withToken: false).status == .forbidden)
            let typed = opened.keeper.code.uppercased().enumerated().map { $0 % 4 == 3 ? "\($1)-" : "\($1)" }.joined()
            #expect(try await other.post("/open", [("code", typed)], withToken: false).status == .seeOther)
        }
    }

    @Test("after many wrong codes the code is another one")
    func guessing() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { _, opened in
            let code = opened.keeper.code
            for _ in 0..<20 { _ = opened.keeper.exchange("guess") }
            #expect(opened.keeper.code != code)
            guard case .wrong = opened.keeper.exchange(code) else {
                Issue.record("a former code is taken")
                return
            }
        }
    }

    @Test("a browser that was let in stays so when the page is started anew, until its key is removed")
    func restart() async throws {
        let fixture = try await PageFixture()
        let known = Kept()
        try await fixture.serve { browser, _ in known.browser = browser }
        let before = try #require(known.browser)
        try await fixture.serve { browser, _ in
            var same = browser
            same.cookie = before.cookie
            same.token = before.token
            let shown = try await same.get("/")
            #expect(shown.status == .ok)
            let changed = try await same.post("/language", [("language", "ru")])
            #expect(changed.status == .seeOther)
        }
    }

    private final class Kept: @unchecked Sendable {
        // Proof: the two runs follow one another.
        var browser: Browser?
    }

    @Test(
        "a form of another page is refused: without the token, with another origin, from another site",
        arguments: Way.allCases)
    func forgery(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, _ in
            let site = HTTPField.Name.secFetchSite
            func refused(_ fields: HTTPFields, withToken: Bool = true) async throws {
                let reply = try await browser.post("/q/capitals/begin", [], fields, withToken: withToken)
                #expect(reply.status == .forbidden)
            }
            try await refused([:], withToken: false)
            try await refused([.origin: "http://evil.example"])
            try await refused([.origin: "null"])
            try await refused([.origin: "https://localhost"])
            try await refused([.origin: "http://localhost:81"])
            try await refused([site: "cross-site"])
            try await refused([site: "same-site"])
            try await refused([site: "none"])
            var other = browser
            other.token = String(browser.token.reversed())
            #expect(try await other.post("/q/capitals/begin").status == .forbidden)
            #expect(try fixture.store.tests().isEmpty)
            let sound = try await browser.post(
                "/q/capitals/begin", [], [.origin: "http://localhost", site: "same-origin"])
            #expect(sound.status == .seeOther)
        }
    }

    @Test("a body of another type, or one that is too long, is refused")
    func bodies() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            for type in ["text/plain", "application/json", "multipart/form-data"] {
                let reply = try await browser.post("/sync", [], [.contentType: type])
                #expect(reply.status == .unsupportedMediaType)
            }
            let long = String(repeating: "a", count: PageResponder.maximumFormBytes)
            let reply = try await browser.post("/sync", [("a", long)])
            #expect(reply.status == .contentTooLarge)
        }
    }

    @Test("a method that the page has no use for is refused, naming those that it takes (RFC 9110 section 15.5.6)")
    func methods() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            for method in [HTTPRequest.Method.put, .delete, .patch, .options, .trace] {
                let reply = try await browser.client.executeRequest(
                    uri: "/", method: method, headers: [.cookie: browser.cookie], body: nil)
                #expect(reply.status == .methodNotAllowed && reply.headers[.allow] == "GET, HEAD, POST", "\(method)")
                #expect(reply.text.contains(method.rawValue))
            }
        }
    }

    @Test(
        "the page answers to its own names alone (DNS rebinding)",
        arguments: [
            ("127.0.0.1:8480", true), ("localhost:8480", true), ("[::1]:8480", true), ("LOCALHOST:8480", true),
            ("127.0.0.1:8481", false), ("127.0.0.1", false), ("evil.example:8480", false), ("evil.example", false),
            ("127.0.0.1.evil.example:8480", false), ("localhost.evil.example:8480", false), ("192.168.1.5:8480", false),
            ("", false), (":8480", false), ("127.0.0.1:8480@evil.example", false),
        ])
    func names(_ authority: String, _ isAllowed: Bool) {
        let keeper = Gatekeeper(key: [1], listen: .standard, allowsNetwork: false)
        #expect(keeper.allows(authority: authority) == isAllowed)
        #expect(!keeper.allows(authority: nil))
    }

    @Test("with the network allowed it answers to addresses in figures, and still to no foreign name")
    func network() throws {
        let address = PageAddress(host: "0.0.0.0", port: 8480)
        let keeper = Gatekeeper(key: [1], listen: address, allowsNetwork: true)
        #expect(keeper.allows(authority: "192.168.1.5:8480"))
        #expect(keeper.allows(authority: "[fe80::1]:8480"))
        #expect(!keeper.allows(authority: "evil.example:8480"))
        #expect(throws: PageError.networkNotAllowed(address)) { try PageConfiguration(listen: address).check() }
        try PageConfiguration(listen: address, allowsNetwork: true).check()
    }

    @Test(
        "a name on the way to loopback is no loopback",
        arguments: ["127.evil.example", "localhost.example", "0.0.0.0", "::"])
    func loopback(_ host: String) { #expect(!PageAddress(host: host, port: 1).isLoopback) }

    @Test("every answer carries a policy that runs nothing from elsewhere and nothing inline", arguments: Way.allCases)
    func policy(_ way: Way) async throws {
        let fixture = try await PageFixture()
        try await fixture.serve(way) { browser, _ in
            for page in ["/", "/q/capitals", "/outbox", "/results", "/settings", "/nothing", "/t/x", "/open"] {
                let reply = try await browser.get(page)
                let policy = reply.header("Content-Security-Policy") ?? ""
                #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
                #expect(!policy.contains("unsafe"))
                #expect(reply.headers[.xContentTypeOptions] == "nosniff")
                // The policy would stop them; none is there to be stopped.
                #expect(
                    !reply.text.contains("<style") && !reply.text.contains(" style=")
                        && !reply.text.contains(" onclick"))
                #expect(reply.text.components(of: "<script").count == 1)
            }
        }
    }
}

extension String {
    /// The places at which a text occurs.
    func components(of text: String) -> [Range<String.Index>] { ranges(of: text) }
}
