import HTTPServing
import HTTPTypes
import HummingbirdTesting
import Model
import ServedApplication
import Synchronization
import Testing

@testable import Web

@Suite("The browsers that have access")
struct BrowserAccessTests {
    @Test(
        "they are listed, and one whose access is closed has none any more, after a restart either",
        arguments: Way.allCases)
    func closing(_ way: Way) async throws {
        let fixture = try await PageFixture()
        let closed = Mutex("")
        try await fixture.serve(way) { browser, opened in
            #expect(try await browser.get("/settings").text.contains("this browser"))
            let own = opened.authenticator.known.map(\.mark)
            #expect(own.count == 1)
            var other = browser
            other.cookie = ""
            let entered = try await other.post("/open", [("code", opened.authenticator.code)], withToken: false)
            other.cookie = String((entered.headers[.setCookie] ?? "").prefix { $0 != ";" })
            #expect(try await other.get("/", [.userAgent: "Mozilla/5.0 Gecko/20100101 Firefox/128.0"]).status == .ok)
            let page = try await browser.get("/settings").text
            #expect(page.contains("Firefox") && page.components(separatedBy: "/settings/access").count == 3)
            let mark = try #require(opened.authenticator.known.map(\.mark).first { !own.contains($0) })
            // Without the token of a form, and with another mark, nothing is closed.
            #expect(
                try await browser.post("/settings/access", [("access", mark)], withToken: false).status == .forbidden)
            #expect(try await browser.post("/settings/access", [("access", "x")]).status == .seeOther)
            #expect(try await other.get("/").status == .ok)

            #expect(try await browser.post("/settings/access", [("access", mark)]).status == .seeOther)
            for path in ["/", "/settings", "/events"] {
                let reply = try await other.get(path)
                #expect(reply.status == .unauthorized, "\(path)")
            }
            #expect(try await browser.get("/").status == .ok)
            #expect(opened.authenticator.known.map(\.mark) == own)
            let cookie = other.cookie
            closed.withLock { $0 = cookie }
        }
        let cookie = closed.withLock { $0 }
        try await fixture.serve(way) { browser, _ in
            var other = browser
            other.cookie = cookie
            let reply = try await other.get("/")
            #expect(reply.status == .unauthorized)
        }
    }

    @Test("with cookies of an earlier run than the one in which it was closed, no browser comes back")
    func earlierCookies() throws {
        let key = [UInt8](repeating: 7, count: 32)
        var (closed, spent): (Set<String>, Set<String>) = ([], [])
        func run() throws -> PageAuthenticator {
            PageAuthenticator(key: key, listen: try #require(HostAndPort("127.0.0.1:8473")), allowsNetwork: false)
        }
        func former(_ cookie: String, in page: PageAuthenticator) -> PageAuthenticator.Former? {
            guard case .former(let former) = page.visitor(with: [page.cookieName: cookie]) else { return nil }
            return former
        }
        func path(_ cookie: String, in page: PageAuthenticator) throws -> String? {
            let former = try #require(former(cookie, in: page))
            return page.returnPath(
                of: former, isClosed: { closed.contains($0) }, spend: { spent.insert($0).inserted })
        }
        let first = try run()
        guard case .accepted(let session) = first.exchange(first.code) else { return #expect(Bool(false)) }
        let second = try run()
        #expect(try path(session.cookie, in: second) != nil)
        let came = PageAuthenticator.Session(id: session.id, cookie: "", formToken: "")
        second.note(came, agent: nil, now: .epoch)
        #expect(second.close(second.mark(of: came)) { closed.insert($0) })
        let third = try run()
        #expect(try path(session.cookie, in: third) == nil)
    }
}
