import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Testing

@testable import Web

@Suite("Authentication, and rejected requests")
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
            let code = opened.authenticator.code
            let reply = try await other.post("/open", [("code", code)], withToken: false)
            #expect(reply.status == .seeOther && reply.location == "/")
            let cookie = reply.headers[.setCookie] ?? ""
            #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
            other.cookie = String(cookie.prefix { $0 != ";" })
            #expect(try await other.get("/").status == .ok)
            other.cookie = ""
            #expect(try await other.get("/open?code=\(code)").status == .forbidden)
            #expect(try await other.post("/open", [("code", "wrong")], withToken: false).status == .forbidden)
            let typed = opened.authenticator.code.uppercased().enumerated().map { $0 % 4 == 3 ? "\($1)-" : "\($1)" }
                .joined()
            #expect(try await other.post("/open", [("code", typed)], withToken: false).status == .seeOther)
        }
    }

    @Test("wrong codes, however many and wherever from, lock no one out")
    func guessing() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, opened in
            let code = opened.authenticator.code
            var other = browser
            other.cookie = ""
            for number in 0..<200 {
                #expect(try await other.get("/open?code=guess\(number)").status == .forbidden)
                let sent = try await other.post("/open", [("code", "guess\(number)")], withToken: false)
                #expect(sent.status == .forbidden)
            }
            #expect(opened.authenticator.code == code)
            #expect(try await browser.get("/").status == .ok)
            #expect(try await other.post("/open", [("code", code)], withToken: false).status == .seeOther)
        }
    }

    @Test("looking at the printed address leaves the code: GET, HEAD, a prefetch, a link or a picture on another site")
    func lookingAhead() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, opened in
            let code = opened.authenticator.code
            var other = browser
            other.cookie = ""
            let (site, mode) = (HTTPField.Name.secFetchSite, HTTPField.Name.secFetchMode)
            for fields: HTTPFields in [
                [:], [site: "none", mode: "navigate"], [site: "cross-site", mode: "navigate"],
                [site: "cross-site", mode: "no-cors"],
            ] {
                let printed = try await other.get("/open?code=\(code)", fields)
                #expect(printed.status == .seeOther && printed.location == "/open/\(code)")
                #expect(printed.headers[.setCookie] == nil)
                let step = try await other.get(printed.location, fields)
                // What a program gets that is no browser is an offer (below).
                #expect(step.status == .ok && (step.headers[.setCookie] == nil || fields.isEmpty))
                #expect(step.text.contains("<form method=\"post\" action=\"/open\""))
                #expect(step.text.contains("value=\"\(code)\""))
                for path in ["/open?code=\(code)", printed.location] {
                    let head = try await browser.client.executeRequest(
                        uri: path, method: .head, headers: fields, body: nil)
                    #expect(head.headers[.setCookie] == nil)
                }
            }
            // Nor does a form of another site, and it is not a try either.
            for fields: HTTPFields in [[.origin: "http://evil.example"], [site: "cross-site"], [site: "same-site"]] {
                let forged = try await other.post("/open", [("code", code)], fields, withToken: false)
                #expect(forged.status == .forbidden && forged.headers[.setCookie] == nil)
            }
            #expect(opened.authenticator.code == code)
            // A browser with access does not need it.
            #expect(try await browser.get("/open?code=\(code)").location == "/")
            #expect(try await browser.post("/open", [("code", code)]).location == "/")
            #expect(opened.authenticator.code == code)
        }
    }

    @Test("a link on another site leads to a step of this page's own, for SameSite=Strict keeps the cookie from it")
    func visitFromElsewhere() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            var other = browser
            other.cookie = ""
            let visit: HTTPFields = [.secFetchSite: "cross-site", .secFetchMode: "navigate"]
            let step = try await other.get("/q/capitals?x=1", visit)
            #expect(step.status == .unauthorized)
            #expect(
                step.text.contains("id=\"step\" href=\"/q/capitals?x&#x3D;1\"")
                    || step.text.contains("href=\"/q/capitals?x=1\""))
            #expect(!step.text.contains("Capitals") && !step.text.contains("name=\"code\""))
            // An address that was printed earlier, too; and a picture on another site gets no such page.
            #expect(try await other.get("/open?code=old", visit).text.contains("id=\"step\""))
            #expect(
                try await other.get("/", [.secFetchSite: "cross-site", .secFetchMode: "no-cors"]).text.contains(
                    "name=\"code\""))
        }
    }

    @Test("after a restart a browser comes back by itself, and what it was sending arrives", arguments: Way.allCases)
    func restart(_ way: Way) async throws {
        let fixture = try await PageFixture()
        let jar = Kept()
        try await fixture.serve(way) { browser, opened in
            var other = browser
            other.cookie = ""
            let entered = try await other.post("/open", [("code", opened.authenticator.code)], withToken: false)
            jar.take(entered)
            other.cookie = jar.header(for: "/")
            let page = try await other.get("/")
            #expect(page.status == .ok)
            jar.token = String(page.text.split(separator: "name=\"token\" value=\"")[1].prefix { $0 != "\"" })
        }
        for _ in 0..<3 {
            let before = jar.header(for: "/")
            try await fixture.serve(way) { browser, _ in
                var same = browser
                same.token = jar.token
                // A form that was shown before; the redirects keep its method and content.
                var target = "/language"
                var hops: [String] = []
                repeat {
                    same.cookie = jar.header(for: target)
                    let reply = try await same.post(target, [("language", "ru"), ("back", "/outbox")])
                    jar.take(reply)
                    hops.append("\(reply.status.code)")
                    target = reply.location
                } while hops.last == "307"
                #expect(hops == ["307", "307", "303"] && target == "/outbox")
                same.cookie = jar.header(for: "/outbox")
                #expect(same.cookie != before)
                #expect(try await same.get("/outbox").status == .ok)
            }
        }
    }

    @Test("a program that listened on the port while the page was away has nothing that the page takes")
    func impostor() async throws {
        let fixture = try await PageFixture()
        let (jar, caught) = (Kept(), Kept())
        try await fixture.serve { browser, opened in
            var other = browser
            other.cookie = ""
            jar.take(try await other.post("/open", [("code", opened.authenticator.code)], withToken: false))
        }
        // The page is stopped, and the browser requests it from any listener.
        let stolen = jar.header(for: "/")
        try await fixture.serve { browser, _ in
            var thief = browser
            thief.cookie = stolen
            let led = try await thief.get("/")
            #expect(led.status == .temporaryRedirect)
            caught.token = led.location
            let refused = try await thief.get(led.location)
            #expect(refused.status == .unauthorized && refused.headers[.setCookie] == nil)
            for page in Self.pages where try await thief.get(page).status != .temporaryRedirect {
                Issue.record("\(page) is shown to a thief")
            }
            #expect(try await thief.post("/q/capitals/begin").status == .temporaryRedirect)
        }
        // Away again: now the thief knows the place and lures the browser there.
        let place = String(caught.token.prefix { $0 != "?" })
        let proof = jar.header(for: place)
        #expect(proof.contains("-return="))
        try await fixture.serve { browser, _ in
            var thief = browser
            thief.cookie = proof
            #expect(try await thief.get(place + "?to=%2F").status == .unauthorized)
            thief.cookie = stolen
            let next = try await thief.get("/").location
            #expect(!next.hasPrefix(place))
            thief.cookie = proof
            #expect(try await thief.get(next).status == .unauthorized)
            // The browser itself has a spare place.
            var own = browser
            own.cookie = jar.header(for: next)
            #expect(try await own.get(next).status == .temporaryRedirect)
        }
    }

    @Test("the way back leads to an address of this page only")
    func wayBack() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            for target in ["//evil.example/", "https://evil.example/", "/return/x", "%0d%0aX: y", ""] {
                let reply = try await browser.get("/return/0123?to=" + PercentEncoding.encode(target))
                #expect(reply.status == .temporaryRedirect && reply.location == "/")
            }
        }
    }

    @Test("a service worker that another program left on this port ends itself")
    func serviceWorker() async throws {
        let fixture = try await PageFixture()
        try await fixture.serve { browser, _ in
            var other = browser
            other.cookie = ""
            let name = try #require(HTTPField.Name("Service-Worker"))
            for path in ["/sw.js", "/", "/assets/page.js"] {
                let reply = try await other.get(path, [name: "script"])
                #expect(reply.status == .ok && reply.header("Content-Type")?.hasPrefix("text/javascript") == true)
                #expect(reply.text.contains("registration.unregister()"))
            }
        }
    }

    /// What a browser keeps from one run of the page to the next.
    private final class Kept: @unchecked Sendable {
        // Proof: the runs follow one another.
        private var cookies: [(name: String, value: String, path: String)] = []
        var token = ""

        func take(_ reply: TestResponse) {
            for field in reply.headers[values: .setCookie] {
                let parts = field.split(separator: ";").map { $0.drop { $0 == " " } }
                let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                let path = parts.first { $0.hasPrefix("Path=") }.map { String($0.dropFirst(5)) } ?? "/"
                cookies.removeAll { $0.name == pair[0] && $0.path == path }
                if !parts.contains("Max-Age=0") { cookies.append((pair[0], pair[1], path)) }
            }
        }

        /// As a browser chooses them (RFC 6265, section 5.1.4).
        func header(for target: String) -> String {
            let path = target.prefix { $0 != "?" }
            return cookies.filter { $0.path == "/" || path == $0.path || path.hasPrefix($0.path + "/") }
                .map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
        }
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
        let authenticator = PageAuthenticator(
            key: [1], listen: PageConfiguration.standardListen, allowsNetwork: false)
        #expect(authenticator.allows(authority: authority) == isAllowed)
        #expect(!authenticator.allows(authority: nil))
    }

    @Test("with the network allowed it answers to addresses in figures, and still to no foreign name")
    func network() throws {
        let address = HostAndPort(host: "0.0.0.0", port: 8480)
        let authenticator = PageAuthenticator(key: [1], listen: address, allowsNetwork: true)
        #expect(authenticator.allows(authority: "192.168.1.5:8480"))
        #expect(authenticator.allows(authority: "[fe80::1]:8480"))
        #expect(!authenticator.allows(authority: "evil.example:8480"))
        #expect(throws: PageError.networkNotAllowed(address)) { try PageConfiguration(listen: address).check() }
        try PageConfiguration(listen: address, allowsNetwork: true).check()
    }

    @Test(
        "a name on the way to loopback is no loopback",
        arguments: ["127.evil.example", "localhost.example", "0.0.0.0", "::"])
    func loopback(_ host: String) { #expect(!HostAndPort(host: host, port: 1).isLoopback) }

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
